/** An agent whose worker is killed goes on where it was; what was bought is not bought again. */

import { anywhere } from '../support/anywhere.ts';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { createFileStore, readResult } from '../../src/store/index.ts';
import { startModelServer, type Answer, type Asked } from '../support/model-server.ts';
import { startWorker } from '../support/start-worker.ts';

/** What the double decides follows from what was done: it reads its own calls in the request, and says the next. */
const STEPS = [
  { name: 'ids', arguments: { ids: ['a'] } },
  { name: 'mark', arguments: { name: 'written' } },
  { name: 'nap', arguments: { until: 'go' } },
  { name: 'finish', arguments: { answer: 'all done' } },
];

/** Tokens of a call. */
const TOKENS = 110;

function answer({ body }: Asked): Answer {
  const messages = body['messages'] as { tool_calls?: unknown }[];
  const step = STEPS[messages.filter(({ tool_calls: calls }) => calls !== undefined).length];
  if (step === undefined) return { status: 418, body: { error: { message: 'there is nothing left to decide' } } };
  const call = {
    index: 0,
    id: 'c',
    type: 'function',
    function: { name: step.name, arguments: JSON.stringify(step.arguments) },
  };
  const events = [
    { choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
  ];
  return {
    events: [
      ...events.map((one) => ({ id: 'x', object: 'chat.completion.chunk', model: 'double', created: 1, ...one })),
      '[DONE]',
    ],
  };
}

test('an agent goes on after its worker was killed, and buys nothing twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const model = await startModelServer(answer);
  const taskQueue = `crash-agent-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });

  const first = await startWorker(folder, taskQueue, undefined, model.baseURL);
  const options = { budget: { tokens: 10 * TOKENS, steps: 10 } };
  const plan = { goal: 'Compare', plan: { task: 'Find sources', agent: 'researcher' }, options };
  const run = await client.workflow.start('planWorkflow', { taskQueue, workflowId: taskQueue, args: [plan] });
  await approve(run);
  const child = client.workflow.getHandle(await childOf(run));
  // The write of the agent is asked about in its own run.
  await approve(child);
  await first.until((events) =>
    events.some(
      ({ what, nodeId, workflowId }) =>
        what === 'started' &&
        nodeId === 'node_1' &&
        workflowId === child.workflowId &&
        events.filter((one) => one.what === 'started').length === 3,
    ),
  );
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');

  const second = await startWorker(folder, taskQueue, undefined, model.baseURL);
  await writeFile(join(folder, 'go'), '');
  const { outcome, result } = (await run.result()) as RunResult;
  expect(outcome).toBe('done');
  expect(await readResult(anywhere(createFileStore(join(folder, 'results'))), result?.ref ?? '')).toMatchObject({
    text: 'all done',
  });
  expect(model.asked.length).toBe(STEPS.length);
  expect((await readFile(join(folder, 'ledger'), 'utf8')).trim().split('\n')).toHaveLength(1);
  expect(second.process.exitCode).toBeNull();
  expect(((await child.query<RunStatus>('status')).usage ?? { calls: 0 }).calls).toBe(STEPS.length);
  // The agent's node and its three steps.
  const { budget } = await run.query<RunStatus>('status');
  expect(budget?.spent).toMatchObject({ tokens: STEPS.length * TOKENS, steps: 4 });
  expect(budget?.reserved).toBeUndefined();
});

test('a step that was decided and not yet begun when its worker was killed runs once', { tags: ['slow'] }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-crash-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'go'), '');
  const model = await startModelServer(answer);
  const taskQueue = `crash-decided-${process.pid}-${Date.now()}`;
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const client = new Client({ connection });

  const first = await startWorker(folder, taskQueue, undefined, model.baseURL);
  const input = { goal: 'Mark it', options: { mode: 'reactive' } };
  const run = await client.workflow.start('planWorkflow', { taskQueue, workflowId: taskQueue, args: [input] });
  const { digest, loop } = await settled(run, ({ phase }) => phase === 'awaiting-approval');
  expect(loop?.round).toBe(2);
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');

  await startWorker(folder, taskQueue, undefined, model.baseURL);
  const now = await settled(run, ({ phase }) => phase === 'awaiting-approval');
  // The decision is not made anew: it is the step that was shown.
  expect(now.digest).toBe(digest);
  await approve(run);
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(model.asked.length).toBe(STEPS.length);
  expect((await readFile(join(folder, 'ledger'), 'utf8')).trim().split('\n')).toHaveLength(1);
});

type Handle = ReturnType<Client['workflow']['getHandle']>;

async function approve(run: Handle): Promise<void> {
  const { digest } = await settled(run, ({ phase }) => phase === 'awaiting-approval');
  await run.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'operator' }] });
}

async function childOf(run: Handle): Promise<string> {
  const { children = [] } = await settled(run, (status) => (status.children?.length ?? 0) > 0);
  return children[0]?.workflowId ?? '';
}

/** Asks again until it is so; the server's own deadline ends it. */
async function settled(run: Handle, holds: (status: RunStatus) => boolean): Promise<RunStatus> {
  for (;;) {
    const status = await run.query<RunStatus>('status').catch(() => undefined);
    if (status !== undefined && holds(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
