/** Whatever would keep a node from starting now stops the parts that have it, once; and nothing else does. */

import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../../../../src/protocol/index.ts';
import { arrive } from '../../../../src/workflows/run/arrive.ts';
import { startPart } from '../../../../src/workflows/starters.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { openedRun, AT, DIGEST, progressOf, REFUSES, say, turn, underWay } from '../make-run.ts';
import {
  done,
  editReads,
  endedWith,
  LOST,
  news,
  onlyPart,
  partRun,
  partShape,
  readingRun,
  replied,
  scheduled,
} from './part-run.ts';

const WHO = { digest: DIGEST.slice(0, 8), by: 'operator' };

/** Three reads in one part. */
function opened(options: Partial<RunOptions> = {}) {
  const run = partRun(partShape([[], [], [0, 1]]), options);
  const [name] = onlyPart(run);
  scheduled(run, name);
  return { run, name };
}

/** The parts that are told to stop in the turns that this takes. */
function haltedBy(run: Run, act: (run: Run) => void): readonly string[] {
  const { outbox } = run;
  const halted: string[] = [];
  // `say` takes turns whose orders it does not give.
  const { push } = outbox.cancelParts;
  let kept = outbox.cancelParts;
  Object.defineProperty(outbox, 'cancelParts', {
    enumerable: true,
    configurable: true,
    get: () => kept,
    set(next: string[]) {
      kept = next;
      kept.push = (...names) => (halted.push(...names), push.apply(kept, names));
    },
  });
  outbox.cancelParts = [];
  act(run);
  turn(run);
  return halted;
}

const control =
  (action: string, over: object = {}) =>
  (run: Run) =>
    void say(run, 'control', { action, by: 'operator', ...over });

describe('a part is told to stop', () => {
  test.each<[string, (run: Run) => void, Partial<RunOptions>]>([
    ['by a pause', control('pause'), {}],
    [
      'by a pause of the parent',
      (run) => arrive(run, { is: 'agent', message: { key: 'up', paused: true }, at: AT }, REFUSES),
      {},
    ],
    ['by a withdrawal', (run) => void say(run, 'decide', { kind: 'withdraw', ...WHO }), {}],
    ['by a cancellation', (run) => arrive(run, { is: 'cancelled', at: AT }, REFUSES), {}],
    ['by a kill', control('kill', { comment: 'enough' }), {}],
    ['by cancel-node of one of its nodes', control('cancel-node', { node: 'node_2' }), {}],
  ])('%s, once', (_, act, options) => {
    const { run, name } = opened(options);
    if (_ === 'by a pause of the parent') run.state.parent = { key: 'up', out: {} };
    expect(haltedBy(run, act)).toEqual([name]);
    expect(haltedBy(run, () => undefined)).toEqual([]);
  });

  test('by a rejection', () => {
    const { run, name } = readingRun(3);
    const digest = run.state.approval.digest.slice(0, 8);
    expect(haltedBy(run, () => void say(run, 'reject', { digest, by: 'operator' }))).toEqual([name]);
  });

  test('by an edit that leaves out one of its nodes', () => {
    const { run, name } = readingRun(3);
    expect(haltedBy(run, () => editReads(run, 2, [0, 1]))).toEqual([name]);
  });

  test('by what is said of a node of it alone', () => {
    const planShape = partShape([[], [], [], []]);
    const run = openedRun(planShape, { lane: 'parts' });
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_1', 'node_2'], ...WHO });
    turn(run);
    const [name, part] = onlyPart(run);
    expect(part.nodes).toEqual([0, 1]);
    expect(haltedBy(run, () => void say(run, 'decide', { kind: 'approve-part', nodes: ['node_3'], ...WHO }))).toEqual(
      [],
    );
    expect(haltedBy(run, () => void say(run, 'decide', { kind: 'withdraw', ...WHO }))).toEqual([name]);
  });
});

describe('a part goes on', () => {
  test.each<[string, (run: Run) => void]>([
    ['when nothing happens', () => undefined],
    ['when some of its nodes have ended', (run) => news(run, [done(0)])],
    ['when one of them is to go alone', (run) => news(run, [], [1])],
    ['when somebody says something that changes nothing', (run) => void say(run, 'approve', WHO)],
    ['when somebody is refused', (run) => void say(run, 'approve', { digest: 'ffffffff', by: 'operator' })],
  ])('%s', (_, act) => {
    const { run } = opened();
    expect(haltedBy(run, act)).toEqual([]);
  });

  test('when an edit keeps all of its nodes', () => {
    const { run } = readingRun(3);
    expect(haltedBy(run, () => editReads(run, 4, [0, 1, 2]))).toEqual([]);
    expect(underWay(run).length).toBe(4);
  });
});

describe('a part that was told to stop', () => {
  test('ends a run that is over once it has ended, and its nodes with it', () => {
    const { run, name } = opened();
    arrive(run, { is: 'cancelled', at: AT }, REFUSES);
    expect(turn(run).next).toBe('wait');
    replied(run, name, [done(0)]);
    expect(turn(run).next).toBe('end');
    expect(progressOf(run).counts).toMatchObject({ running: 0, pending: 0, succeeded: 1, cancelled: 2 });
  });

  test.each([
    ['replies', (run: Run, name: string) => replied(run, name, [])],
    ['is lost', (run: Run, name: string) => endedWith(run, name, LOST)],
  ])('for one node and %s has this one cancelled, and the others begin again', (_, end) => {
    const run = partRun(partShape([[], [], [0]]));
    const [name] = onlyPart(run);
    say(run, 'control', { action: 'cancel-node', node: 'node_2', by: 'operator' });
    end(run, name);
    turn(run);
    expect(progressOf(run).status).toEqual(['running', 'cancelled', 'running']);
    expect(onlyPart(run)[1].nodes).toEqual([0, 2]);
  });

  test('for one node leaves work under way elsewhere alone', () => {
    const { run } = opened();
    say(run, 'control', { action: 'cancel-node', node: 'node_2', by: 'operator' });
    expect(turn(run).cancel).toEqual([]);
  });
});

describe('the gate before a part', () => {
  const refusal = (run: Run, name: string) =>
    startPart(run, name, { put: () => undefined } as never).then(
      () => 'it has begun',
      (error: Error) => error.message,
    );

  test('asks of each node whether it may run', async () => {
    const { run, name } = opened();
    const { approval } = run.state;
    const digest = 'f'.repeat(64);
    run.state.approval = { ...approval, digest };
    expect(await refusal(run, name)).toContain('the node belongs to plan 3fa9c1d2, not to ffffffff');
    run.state.approval = { ...approval, consents: [] };
    expect(await refusal(run, name)).toContain('node_1 of plan 3fa9c1d2 is not approved');
    run.state.approval = { ...approval, rejected: true };
    expect(await refusal(run, name)).toContain('rejected');
  });

  test('refuses a node that is not approved among others that are', async () => {
    const planShape = partShape([[], [], []]);
    const run = openedRun(planShape, { lane: 'parts' });
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_1', 'node_2'], ...WHO });
    turn(run);
    const [name, part] = onlyPart(run);
    run.parts.set(name, { ...part, nodes: [0, 1, 2] });
    expect(await refusal(run, name)).toContain('node_3 of plan 3fa9c1d2 is not approved');
  });

  test('refuses a node that goes in no part', async () => {
    const { run, name } = opened();
    run.execution!.individual[1] = true;
    expect(await refusal(run, name)).toContain('node_2 is carried out in no part');
  });

  test('refuses a part that is not there', async () => {
    const { run } = opened();
    expect(await refusal(run, 'part_99')).toContain('there is no part part_99 to start');
  });
});
