/** Who decides is not who asks: a rule counts persons' keys alone, or does not count who started the run and edited its plan. */

import { describe, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { NodesPage, OpenItem } from '../../src/protocol/index.ts';
import { createKeyPair, signMessage } from '../../src/protocol/identity/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';
import { call, finish } from '../support/calls.ts';
import { signedTo } from '../support/chain-of.ts';
import { asStranger, requestOf, FALSE_RUN } from '../support/stranger.ts';

const PAIRS = { robot: createKeyPair(), operator: createKeyPair(), reviewer: createKeyPair() };
type Who = keyof typeof PAIRS;
const written: string[] = [];
const write = writes('writes', 'idempotent', written);
const writer = defineAgent({ name: 'writer', description: 'Writes.', instructions: 'Write.', capabilities: [write] });
const rig = await sharedRig({
  capabilities: [ids, write],
  agents: [writer],
  model: scriptedClient([call('writes', { value: 'by the agent' }), finish('written')]),
  identity: {
    keys: {
      robot: { publicKey: PAIRS.robot.publicKey, subject: 'robot', roles: ['reviewer'] },
      operator: { publicKey: PAIRS.operator.publicKey, subject: 'operator', person: true },
      reviewer: { publicKey: PAIRS.reviewer.publicKey, subject: 'reviewer', roles: ['reviewer'], person: true },
    },
  },
  rules: [{ effect: 'idempotent', person: true, notStarter: true }],
});

const sign = (who: Who, workflowId: string, message: object) =>
  signMessage({
    ...{ key: PAIRS[who].privateKey, kid: who, by: who, workflowId },
    message: message as Record<string, unknown>,
  });
const say = async (run: WorkflowHandle, who: Who, name: 'decide' | 'control', message: object) =>
  rig.say(run, name, { token: await signedTo(run, PAIRS[who].privateKey, message, { kid: who, by: who }) });
let started = 0;
async function start(who: Who, input: object): Promise<WorkflowHandle> {
  const workflowId = `${rig.taskQueue}-signed-${++started}`;
  return rig.start({ token: await sign(who, workflowId, { kind: 'start', ...input }) }, workflowId);
}
async function opened(who: Who, input: object): Promise<{ run: WorkflowHandle; item: OpenItem }> {
  const run = await start(who, input);
  return { run, item: await rig.opened(run, () => true) };
}
const endOf = (run: WorkflowHandle) =>
  run.result().then(
    (result: unknown) => result,
    (error: { cause?: unknown }) => error.cause,
  );

describe('who may let an effect happen', () => {
  test('is a person who did not start it: neither the starter, nor a key of no person; each is told what is missing', async () => {
    const { run, item } = await opened('operator', planOf(task('writes', { value: 'a' }), { approval: 'effects' }));
    const { digest } = item;
    const missing = { count: 1, of: 1, person: true, notStarter: true, mayDecide: ['reviewer'], authors: ['operator'] };
    expect(item).toMatchObject({ missing: [missing], effects: [{ values: [{ name: 'value', text: '"a"' }] }] });
    expect(await say(run, 'operator', 'decide', { kind: 'approve', digest })).toContain(
      'still to be approved: 1 of its',
    );
    expect(await say(run, 'operator', 'decide', { kind: 'approve', digest })).toContain(
      'operator already said approve',
    );
    expect(await say(run, 'robot', 'decide', { kind: 'approve', digest })).toBe(
      'approve ' +
        `${digest.slice(0, 8)} by robot: the key that robot signed with is not marked as a person's in the project's config; ` +
        "it waits for 1 approval, signed with a person's key, by somebody whose words are not in the plan",
    );
    const { nodes } = await run.query<NodesPage>('nodes');
    expect(nodes[0]).toMatchObject({ status: 'pending', missing: [missing], approvedBy: ['operator'] });
    expect(written).toEqual([]);
    expect(await say(run, 'reviewer', 'decide', { kind: 'approve', digest })).toBe('approved');
    expect(await endOf(run)).toMatchObject({ outcome: 'done' });
    expect(written).toHaveLength(1);
    expect(await rig.trace(run, 'decision')).toMatchObject([{}, { said: { by: 'reviewer', personKey: true } }]);
  });

  test('is the same in an agent that works for the run', async () => {
    const { run, item } = await opened(
      'reviewer',
      planOf({ task: 'Write it', agent: 'writer' }, { approval: 'effects' }),
    );
    await say(run, 'operator', 'decide', { kind: 'approve', digest: item.digest });
    const before = written.length;
    const child = await rig.childOf(run);
    const { digest } = await rig.opened(child, () => true);
    expect(await say(child, 'reviewer', 'decide', { kind: 'approve', digest })).toContain('still to be approved');
    expect(await say(child, 'operator', 'decide', { kind: 'approve', digest })).toBe('approved');
    expect(await endOf(run)).toMatchObject({ outcome: 'done' });
    expect(written.slice(before)).toEqual([expect.stringContaining(child.workflowId)]);
  });
});

describe('a start', () => {
  const input = planOf(idsOf('a'), { approval: 'effects' });

  test('that was signed for another run is refused, as is one that is replayed under the same id later', async () => {
    const token = await sign('operator', 'plan-1', { kind: 'start', ...input });
    expect(await endOf(await rig.start({ token }))).toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining('$.token: the token was made for the run "plan-1"') as string,
    });
    const workflowId = `${rig.taskQueue}-late`;
    const late = await signMessage({
      ...{ key: PAIRS.operator.privateKey, kid: 'operator', by: 'operator', workflowId },
      message: { kind: 'start', ...input },
      lifeSeconds: 3600,
      now: new Date(Date.now() - 120_000),
    });
    expect(await endOf(await rig.start({ token: late }, workflowId))).toMatchObject({
      message: expect.stringContaining('before this run began') as string,
    });
  });
});

test('a false run that shows the start of another has nothing carried out, though a person approved', async () => {
  const plan = planOf(task('writes', { value: 'false' }), { approval: 'effects' });
  const { run, item } = await opened('robot', plan);
  await say(run, 'operator', 'decide', { kind: 'approve', digest: item.digest });
  await endOf(run);
  const source = { document: { goal: plan.goal, plan: plan.plan } };
  const { firstRunId, ...request } = await requestOf(run);
  const before = written.length;
  const workflowId = `${rig.taskQueue}-false`;
  const approval = await sign('operator', workflowId, { kind: 'approve', digest: item.digest });
  const stolen = await sign('robot', run.workflowId, { kind: 'start', goal: 'g' });
  const shown: readonly [tokens: readonly string[], sent: object][] = [
    [[approval, stolen], request],
    [[approval], request],
    [[approval, stolen], { ...request, firstRunId }],
  ];
  const ends = await asStranger(rig, FALSE_RUN, (execute) =>
    Promise.all(
      shown.map(([tokens, sent], at) =>
        execute('falseRun', `${workflowId}${at || ''}`, [rig.taskQueue, tokens, [sent], source]).then(String),
      ),
    ),
  );
  for (const end of ends) expect(end).toContain('NotApproved');
  expect(ends[0]).toContain('its start: the token was made for the run');
  expect(ends[2]).toContain(`its request names the run ${firstRunId}`);
  expect(written).toHaveLength(before);
});
