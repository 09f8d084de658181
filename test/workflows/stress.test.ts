/** What people and programs do to a run on purpose, by mistake or at the wrong moment. */

import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineCapability } from '../../src/capabilities/index.ts';
import { createKeyPair, signMessage } from '../../src/protocol/identity/index.ts';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { chainOf } from '../support/chain-of.ts';
import { openRig, type Rig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const order: string[] = [];
/** A write that begins, waits for the test, and ends. */
const slow = defineCapability({
  name: 'slow',
  description: 'Writes slowly.',
  input: z.object({ at: z.string() }),
  output: 'text',
  effect: 'idempotent',
  async execute(given) {
    order.push(`begin ${given.arguments.at}`);
    await barrier.wait(given.arguments.at, given.signal);
    order.push(`end ${given.arguments.at}`);
    return given.arguments.at;
  },
});
const keys = createKeyPair();

let rig: Rig;
let signed: Rig;
beforeAll(async () => {
  rig = await openRig({ capabilities: [ids, slow, waits(barrier), writes('fire', 'at-most-once', written)] });
  signed = await openRig({ capabilities: [ids], identity: { keys: { desk: { publicKey: keys.publicKey } } } });
});
afterAll(async () => {
  await rig.close();
  await signed.close();
});

const steps = (...list: readonly [string, object][]) => ({
  plan: {
    goal: 'Write in order',
    steps: list.map(([capability, args], i) => ({ step_id: i + 1, capability, arguments: args, description: `${i}` })),
  },
});
const control = (run: WorkflowHandle, action: string, node: string, over: object = {}) =>
  rig.say(run, 'control', { action, node, by: 'operator', ...over });
const MEGABYTE = 'x'.repeat(1_000_000);

describe('a message as large as the server takes', () => {
  test.each<[string, string, object]>([
    ['a token', 'decide', { token: MEGABYTE + MEGABYTE.slice(0, 990_000) }],
    ['an answer', 'answer', { question: 'Q', value: MEGABYTE + MEGABYTE.slice(0, 990_000), by: 'operator' }],
    [
      'an edit',
      'decide',
      { kind: 'edit', digest: 'D', by: 'operator', plan: { ...idsOf('a'), hint: MEGABYTE + MEGABYTE } },
    ],
  ])('%s is refused, and the run goes on', async (_, name, message) => {
    const run = await rig.start(planOf(task('ask', { question: 'Go?' })));
    const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
    await rig.say(run, 'decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_1'] });
    const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
    const text = JSON.stringify(message).replace('"Q"', JSON.stringify(id)).replace('"D"', JSON.stringify(digest));
    await run.signal(name, JSON.parse(text.slice(0)) as object).catch(() => undefined);
    await run.signal('answer', { question: id, value: 'go', by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });

  test('beside a large context: an edit says what to do', async () => {
    const plan = {
      plan: { goal: 'g', steps: [{ step_id: 1, ...idsOf('a'), type: undefined, task: undefined, description: 'a' }] },
    };
    const run = await rig.start({ ...plan, options: { context: { big: MEGABYTE } } });
    const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
    const edit = { kind: 'edit', digest, by: 'operator', plan: { goal: 'g', plan: { ...idsOf('b'), hint: MEGABYTE } } };
    await run.signal('decide', edit);
    // An approval that is heard first would make it stale.
    let refused = await rig.trace(run, 'refused');
    while (refused.length === 0) refused = await rig.trace(run, 'refused');
    expect(refused[0]?.text).toContain('send its reference ("ref")');
    await rig.approve(run);
    await run.result();
  });
});

test('a write that is skipped ahead of its turn keeps the order of the writes around it', async () => {
  order.length = 0;
  const plan = steps(['slow', { at: 'w1' }], ['slow', { at: 'w2' }], ['slow', { at: 'w3' }]);
  const run = await rig.start({ ...plan, options: { onFailure: 'partial' } });
  await rig.opened(run, ({ kind }) => kind === 'approval');
  await control(run, 'skip-node', 'node_2');
  await rig.approve(run);
  await barrier.reached('w1');
  expect(order).toEqual(['begin w1']);
  barrier.open('w1');
  barrier.open('w3');
  await run.result();
  expect(order).toEqual(['begin w1', 'end w1', 'begin w3', 'end w3']);
});

test('an edit does not repeat an effect that a person said had failed', async () => {
  written.length = 0;
  const of = (other: string) =>
    combine(
      'UNION',
      task('ids', { ids: ['a'] }, { input: task('fire', { value: 'x', mode: 'breaks' }) }),
      idsOf(other),
    );
  const run = await rig.start(planOf(of('b'), { onFailure: 'partial' }));
  const { digest } = await rig.opened(run, () => true);
  await rig.say(run, 'decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_1'] });
  await rig.opened(run, ({ kind }) => kind === 'uncertain');
  await control(run, 'resolve', 'node_1', { outcome: 'failed' });
  expect(await rig.say(run, 'decide', { kind: 'edit', digest, by: 'reviewer', plan: of('c') })).toContain('revision 2');
  await rig.approve(run);
  expect(await run.result()).toMatchObject({ outcome: 'partial' });
  expect(written).toHaveLength(1);
});

test('a write of the edited plan waits for the write that it takes the place of', async () => {
  order.length = 0;
  const run = await rig.start(steps(['slow', { at: 'old' }], ['ids', { ids: ['a'] }]));
  const { digest } = await rig.opened(run, () => true);
  await rig.say(run, 'decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_1'] });
  await barrier.reached('old');
  const edited = steps(['slow', { at: 'new' }], ['ids', { ids: ['a'] }]).plan;
  await rig.say(run, 'decide', { kind: 'edit', digest, by: 'operator', plan: edited });
  barrier.open('new');
  await rig.approve(run);
  await rig.until(run, ({ counts }) => counts.succeeded === 1);
  expect(order).toEqual(['begin old']);
  barrier.open('old');
  await run.result();
  expect(order).toEqual(['begin old', 'end old', 'begin new', 'end new']);
});

test('an effect whose rules want two people asks them again before a person has it repeated; a stranger may not', async () => {
  written.length = 0;
  const approval = { rules: [{ capability: 'fire', roles: ['operator', 'safety'], count: 2 }] };
  const run = await rig.start({
    ...steps(['fire', { value: 'x', mode: 'breaks' }]),
    options: { approval, onFailure: 'partial' },
  });
  const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
  const approve = (by: string, role: string) => rig.say(run, 'decide', { kind: 'approve', digest, by, role });
  await approve('operator', 'operator');
  await approve('chen', 'safety');
  const item = await rig.opened(run, ({ kind }) => kind === 'uncertain');
  expect(item).toMatchObject({ roles: ['operator', 'safety'], send: { input: { outcome: 'OUTCOME' } } });
  expect(await control(run, 'retry-node', 'node_1')).toContain('is for the role operator or safety');
  expect(await control(run, 'retry-node', 'node_1', { role: 'operator' })).toContain('once it is approved again');
  await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(written).toHaveLength(1);
  await approve('operator', 'operator');
  await approve('chen', 'safety');
  await rig.opened(run, ({ kind }) => kind === 'uncertain');
  expect(written).toHaveLength(2);
  await control(run, 'resolve', 'node_1', { outcome: 'failed', role: 'safety' });
  await run.result();
});

describe('signed messages', () => {
  const sign = async ({ workflowId }: WorkflowHandle, message: object, by = 'operator') => {
    const chain = await chainOf(signed.client, workflowId);
    return signMessage({ key: keys.privateKey, by, workflowId, chain, message: message as Record<string, unknown> });
  };

  test('of an earlier run of the same id approve nothing in a later one', async () => {
    const id = `${signed.taskQueue}-again`;
    const first = await signed.start(planOf(idsOf('a')), id);
    const { digest } = await signed.opened(first, () => true);
    const long = await signMessage({
      key: keys.privateKey,
      by: 'operator',
      workflowId: id,
      chain: await chainOf(signed.client, id),
      message: { kind: 'approve', digest },
      lifeSeconds: 3600,
      now: new Date(Date.now() - 120_000),
    });
    expect(await signed.say(first, 'decide', { token: long })).toContain('before this run began');
    await signed.say(first, 'decide', { token: await sign(first, { kind: 'reject', digest }) });
    expect(await first.result()).toMatchObject({ outcome: 'rejected' });
  });

  test('that are none cost no activity, and a hundred of them hold up nobody', async () => {
    const run = await signed.start(planOf(idsOf('a')));
    const { digest } = await signed.opened(run, () => true);
    await Promise.all(Array.from({ length: 100 }, (_, i) => run.signal('decide', { token: `x${i}` })));
    await run.signal('decide', { token: await sign(run, { kind: 'approve', digest }) });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    const { events } = await run.fetchHistory();
    const names = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(new Set(names.filter((name) => name != null && name !== 'compilePlan'))).toEqual(new Set(['runTask']));
  });
});
