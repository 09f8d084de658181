/** What a program says to a run: heard once, refused with a reason, and kept where nobody can hear it yet. */

import { describe, expect, inject, test } from 'vitest';
import { ClientError, createPlanClient, type RunHandle } from '../../src/client/index.ts';
import { createKeyPair, signMessage } from '../../src/protocol/identity/index.ts';
import { echo, ids } from '../support/capabilities.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { plansOf, sharedRig, ownRig } from '../support/rig.ts';

const rig = await sharedRig({ capabilities: [ids, echo] });
const plans = plansOf(rig);

const documentOf = (...list: string[]) => ({ goal: 'ids', plan: idsOf(...list) });

async function waiting(options: Record<string, unknown> = {}): Promise<{ run: RunHandle; digest: string }> {
  const started = await plans.start(documentOf('a'), { options });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  const { run, plan } = started;
  await rig.until(rig.client.workflow.getHandle(run.workflowId), ({ waitingFor }) => waitingFor > 0);
  return { run, digest: plan.digest };
}

async function refusalOf(said: Promise<unknown>): Promise<ClientError> {
  const error = await said.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ClientError) return error;
  throw new Error(`it was not refused: ${String(error)}`);
}

test('the same said twice is refused when something else was decided since', async () => {
  const { run, digest } = await waiting({ approval: { rules: [{ count: 2 }] }, maxRejections: 2 });
  await run.decide({ kind: 'approve', digest, by: 'operator' });
  await run.decide({ kind: 'reject', digest, by: 'reviewer' });
  const refused = await refusalOf(run.decide({ kind: 'approve', digest, by: 'operator' }));
  expect(refused).toMatchObject({ code: 'stale', refusal: 'already-decided' });
  expect((await run.decide({ kind: 'reject', digest, by: 'reviewer' })).reply).toContain('taken already');
  await run.cancel();
});

describe('an edit', () => {
  const long = documentOf(...Array.from({ length: 500 }, (_, i) => `id-${i}`));

  test.each<[string, unknown]>([
    ['parsed JSON', documentOf('b')],
    ['text', JSON.stringify(documentOf('b'))],
    ['bytes', Buffer.from(JSON.stringify(documentOf('b')))],
    ['more JSON than a message should carry', long],
    ['as much in bytes', Buffer.from(JSON.stringify(long))],
  ])('takes its plan as %s', async (_, plan) => {
    const { run, digest } = await waiting();
    expect((await run.decide({ kind: 'edit', digest, by: 'operator', plan })).reply).toContain('revision 2 is open');
    const { digest: edited } = (await run.view(['plan'])).plan;
    await run.decide({ kind: 'approve', digest: edited, by: 'operator' });
    const end = await run.end();
    expect(end).toMatchObject({ result: { outcome: 'done', digest: edited } });
    const { history } = { history: await rig.client.workflow.getHandle(run.workflowId).fetchHistory() };
    expect(Buffer.byteLength(JSON.stringify(history))).toBeLessThan(60_000);
  });

  test('that is invalid tells every issue, and the run waits', async () => {
    const { run, digest } = await waiting();
    const plan = { goal: 'g', plan: { task: 'x', capability: 'ids', input: { task: 'y', capability: 'nothing' } } };
    const refused = await refusalOf(run.decide({ kind: 'edit', digest, by: 'operator', plan }));
    expect(refused).toMatchObject({ code: 'refused', refusal: 'invalid-plan' });
    expect(refused.issues?.map(({ code }) => code)).toContain('unknown-capability');
    expect((await run.view(['status'])).status).toMatchObject({
      phase: 'awaiting-approval',
      revision: 1,
      waitingFor: 1,
    });
    await run.cancel();
  });
});

test('what nobody can hear is kept, heard once, and in the trace once', async () => {
  const { run, digest } = await waiting({ approval: { rules: [{ count: 2 }] } });
  await rig.stopWorker();
  const kept = await run.decide({ kind: 'approve', digest, by: 'operator', comment: 'in the night' });
  expect(kept).toMatchObject({ how: 'kept', reply: expect.stringContaining('the decision is kept by the server') });
  expect((await run.control({ action: 'pause', by: 'operator' })).how).toBe('kept');
  await rig.startWorker();
  const handle = rig.client.workflow.getHandle(run.workflowId);
  await rig.until(handle, ({ paused }) => paused === true);
  expect(await rig.trace(handle, 'decision')).toMatchObject([{ said: { by: 'operator', comment: 'in the night' } }]);
  expect(await rig.trace(handle, 'refused')).toEqual([]);
  await run.cancel();
});

test.each([0, 2, 10, 40, 160])(
  'an update whose sender leaves after %i ms counts once, and is answered when it comes again',
  async (ms) => {
    const { run, digest } = await waiting();
    const handle = rig.client.workflow.getHandle(run.workflowId);
    const edit = { kind: 'edit', digest, by: 'operator', plan: documentOf('b') };
    const send = () => handle.executeUpdate('decide', { args: [edit], updateId: 'once' });
    await rig.client.connection.withAbortSignal(AbortSignal.timeout(ms), send).catch(() => undefined);
    expect(await send()).toMatchObject({ ok: true, reply: expect.stringContaining('revision 2 is open') });
    expect(await rig.trace(handle, 'decision')).toHaveLength(1);
    await run.cancel();
  },
);

test('an update that comes late, behind its signal and what took that back, is answered and approves nothing', async () => {
  const { run, digest } = await waiting();
  const handle = rig.client.workflow.getHandle(run.workflowId);
  const pause = { action: 'pause', by: 'operator' } as const;
  // Nothing begins, so that there is something to withdraw.
  await run.control(pause);
  const payload = { kind: 'approve', digest, by: 'operator' };
  await handle.signal<[unknown, string]>('decide', payload, 'once');
  await run.decide({ kind: 'withdraw', digest, by: 'operator' });
  const late = { args: [payload] as [unknown], updateId: 'once' };
  expect(await handle.executeUpdate('decide', late)).toMatchObject({ reply: 'approved' });
  // A second argument that is no id changes nothing.
  for (const id of ['', 'x'.repeat(201), 7, null, { update: 'once' }])
    await handle.signal<[unknown, unknown]>('control', pause, id);
  expect((await run.view(['status'])).status).toMatchObject({ phase: 'awaiting-approval', waitingFor: 1 });
  expect(await rig.trace(handle, 'decision')).toHaveLength(2);
  expect(await rig.trace(handle, 'refused')).toEqual([]);
  await run.cancel();
});

test('questions and trace come in pages without a gap', async () => {
  const steps = Array.from({ length: 130 }, (_, i) => ({
    step_id: i + 1,
    capability: 'ask',
    arguments: { question: `question ${i}?` },
    description: `ask ${i}`,
  }));
  const started = await plans.start({ goal: 'ask', steps }, { options: { approval: 'effects' } });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  const { run } = started;
  await rig.until(rig.client.workflow.getHandle(run.workflowId), ({ waitingFor }) => waitingFor === 130);
  const { open: items, trace } = await run.view(['open', 'trace']);
  const open = items.map(({ id }) => id);
  expect(new Set(open).size).toBe(130);
  expect(open).toHaveLength(130);
  expect(trace.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 131 }, (_, i) => i + 1));
  const rest = await run.view(['trace'], { after: 129 });
  expect(rest.trace.entries.map(({ seq }) => seq)).toEqual([130, 131]);
  await run.cancel();
});

test('with a signer a message is its token and nothing else', async () => {
  const { privateKey, publicKey } = createKeyPair();
  const signedRig = await ownRig({ capabilities: [ids], identity: { keys: { ops: { publicKey } } } });
  const { client, store, taskQueue } = signedRig;
  const said: unknown[] = [];
  let token = '';
  const signed = createPlanClient({
    client,
    address: inject('address'),
    namespace: 'default',
    store,
    taskQueue,
    signer: async (message, workflowId, _, firstRunId = '') => {
      said.push({ message, workflowId });
      const { by, ...rest } = message;
      token = await signMessage({ key: privateKey, by, workflowId, firstRunId, message: { ...rest } });
      return token;
    },
  });
  const { run, digest } = await signedRig.startAsked(planOf(idsOf('a')));
  expect(digest).toHaveLength(64);
  const { workflowId } = run;
  await signed.run(workflowId).decide({ kind: 'approve', digest, by: 'operator' });
  expect(said).toEqual([{ message: { kind: 'approve', digest, by: 'operator' }, workflowId }]);
  await run.result();
  const { events } = await run.fetchHistory();
  const sent = events?.find(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => accepted != null);
  const payload =
    sent?.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.args?.payloads?.[0]?.data;
  expect(JSON.parse(Buffer.from(payload ?? []).toString('utf8'))).toEqual({ token });
});
