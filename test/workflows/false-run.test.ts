/** A stranger's workflow has seen every signed message of a run, and has its effect carried out on the project's own workers. */

import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { MAX_REPETITIONS, type NodeRequest } from '../../src/protocol/index.ts';
import { createKeyPair, signMessage } from '../../src/protocol/identity/index.ts';
import { planOf, task } from '../support/plans.ts';
import { chainOf } from '../support/chain-of.ts';
import { sharedRig } from '../support/rig.ts';
import { tool } from '../support/capabilities.ts';

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
const identity = { keys: { operator: { publicKey: operator.publicKey, subject: 'operator' } } };
const rig = await sharedRig({ capabilities: [fire], identity });

const sign = async ({ workflowId }: WorkflowHandle, message: Record<string, unknown>) => {
  const chain = await chainOf(rig.client, workflowId);
  return signMessage({ key: operator.privateKey, by: 'operator', workflowId, chain, message });
};

/** What the false run has carried out in the name of a run that has ended, with all that was signed for it. */
async function pose({ workflowId }: WorkflowHandle, tokens: readonly string[], requests: readonly object[]) {
  const connection = await NativeConnection.connect({ address: inject('address') });
  const taskQueue = `${rig.taskQueue}-stranger`;
  const workflowsPath = fileURLToPath(new URL('../support/false-run-workflow.ts', import.meta.url));
  const worker = await Worker.create({ connection, taskQueue, workflowsPath });
  try {
    return await worker.runUntil(
      rig.client.workflow.execute('falseRun', { taskQueue, workflowId, args: [rig.taskQueue, tokens, requests] }),
    );
  } finally {
    await connection.close();
  }
}

async function requestOf(run: WorkflowHandle): Promise<NodeRequest> {
  const { events } = await run.fetchHistory();
  const scheduled = events?.find(
    ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === 'runTask',
  );
  const data = scheduled?.activityTaskScheduledEventAttributes?.input?.payloads?.[0]?.data;
  return JSON.parse(Buffer.from(data ?? []).toString('utf8')) as NodeRequest;
}

test('an effect happens as often as it was signed for, whatever number a false run sends for its repetitions', async () => {
  const run = await rig.start(planOf(task('fire', { name: 'valve' }), { onFailure: 'ask' }));
  const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
  const approval = await sign(run, { kind: 'approve', digest });
  broken = true;
  await rig.say(run, 'decide', { token: approval });
  await rig.until(run, ({ counts }) => counts.uncertain === 1);
  broken = false;
  const repetition = await sign(run, { action: 'retry-node', node: 'node_1', digest });
  await rig.say(run, 'control', { token: repetition });
  await run.result();
  expect(written).toEqual(['valve 0.0.0', 'valve 0.0.1']);

  const { retry: _, chain, ...request } = await requestOf(run);
  const numbers = [-1, '0x0', '1', [], [1], 0.5, 1e9, null, true, MAX_REPETITIONS + 1];
  const odd = [...numbers.map((retry) => ({ ...request, retry })), { ...request, retry: 1, work: '7' }];
  const lies = [0, 1, 2, MAX_REPETITIONS].map((retry) => ({ ...request, retry }));
  // It has a chain of its own, and names that of the run where it lies.
  const requests = [...odd, request, ...lies, { ...request, retry: 1, chain }];
  const ends = await pose(run, [approval, repetition, repetition], requests);
  expect(ends.map((end: string) => end.split(':')[0])).toEqual([
    ...odd.map(() => 'InvalidInput'),
    'NotApproved',
    'NotApproved',
    'NotApproved',
    'NotApproved',
    'NotApproved',
    'NotApproved',
  ]);
  expect(ends[odd.length]).toContain(`the token names the run "${chain}"`);
  expect(ends.at(-1)).toContain(`its request names the run ${chain}`);
  expect(written).toEqual(['valve 0.0.0', 'valve 0.0.1']);
});
