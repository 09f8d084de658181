import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeExecutor, PlanShape } from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { nodeOf } from '../../../src/workflows/views/views.ts';
import {
  approvedRun,
  bring,
  executor,
  handle,
  openedRun,
  progressOf,
  say,
  shapeOf,
  turn,
  underWay,
  takenUp,
} from './make-run.ts';
import { plans, planShapeOf, type RandomPlan } from './random-plan.ts';

const on = (resource: string): NodeExecutor => ({ ...executor('idempotent'), resource });

/** So many nodes that need nothing, each of which writes to what is named. */
function writers(...resources: readonly string[]): PlanShape {
  return shapeOf(
    resources.map(() => []),
    { executors: resources.map(on), executorOf: resources.map((_, node) => node) },
  );
}

function ends(run: Run, node: number): void {
  bring(run, node, handle(`r${node}`));
  turn(run);
}

describe('of the nodes that write to one resource', () => {
  test('one is under way, in the order of their ids; who writes to another goes on beside it', () => {
    const run = approvedRun(writers('magnet', 'magnet', 'shutter', 'magnet'));
    expect(underWay(run)).toEqual([0, 2]);
    ends(run, 2);
    expect(underWay(run)).toEqual([0]);
    ends(run, 0);
    expect(underWay(run)).toEqual([1]);
    ends(run, 1);
    expect(underWay(run)).toEqual([3]);
  });

  test('the smaller id goes first where the other is on the longer path', () => {
    const executors = [executor('read'), on('magnet')];
    const run = approvedRun(shapeOf([[], [], [1], [2]], { executors, executorOf: [1, 1, 0, 0] }));
    expect(underWay(run)).toEqual([0]);
  });

  test('one that may not start yet holds up nobody', () => {
    const run = openedRun(writers('magnet', 'magnet'));
    say(run, 'decide', { kind: 'approve-part', digest: '3fa9c1d2', by: 'operator', nodes: ['node_2'] });
    expect(underWay(run)).toEqual([1]);
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' });
    expect(underWay(run)).toEqual([1]);
    ends(run, 1);
    expect(underWay(run)).toEqual([0]);
  });

  test.each<[string, Parameters<typeof bring>[2]]>([
    ['fails', { status: 'failed', type: 'CRITICAL', message: 'broke' }],
    ['may have happened', { status: 'uncertain', type: 'CRITICAL', message: 'broke' }],
    ['is cancelled', { status: 'cancelled', type: 'Cancelled', message: 'stopped' }],
  ])('the next begins also where the one before %s', (_, brought) => {
    const run = approvedRun(writers('magnet', 'magnet'));
    bring(run, 0, brought);
    turn(run);
    expect(underWay(run)).toEqual([1]);
  });

  test('one that waits says for what and for whom, to whoever asks and in the details', () => {
    const run = approvedRun(writers('magnet-12', 'magnet-12'));
    expect([nodeOf(run, 0).waits, nodeOf(run, 1).waits]).toEqual([
      undefined,
      'waits for magnet-12, which node_1 writes',
    ]);
    expect(runDetails(run)).toContain('- node_2 waits for magnet-12, which node\\_1 writes');
    ends(run, 0);
    expect(nodeOf(run, 1).waits).toBeUndefined();
  });

  test('it stays so in a run that is taken up', () => {
    const planShape = writers('magnet', 'magnet');
    const run = takenUp(approvedRun(planShape), planShape);
    turn(run);
    expect(underWay(run)).toEqual([0]);
    ends(run, 0);
    expect(underWay(run)).toEqual([1]);
  });

  test('never two are under way at once, whatever the plan, and all of them have their turn', () => {
    fc.assert(
      fc.property(plans, fc.constantFrom(1, 2, 100), fc.infiniteStream(fc.nat()), (plan, concurrency, picks) => {
        const run = approvedRun(planShapeOf(plan, '3fa9c1d2'.repeat(8)), { concurrency });
        for (const pick of picks) {
          const now = underWay(run);
          if (now.length === 0) break;
          expect(twiceNamed(plan, now)).toEqual([]);
          ends(run, now[pick % now.length] ?? 0);
        }
        expect(new Set(progressOf(run).status)).toEqual(new Set(['succeeded']));
      }),
    );
  });
});

function twiceNamed(plan: RandomPlan, nodes: readonly number[]): readonly string[] {
  const named = nodes.flatMap((node) => plan[node]?.resource ?? []);
  return named.filter((one, place) => named.indexOf(one) !== place);
}
