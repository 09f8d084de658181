import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { HOSTILE_ERRORS } from '../activities/hostile-errors.ts';
import { createBarrier, echo, fails, ids, waits, writes, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const once = writes('once', 'at-most-once', written);
/** Dies in silence: it neither beats nor ends, as a worker that was killed. */
const silent = tool(
  { name: 'silent', timeout: { startToCloseMs: 300 } },
  'at-most-once',
  'text',
  z.object({}),
  (given) =>
    new Promise<string>((_, reject) => given.signal.addEventListener('abort', () => reject(new Error('late')))),
);

const throwing = tool(
  { name: 'throws', retry: { attempts: 1 } },
  'read',
  'text',
  z.object({ kind: z.string() }),
  (given) => {
    throw HOSTILE_ERRORS[given.arguments.kind]!.make();
  },
);

const rig = await sharedRig({ capabilities: [ids, echo, fails, waits(barrier), once, silent, throwing] });

const failed = (input: unknown) =>
  rig.run(input).then(
    () => undefined,
    (error: { cause: unknown }) => error.cause,
  );

describe('a node that fails', () => {
  test('skips what stands on it with the cause, lets the rest finish, and fails the run node by node', async () => {
    const broken = combine('UNION', task('fails', { how: 'critical' }), idsOf('a'));
    const cause = await failed(planOf(combine('UNION', broken, combine('UNION', idsOf('b'), idsOf('c')))));
    expect(cause).toMatchObject({
      type: 'PlanFailed',
      message: expect.stringContaining('node_1 failed: broke for good') as string,
      details: [
        {
          nodes: [
            { id: 'node_1', status: 'failed', failure: { type: 'CRITICAL', message: 'broke for good' } },
            { id: 'node_3', status: 'skipped', cause: 'node_1' },
            { id: 'node_7', status: 'skipped', cause: 'node_1' },
          ],
        },
      ],
    });
    expect(rig.ledger.filter(({ what }) => what === 'succeeded').length).toBeGreaterThanOrEqual(4);
  });
});

/** Nobody settles what is uncertain. */
const UNSETTLED = { answerDeadline: '1ms' };

describe('an at-most-once effect', () => {
  test('that knows it did nothing has failed', async () => {
    const cause = await failed(planOf(task('once', { value: 'on', mode: 'not-applied' })));
    expect(cause).toMatchObject({ details: [{ nodes: [{ status: 'failed', failure: { type: 'NotApplied' } }] }] });
  });

  test('that times out is uncertain: the next attempt finds its claim, and no result', async () => {
    const cause = await failed(planOf(task('silent', {}), UNSETTLED));
    const message = expect.stringContaining('this effect was begun before under the key') as string;
    expect(cause).toMatchObject({ details: [{ nodes: [{ status: 'uncertain', failure: { message } }] }] });
  });
});

// A worker that holds the run gets its activities eagerly, but not those that it has deferred.
test.each([
  ['in its place', true],
  ['beside it', false],
])('a node that meets a worker of another version waits for the right one %s', async (_, isReplaced) => {
  const run = await rig.start(planOf(idsOf('a')));
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  await rig.stopWorker();
  await rig.startWorker(createRegistry([{ ...ids, version: '2' }]));
  const before = rig.ledger.length;
  await rig.approve(run);
  while (!rig.ledger.slice(before).some(({ what }) => what === 'held')) await rig.until(run, () => true);
  if (isReplaced) await rig.stopWorker();
  await rig.startWorker();
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});
