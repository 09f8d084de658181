import { describe, expect, test } from 'vitest';
import { defineCapability } from '../../src/capabilities/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { ownRig, sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const rig = await sharedRig({
  capabilities: [ids, waits(barrier), writes('set', 'idempotent', written), writes('fire', 'at-most-once', written)],
});

const FOUR_EYES = {
  approval: {
    rules: [
      { effect: 'idempotent', roles: ['operator', 'safety'] },
      { capability: 'fire', roles: ['operator', 'safety'], count: 2 },
    ],
  },
};
const steps = (...list: object[]) => ({ plan: { goal: 'Steer the beam', steps: list } });
const step = (id: number, capability: string, args: object) => ({
  step_id: id,
  capability,
  arguments: args,
  description: `${capability} ${id}`,
});

test('rules let reads run at once while writes wait, each for its own people', async () => {
  const run = await rig.start({
    ...steps(step(1, 'ids', { ids: ['a'] }), step(2, 'set', { value: '4' }), step(3, 'fire', { value: 'x' })),
    options: FOUR_EYES,
  });
  await rig.until(run, ({ counts }) => counts.succeeded === 1);
  const [approval] = await rig.open(run);
  expect(approval).toMatchObject({ kind: 'approval', roles: ['operator', 'safety'], nodes: ['node_2', 'node_3'] });
  const digest = approval?.digest;
  const approve = (by: string, role?: string) => rig.say(run, 'decide', { kind: 'approve', digest, by, role });

  expect(await approve('intruder')).toContain('waits for the role operator or safety; intruder spoke in no role');
  expect(await approve('operator', 'operator')).toBe(
    'approved; still to be approved: 1 of its nodes, by operator or safety',
  );
  await rig.until(run, ({ counts }) => counts.succeeded === 2);
  expect(await approve(' OPERATOR', 'operator')).toContain('it waits for somebody else');
  expect(await approve('operator', 'safety')).toContain('it waits for somebody else');
  expect(rig.begun(run)['node_3']).toBeUndefined();
  expect(await approve('reviewer', 'safety')).toBe('approved');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(rig.begun(run)).toEqual({ node_1: 1, node_2: 1, node_3: 1, node_4: 1 });
});

test('ten payments below a limit are asked about together, and a cost that changes asks again', async () => {
  const pays = (cost: number) => defineCapability({ ...writes('pay', 'at-most-once', written), cost });
  const bank = await ownRig({ capabilities: [pays(99)] });
  const payments = Array.from({ length: 10 }, (_, at) => step(at + 1, 'pay', { value: `p${at}` }));
  const { run, digest } = await bank.startAsked({
    plan: { goal: 'Pay', steps: payments },
    options: { approval: { rules: [{ minTotalCost: 100, roles: ['finance'] }] } },
  });
  const asked = await bank.open(run);
  expect(asked).toMatchObject([{ nodeCount: 10, roles: ['finance'] }]);
  expect(asked[0]?.bounds).toContain('10 at-most-once; cost 990; 1 approval in the role finance;');
  const before = written.length;
  await bank.stopWorker();
  // The run has heard the decision before a worker with another cost takes the first payment.
  await run.signal('approve', { digest, by: 'operator', role: 'finance' });
  await bank.startWorker(createRegistry([pays(120)]));
  const again = await bank.opened(run, ({ warning }) => warning?.includes('cost is 120 now; it was 99') === true);
  expect([again.nodeCount, written.length]).toEqual([10, before]);
  expect(again.bounds).toContain('cost 1200;');
  const decide = (more: object) =>
    bank.say(run, 'decide', { kind: 'approve', digest, by: 'operator', role: 'finance', ...more });
  expect(await decide({})).toContain(`name "shown": "${again.shown?.slice(0, 8)}"`);
  expect(await decide({ shown: again.shown })).toBe('approved');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(written.length - before).toBe(10);
});

describe('a part', () => {
  const plan = combine('UNION', task('waits', { at: 'left' }), task('waits', { at: 'right' }));

  test('runs with what it depends on, then the gate waits for the rest', async () => {
    const { run, digest } = await rig.startAsked(planOf(combine('UNION', plan, idsOf('z'))));
    const say = (message: object) => rig.say(run, 'decide', { digest, by: 'operator', ...message });
    expect(await say({ kind: 'approve-part', nodes: ['node_9'] })).toContain('has no node_9; it has node_1 to node_5');
    expect(await say({ kind: 'approve-part', nodes: ['node_3'] })).toBe(
      'approved; still to be approved: 2 of its nodes',
    );
    barrier.open('left');
    barrier.open('right');
    await rig.until(run, ({ counts, phase }) => counts.succeeded === 3 && phase === 'awaiting-approval');
    expect(await rig.open(run)).toMatchObject([{ nodes: ['node_4', 'node_5'] }]);
    expect(await say({ kind: 'approve-part', nodes: ['node_1'] })).toContain('approved already');
    expect(await say({ kind: 'approve' })).toBe('approved');
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(Object.values(rig.begun(run))).toEqual([1, 1, 1, 1, 1]);
  });
});
