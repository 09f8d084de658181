/** Encryption on a server: nothing that is said stands there in clear, and a key that is missing loses nothing and stops nothing. */

import { randomBytes } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { draftCapabilities } from '../../src/capabilities/builtin/index.ts';
import { createDrafts, type Drafts } from '../../src/capabilities/builtin/drafts/index.ts';
import { startOnce, type Session } from '../../src/config/project/index.ts';
import { createPlanClient } from '../../src/client/index.ts';
import { encryptionCodec, type EncryptionKeys } from '../../src/protocol/encryption/index.ts';
import { plansOf, within } from '../mcp/hosts.ts';
import { createBarrier, ids, tool } from '../support/capabilities.ts';
import { foundBelow, foundInDatabase } from '../support/found-in-clear.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { openRig, type Rig, ownRig, sharedRig } from '../support/rig.ts';

const SECRET = `secret${randomBytes(9).toString('hex')}`;
const of = (what: string) => `${SECRET} ${what}`;
const key = () => randomBytes(32).toString('base64');
const first = key();
const KEYS: EncryptionKeys = { keys: { first }, current: 'first' };
const KEYLESS = { payloadCodecs: [encryptionCodec()] };
const barrier = createBarrier();

const says = tool(
  { name: 'says', resource: ({ word }) => `${word.split(' ')[0]}-device`, retry: { attempts: 2, initialMs: 10 } },
  'idempotent',
  'text',
  z.object({ word: z.string() }),
  async ({ arguments: { word }, heartbeat, signal }) => {
    heartbeat({ heard: word });
    const { attempt } = Context.current().info;
    await barrier.wait(`attempt ${attempt}`, signal);
    if (attempt > 1) return of('in a result');
    const cause = new Error(of('in its cause'));
    throw Object.assign(new Error(of('in a failure'), { cause }), { name: of('in a name') });
  },
);
const breaks = tool('breaks', 'read', 'text', z.object({ word: z.string() }), (given) => {
  throw new CapabilityError('CRITICAL', given.arguments.word);
});

const unknown = { keys: { unknown: key() }, current: 'unknown' };
const other = { keys: { other: key() }, current: 'other' };

/** A client that encrypts with other keys than the rig's. */
const strange = (keys: EncryptionKeys) =>
  new Client({ connection: rig.connection, dataConverter: { payloadCodecs: [encryptionCodec(keys)] } });

const plansOfRig = () =>
  createPlanClient({ client: rig.client, store: rig.store, taskQueue: rig.taskQueue, catalogue: rig.registry });
/** The capabilities exist before the rig whose store and server they use. */
const conversing = draftCapabilities({
  drafts: new Proxy({} as Drafts, { get: (_, name) => drafts[name as keyof Drafts] }),
  startRun: (...start) => startOnce({ plans: plansOfRig() } as Session)(...start),
});
const rig: Rig = await sharedRig({ capabilities: [ids, says, breaks, ...conversing], encryption: KEYS });
const drafts: Drafts = createDrafts(rig.store, { catalogue: rig.registry });

test('the search finds what is not encrypted', async () => {
  const plain = await ownRig({ capabilities: [ids] });
  const word = `clear${randomBytes(9).toString('hex')}`;
  const run = await plain.start(planOf(idsOf(word)));
  await run.signal('reject', { digest: (await plain.opened(run, () => true)).digest, by: word });
  await run.result();
  expect(await foundInDatabase(inject('databaseFile'), word)).not.toEqual([]);
  expect(await foundBelow(plain.store.place, word)).not.toEqual([]);
});

test('with keys, no text of a plan, a message, a result or a failure stands in the database or the store in clear, and each is read', async () => {
  const store = rig.store;
  const plans = plansOfRig();
  const plan = combine(
    'UNION',
    { ...idsOf(of('id')), hint: of('hint'), context: { deep: [of('context')] }, display_name: of('title') },
    task('ids', { ids: ['z'] }, { input: task('says', { word: of('argument') }) }),
  );
  const goal = of('goal');
  const started = await plans.start({ goal, plan }, { options: { context: { [of('key')]: of('external') } } });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  const { run } = started;
  expect(run.workflowId).toMatch(/^plan-[0-9a-f]{8}$/);
  const { digest } = started.plan;
  await run
    .decide({ kind: 'reject', digest: '0'.repeat(64), by: of('by'), comment: of('stale') })
    .catch(() => undefined);
  await run.control({ action: 'pause', by: of('by'), comment: of('pausing') });
  await run.control({ action: 'resume', by: of('by') });
  await run.decide({ kind: 'approve', digest, by: of('by'), comment: of('comment') });
  await barrier.reached('attempt 1');
  const handle = rig.client.workflow.getHandle(run.workflowId);
  // A heartbeat travels by itself; the worker beats every 3 s.
  await expect.poll(async () => (await run.view(['attempts'])).attempts[0]).toMatchObject({ id: 'node_2' });
  barrier.open('attempt 1');
  await barrier.reached('attempt 2');
  const attempts = (await run.view(['attempts'])).attempts;
  expect(attempts).toMatchObject([{ id: 'node_2', attempt: 2, of: 2, lastFailure: of('in a failure') }]);
  expect(await foundInDatabase(inject('databaseFile'), SECRET)).toEqual([]);
  const described = await handle.describe();
  expect(await described.staticSummary()).toBe(of('goal'));
  expect(await described.staticDetails()).toContain(SECRET);
  expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: expect.stringContaining(SECRET) as string,
  });
  barrier.open('attempt 2');
  expect(await run.end()).toMatchObject({ how: 'completed' });
  expect((await run.view(['begun'])).begun.nodes).toContainEqual(
    expect.objectContaining({ id: 'node_2', attempt: 2, before: of('in a failure') }),
  );

  const steps = [
    { step_id: 1, capability: 'ask', arguments: { question: of('?'), roles: [of('role')] }, description: of('asks') },
    { step_id: 2, capability: 'breaks', arguments: { word: of('broke') }, description: of('breaks') },
  ];
  const failing = await plans.start({ goal, steps });
  if (!failing.ok) throw new Error(JSON.stringify(failing.issues));
  await failing.run.decide({ kind: 'approve', digest: failing.plan.digest, by: of('by') });
  const question = await rig.opened(
    rig.client.workflow.getHandle(failing.run.workflowId),
    ({ kind }) => kind === 'question',
  );
  await failing.run.answer({ question: question.id, value: of('answer'), by: of('by'), role: of('role') });
  expect(await failing.run.end()).toMatchObject({
    how: 'failed',
    message: expect.stringContaining(SECRET) as string,
  });
  expect(await foundInDatabase(inject('databaseFile'), SECRET)).toEqual([]);
  expect(await foundBelow(store.place, SECRET)).toEqual([]);
  expect(JSON.stringify(await rig.trace(handle))).toContain(of('comment'));
});

test('no way of starting a run puts words of its goal into an id', async () => {
  const document = { goal: of('goal'), plan: idsOf(of('id')) };
  const conversation = { conversation_id: 'secrets' };
  const talk = { ...conversation, delegation_goal: document.goal, delegation_plan: document.plan };
  await rig.run(planOf(task('saveDraft', talk)));
  await rig.run(planOf(task('requestBuild', conversation)));
  await rig.run(planOf(task('delegate', document)));
  const hosted = await within(plansOf(rig), {}, async (host) => {
    const { workflowId } = (await host.call('run_plan', document)).json as { readonly workflowId: string };
    expect(await host.call('wait_plan', { workflowId, waitMs: 0 })).toMatchObject({ isError: false });
    return workflowId;
  });
  expect(hosted).toMatch(/^plan-[0-9a-f]{32}$/);
  // Whoever has no key can still list the runs.
  const { memo } = await strange(unknown).workflow.getHandle(hosted).describe();
  expect(memo).toEqual({ startedThrough: 'mcp' });
  expect(await foundInDatabase(inject('databaseFile'), SECRET)).toEqual([]);
});

describe('a message whose key is not here', () => {
  test('a signal is kept with its reason, and the run goes on', async () => {
    const run = await rig.start(planOf(idsOf('a')));
    const stranger = strange(unknown).workflow.getHandle(run.workflowId);
    await stranger.signal('approve', { digest: (await rig.opened(run, () => true)).digest, by: 'stranger' });
    await expect.poll(() => rig.trace(run, 'refused')).toHaveLength(1);
    await stranger.signal('nonsense', {});
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(await rig.trace(run, 'refused')).toMatchObject([
      { text: expect.stringContaining('it is encrypted with key "unknown", which is not here') as string },
      { text: expect.stringContaining('nonsense') as string },
    ]);
  });

  test('an update is refused at once, a query is not answered', async () => {
    const { run, digest } = await rig.startAsked(planOf(idsOf('a')));
    const stranger = strange({ keys: { first, ...unknown.keys }, current: 'unknown' }).workflow.getHandle(
      run.workflowId,
    );
    await expect(
      stranger.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'stranger' }] }),
    ).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringContaining('with key "unknown"') as string },
    });
    expect(await rig.until(run, () => true)).toMatchObject({ phase: 'awaiting-approval' });
    await rig.approve(run);
    await run.result();
  });

  test('a start input fails as InvalidInput, which names the key', async () => {
    const both = strange({ keys: { first, ...unknown.keys }, current: 'unknown' });
    const workflowId = `${rig.taskQueue}-sealed`;
    await both.workflow.start('planWorkflow', { taskQueue: rig.taskQueue, workflowId, args: [planOf(idsOf('a'))] });
    await expect(both.workflow.getHandle(workflowId).result()).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringContaining('with key "unknown"') as string },
    });
  });

  test('a client without the key is told which, and nothing that it says is sent', async () => {
    const { run, digest } = await rig.startAsked(planOf(idsOf('a')));
    for (const client of [strange(unknown), new Client({ connection: rig.connection, dataConverter: KEYLESS })]) {
      const plans = createPlanClient({ client, store: rig.store, taskQueue: rig.taskQueue });
      const seen = plans.run(run.workflowId);
      await expect(seen.view(['status'])).rejects.toMatchObject({
        name: 'EncryptionError',
        message: expect.stringContaining('key "first", which is not here') as string,
      });
    }
    const keyless = createPlanClient({
      client: new Client({ connection: rig.connection, dataConverter: KEYLESS }),
      store: rig.store,
    });
    await expect(keyless.run(run.workflowId).decide({ kind: 'approve', digest, by: 'operator' })).rejects.toMatchObject(
      { code: 'no-key' },
    );
    expect(await rig.until(run, () => true)).toMatchObject({ phase: 'awaiting-approval' });
    await rig.approve(run);
    await run.result();
  });
});

describe('keys that come and go', () => {
  test('a key that comes later changes nothing of what the run has heard', async () => {
    const late = await openRig({ capabilities: [ids], encryption: KEYS });
    const { run, digest } = await late.startAsked(planOf(idsOf('a')));
    await strange(other).workflow.getHandle(run.workflowId).signal('reject', { digest, by: 'reviewer' });
    await expect.poll(() => late.trace(run, 'refused')).toHaveLength(1);
    await late.stopWorker();
    const both = { keys: { first, ...other.keys }, current: 'other' };
    await late.startWorker(late.registry, undefined, { encryption: both });
    // It replays the signal, which it can read; with what it writes the rig's client needs the other key too.
    const client = strange(both);
    const seen = client.workflow.getHandle(run.workflowId);
    expect(await seen.query('status')).toMatchObject({ phase: 'awaiting-approval' });
    await seen.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'operator' }] });
    expect(await seen.result()).toMatchObject({ outcome: 'done' });
    await late.close(both);
  });

  test('a key that is taken away stops the run where it is, and the run goes on when it is back', async () => {
    const rotated = await openRig({ capabilities: [ids], encryption: KEYS });
    const { run, digest } = await rotated.startAsked(planOf(idsOf('a')));
    await run.signal('reject', { digest: '0'.repeat(64), by: 'reviewer' });
    await expect.poll(() => rotated.trace(run, 'refused')).toHaveLength(1);
    await rotated.stopWorker();
    await rotated.startWorker(rotated.registry, undefined, { encryption: other });
    const seen = strange({ keys: { first, ...other.keys }, current: 'other' }).workflow.getHandle(run.workflowId);
    await expect(seen.query('status')).rejects.toThrow('this worker lacks the key of the input of this run');
    await rotated.stopWorker();
    const both = { keys: { ...other.keys, first }, current: 'other' };
    await rotated.startWorker(rotated.registry, undefined, { encryption: both });
    await seen.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'operator' }] });
    expect(await seen.result()).toMatchObject({ outcome: 'done' });
    await rotated.close(both);
  });

  test('so does a run of which another worker has told something that this one cannot read', async () => {
    const both = { keys: { ...other.keys, first }, current: 'other' };
    const mixed = await openRig({ capabilities: [ids], encryption: KEYS });
    await mixed.stopWorker();
    await mixed.startWorker(mixed.registry, undefined, { encryption: both });
    // It begins with the rig's key, and its worker answers with the other one.
    const run = await mixed.start(planOf(idsOf('a')));
    const seen = strange(both).workflow.getHandle(run.workflowId);
    await expect.poll(() => seen.query('status')).toMatchObject({ phase: 'awaiting-approval' });
    const { digest } = await seen.query<{ digest: string }>('plan');
    await mixed.stopWorker();
    await mixed.startWorker();
    await expect(run.query('status')).rejects.toThrow('this worker lacks the key of what another worker has told');
    await mixed.stopWorker();
    await mixed.startWorker(mixed.registry, undefined, { encryption: both });
    await seen.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'operator' }] });
    expect(await seen.result()).toMatchObject({ outcome: 'done' });
    await mixed.close(both);
  });
});
