/** Where a project has keys, no effect above read begins that nobody signed: not even when a history says otherwise. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { MAX_REPETITIONS, type ApprovalRule, type CompileReply, type RunResult } from '../../src/protocol/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { runScope } from '../../src/store/index.ts';
import { createBarrier, ids, waits, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { chainOf, signedTo } from '../support/chain-of.ts';
import { sharedRig } from '../support/rig.ts';
import { asStranger, requestOf, FALSE_RUN } from '../support/stranger.ts';

const barrier = createBarrier();
const written: string[] = [];
let broken = false;
const fire = tool(
  'fire',
  'at-most-once',
  'set',
  z.object({ name: z.string() }),
  ({ arguments: { name }, idempotencyKey }) => {
    written.push(`${name} ${idempotencyKey.split('/').at(-1)}`);
    if (broken) throw new CapabilityError('CRITICAL', 'the line went dead');
    return createSet([{ id: name }]);
  },
);
const operator = createKeyPair();
const deputy = createKeyPair();
const rig = await sharedRig({
  capabilities: [ids, waits(barrier), fire],
  identity: {
    keys: {
      operator: { publicKey: operator.publicKey, subject: 'operator' },
      deputy: { publicKey: deputy.publicKey, subject: 'deputy' },
    },
  },
  concurrentNodes: 1,
});

const signed = (run: WorkflowHandle, message: object) =>
  signedTo(run, operator.privateKey, message, { kid: 'operator' });
const say = async (run: WorkflowHandle, name: 'decide' | 'control', message: object) =>
  rig.say(run, name, { token: await signed(run, message) });
const plan = (name: string, options: object = {}) =>
  planOf(combine('UNION', task('fire', { name }), idsOf('a')), options);

test('a signed approval lets it begin, also a part, also after an edit, and a signed repetition lets it begin again', async () => {
  const { run, digest } = await rig.startAsked(plan('edited', { approval: 'effects', onFailure: 'ask' }));
  expect(await say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest: digest.slice(0, 8) })).toContain(
    'all 64 hex digits are expected',
  );
  const added = { plan: combine('UNION', task('fire', { name: 'edited' }), task('fire', { name: 'new' })) };
  broken = true;
  const { run: failing, digest: of } = await rig.startAsked(plan('again', { approval: 'effects', onFailure: 'ask' }));
  await say(failing, 'decide', { kind: 'approve', digest: of });
  await rig.until(failing, ({ counts }) => counts.uncertain === 1);
  broken = false;
  expect(
    await say(failing, 'control', { action: 'retry-node', node: 'node_1', comment: 'the valve is shut', digest: of }),
  ).toContain('it runs again');
  expect(await failing.result()).toMatchObject({ outcome: 'done' });
  expect(written).toEqual(['again 0.0.0', 'again 0.0.1']);

  expect(await say(run, 'decide', { kind: 'edit', digest, ...added })).toContain('revision 2 is open');
  const { digest: edited } = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(await say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest: edited })).toContain('approved');
  await rig.until(run, ({ counts }) => counts.succeeded === 1);
  const last = { plan: combine('UNION', task('fire', { name: 'edited' }), task('fire', { name: 'newer' })) };
  expect(await say(run, 'decide', { kind: 'edit', digest: edited, ...last })).toContain('revision 3 is open');
  const { digest: newest } = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(await say(run, 'decide', { kind: 'approve', digest: newest })).toBe('approved');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(written.slice(2).toSorted()).toEqual(['edited 0.0.0', 'newer 0.0.0']);
});

test('what somebody else completed in the name of a worker lets nothing begin', async () => {
  const { run: model } = await rig.startAsked(plan('forged'));
  const before = written.length;
  const blocker = await rig.startAsked(planOf(task('waits', { at: 'place' })));
  await say(blocker.run, 'decide', { kind: 'approve', digest: blocker.digest });
  await barrier.reached('place');
  const forged = await rig.start(plan('forged'));
  // Who may call the server completes the compilation in the name of a worker: a project without keys.
  const reply = { ...(await compiledIn(model)), project: { inbox: false } };
  // Who may write to the store, too, gives the run a plan that it has not compiled.
  const [from, to] = await Promise.all([model, forged].map(scopeOf));
  for await (const { key } of rig.store.list(`${from}/`))
    await rig.store.put(key.replace(from!, to!), (await rig.store.get(key))!);
  await completeInItsName(forged, reply);
  const { digest } = await rig.opened(forged, () => true);
  expect(await rig.say(forged, 'decide', { kind: 'approve', digest, by: 'anybody' })).toBe('approved');
  barrier.open('place');
  await blocker.run.result();
  const end = await forged.result().then(
    (result: RunResult) => result,
    (error: { cause?: { details?: unknown } }) => error.cause,
  );
  expect(end).toMatchObject({
    type: 'PlanFailed',
    details: [{ nodes: [{ status: 'failed', failure: { type: 'NotApproved' } }, { status: 'skipped' }] }],
  });
  expect(written).toHaveLength(before);
  await model.terminate();
});

/** A stranger's workflow has seen every signed message of a run, and has its effect carried out on the project's own workers. */
test('an effect happens as often as it was signed for, whatever number a false run sends for its repetitions', async () => {
  const input = planOf(task('fire', { name: 'valve' }), { onFailure: 'ask' });
  const { run, digest } = await rig.startAsked(input);
  const source = { document: { goal: input.goal, plan: input.plan } };
  const valves = () => written.filter((one) => one.startsWith('valve'));
  const approval = await signed(run, { kind: 'approve', digest });
  broken = true;
  await rig.say(run, 'decide', { token: approval });
  await rig.until(run, ({ counts }) => counts.uncertain === 1);
  broken = false;
  const repetition = await signed(run, { action: 'retry-node', node: 'node_1', comment: 'the valve is shut', digest });
  await rig.say(run, 'control', { token: repetition });
  await run.result();
  expect(valves()).toEqual(['valve 0.0.0', 'valve 0.0.1']);

  const { retry: _, firstRunId, ...request } = await requestOf(run);
  const numbers = [-1, '0x0', '1', [], [1], 0.5, 1e9, null, true, MAX_REPETITIONS + 1];
  const odd = [...numbers.map((retry) => ({ ...request, retry })), { ...request, retry: 1, work: '7' }];
  const lies = [0, 1, 2, MAX_REPETITIONS].map((retry) => ({ ...request, retry }));
  // It has a chain of its own, and names that of the run where it lies.
  const requests = [...odd, request, ...lies, { ...request, retry: 1, firstRunId }];
  const ends = (await asStranger(rig, FALSE_RUN, (execute) =>
    execute('falseRun', run.workflowId, [rig.taskQueue, [approval, repetition, repetition], requests, source]),
  )) as readonly string[];
  expect(ends.map((end) => end.split(':')[0])).toEqual([
    ...odd.map(() => 'InvalidInput'),
    ...requests.slice(odd.length).map(() => 'NotApproved'),
  ]);
  expect(ends[odd.length]).toContain(`the token names the run "${firstRunId}"`);
  expect(ends.at(-1)).toContain(`its request names the run ${firstRunId}`);
  expect(valves()).toEqual(['valve 0.0.0', 'valve 0.0.1']);
});

describe('a rule that became stricter between the approval and the start of an effect', () => {
  const stricter = [{ effect: 'idempotent', count: 2 }] as const;
  async function restart(rules: readonly ApprovalRule[]) {
    await rig.stopWorker();
    await rig.startWorker(undefined, undefined, { rules });
  }
  /** Approved by the operator under the old rules, and first tried by a worker with these. */
  async function triedUnder(name: string, rules: readonly ApprovalRule[]) {
    await restart([]);
    const { run, digest } = await rig.startAsked(plan(name, { approval: 'effects' }));
    await say(run, 'control', { action: 'pause' });
    expect(await say(run, 'decide', { kind: 'approve', digest })).toBe('approved');
    await restart(rules);
    await say(run, 'control', { action: 'resume' });
    return { run, approval: { kind: 'approve', digest } };
  }
  const firedFor = (name: string) => written.filter((one) => one.startsWith(name));

  test.each<[string, readonly ApprovalRule[]]>([
    ['by the same worker', stricter],
    ['by one with the old rules, which loosens nothing', []],
  ])('asks for what is missing; then it is carried out once, %s', async (name, rules) => {
    const { run, approval } = await triedUnder(name, stricter);
    const item = await rig.opened(run, ({ kind }) => kind === 'approval');
    expect(item).toMatchObject({ missing: [{ count: 1, of: 2 }] });
    expect((await rig.trace(run, 'held')).map(({ text }) => text)).toEqual([
      'the rules of the project ask for more than before: the plan waits for 1 more approval',
    ]);
    expect((await rig.trace(run, 'node')).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^node_1 was held back before it began: 1 signed messages approve it, and the rules/),
    );
    await restart(rules);
    expect(await say(run, 'decide', approval)).toContain('operator already said approve');
    expect(firedFor(name)).toEqual([]);
    const token = await signedTo(run, deputy.privateKey, approval, { by: 'deputy', kid: 'deputy' });
    expect(await rig.say(run, 'decide', { token })).toBe('approved');
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(firedFor(name)).toHaveLength(1);
  });

  test('fails where nobody could meet it: the start is not signed', async () => {
    const { run } = await triedUnder('never', [{ effect: 'idempotent', notStarter: true }]);
    await expect(run.result()).rejects.toMatchObject({
      cause: {
        details: [
          {
            nodes: [
              {
                failure: {
                  type: 'NotApproved',
                  message: expect.stringContaining('the start must be signed') as string,
                },
              },
              {},
            ],
          },
        ],
      },
    });
    expect(firedFor('never')).toEqual([]);
  });
});

async function scopeOf({ workflowId }: WorkflowHandle): Promise<string> {
  return runScope({ namespace: 'default', workflowId, firstRunId: await chainOf(rig.client, workflowId) });
}

/** Polls for the work of a worker, as anybody may who reaches the server, until it has been given the compilation. */
async function completeInItsName({ workflowId }: WorkflowHandle, reply: unknown): Promise<void> {
  const { workflowService } = rig.connection;
  const namespace = 'default';
  const queue = { namespace, taskQueue: { name: rig.taskQueue }, identity: 'a stranger' };
  const given = await rig.connection.withDeadline(Date.now() + 20_000, () =>
    workflowService.pollActivityTaskQueue(queue),
  );
  expect(given).toMatchObject({ workflowExecution: { workflowId }, activityId: 'compile' });
  const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(reply)) };
  const { taskToken } = given;
  await workflowService.respondActivityTaskCompleted({ namespace, taskToken, result: { payloads: [payload] } });
}

async function compiledIn(run: WorkflowHandle): Promise<CompileReply> {
  const { events } = await run.fetchHistory();
  const completed = events?.find(({ activityTaskCompletedEventAttributes: one }) => one != null);
  const data = completed?.activityTaskCompletedEventAttributes?.result?.payloads?.[0]?.data;
  return JSON.parse(Buffer.from(data ?? []).toString('utf8')) as CompileReply;
}
