import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { openRig, type Rig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
let rig: Rig;
beforeAll(async () => {
  rig = await openRig({
    capabilities: [ids, waits(barrier), writes('set', 'idempotent', written), writes('fire', 'at-most-once', written)],
  });
});
afterAll(() => rig.close());

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

describe('rules', () => {
  test('let reads run at once while writes wait, each for its own people', async () => {
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

  test.each([
    ['an empty list', { rules: [] }, 'expected 1 to 100 rules'],
    ['a role list without a role', { rules: [{ roles: [] }] }, '$.options.approval.rules[0].roles'],
    ['a count of nobody', { rules: [{ count: 0 }] }, '$.options.approval.rules[0].count'],
    ['an unknown key', { rules: [{ role: 'operator' }] }, 'unknown key \\"role\\"'],
  ])('with %s start no run', async (_, approval, message) => {
    const run = await rig.start(planOf(idsOf('a'), { approval }));
    const { cause } = (await run.result().catch((error: unknown) => error)) as { cause: Error & { type: string } };
    expect(cause.type).toBe('InvalidInput');
    expect(JSON.stringify(cause.message)).toContain(message);
  });

  test('that name a capability which does not exist start no run', async () => {
    const run = await rig.start(planOf(idsOf('a'), { approval: { rules: [{ capability: 'fires' }] } }));
    await expect(run.result()).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
  });

  test('of the project hold whatever the run asks for', async () => {
    const strict = await openRig({ capabilities: [ids], rules: [{ roles: ['safety'] }] });
    try {
      const run = await strict.start(planOf(idsOf('a'), { approval: 'effects' }));
      const { digest } = await strict.opened(run, ({ kind }) => kind === 'approval');
      expect(await strict.say(run, 'decide', { kind: 'approve', digest, by: 'operator' })).toContain('the role safety');
      await strict.say(run, 'decide', { kind: 'approve', digest, by: 'operator', role: 'safety' });
      expect(await run.result()).toMatchObject({ outcome: 'done' });
    } finally {
      await strict.close();
    }
  });
});

describe('a part', () => {
  const plan = combine('UNION', task('waits', { at: 'left' }), task('waits', { at: 'right' }));

  test('runs with what it depends on, then the gate waits for the rest', async () => {
    const run = await rig.start(planOf(combine('UNION', plan, idsOf('z'))));
    const { digest } = await rig.opened(run, () => true);
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

  test('that ran is not lost when the rest is rejected or expires', async () => {
    const both = () => combine('UNION', idsOf('a'), idsOf('b'));
    for (const outcome of ['rejected', 'expired']) {
      const run = await rig.start(planOf(both(), outcome === 'expired' ? { approvalDeadline: '5s' } : {}));
      const { digest } = await rig.opened(run, () => true);
      await rig.say(run, 'decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_1'] });
      await rig.until(run, ({ counts }) => counts.succeeded === 1);
      if (outcome === 'rejected') await rig.say(run, 'decide', { kind: 'reject', digest, by: 'reviewer' });
      const result = await run.result();
      expect(result).toMatchObject({
        outcome,
        results: { node_1: { count: 1 } },
        missing: [{ id: 'node_2', status: 'cancelled' }, { id: 'node_3' }],
      });
    }
  });
});

test('an approval that is taken back stops what has not started', async () => {
  const plan = combine('UNION', task('waits', { at: 'back' }), idsOf('b'));
  const run = await rig.start(planOf(plan, { concurrency: 1, lane: 'visible' }));
  const { digest } = await rig.opened(run, () => true);
  const say = (kind: string, by = 'operator') => rig.say(run, 'decide', { kind, digest, by });
  expect(await say('withdraw')).toContain('operator has approved nothing');
  await say('approve');
  await barrier.reached('back');
  expect(await say('withdraw', 'reviewer')).toContain('reviewer has approved nothing');
  expect(await say('withdraw')).toBe('taken back; still to be approved: 3 of its nodes');
  barrier.open('back');
  await rig.until(run, ({ counts, phase }) => counts.succeeded === 1 && phase === 'awaiting-approval');
  expect(rig.begun(run)).toEqual({ node_1: 1 });
  await say('approve', 'reviewer');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect((await rig.trace(run, 'decision')).map(({ said }) => [said?.kind, said?.by])).toEqual([
    ['approve', 'operator'],
    ['withdraw', 'operator'],
    ['approve', 'reviewer'],
  ]);
});

test('the gate never opens by being refused often: rejections end the run at their limit', async () => {
  const run = await rig.start(planOf(idsOf('a'), { maxRejections: 2 }));
  const { digest } = await rig.opened(run, () => true);
  const say = (kind: string, over: object = {}) => rig.say(run, 'decide', { kind, digest, by: 'operator', ...over });
  expect(await say('reject')).toBe('rejected; the plan waits for an edit');
  expect(await say('approve')).toContain('already rejected this plan; only an edit or a revision opens it again');
  await say('edit', { plan: idsOf('b') });
  const edited = await rig.opened(run, ({ revision }) => revision === 2);
  expect(await rig.say(run, 'decide', { kind: 'reject', digest: edited.digest, by: 'operator' })).toBe('rejected');
  expect(await run.result()).toMatchObject({ outcome: 'rejected', revision: 2 });
  expect(rig.begun(run)).toEqual({});
});

test('a plan is revised by nobody where there is no planner, and says so', async () => {
  const run = await rig.start(planOf(idsOf('a')));
  const { digest } = await rig.opened(run, () => true);
  expect(await rig.say(run, 'decide', { kind: 'revise', digest, by: 'operator', feedback: 'fewer' })).toContain(
    'this worker has no planner',
  );
  await rig.say(run, 'decide', { kind: 'reject', digest, by: 'operator' });
});

test('500 decisions in one run: each is answered, the right one counts, all are kept', async () => {
  const run = await rig.start(planOf(idsOf('a'), { approval: { rules: [{ count: 100 }] } }));
  const { digest } = await rig.opened(run, () => true);
  for (let i = 0; i < 100; i++) {
    await Promise.all([
      run.signal('approve', { digest: 'ffffffff', by: `p${i}` }),
      run.signal('approve', 'yes'),
      run.signal('approve', { digest, by: `p${i}` }),
      run.signal('approve', { digest, by: `P${i}` }),
      run.signal('reject', { digest, revision: 7, by: `p${i}` }),
    ]);
  }
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  const taken = await rig.trace(run, 'decision');
  expect(new Set(taken.map(({ said }) => String(said?.['by']).toLowerCase())).size).toBe(100);
  expect(rig.begun(run)).toEqual({ node_1: 1 });
}, 60_000);
