/** An agent whose worker is killed goes on where it was; what was bought is not bought again. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { approve, kill, openCrashSite, settled } from '../support/crash-site.ts';
import { startModelServer, type Answer, type Asked } from '../support/model-server.ts';

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
  const { folder, client, hire, start, ledger, read } = await openCrashSite();
  const model = await startModelServer(answer);
  const first = await hire(model.baseURL);
  const options = { budget: { tokens: 10 * TOKENS, steps: 10 } };
  const plan = { goal: 'Compare', plan: { task: 'Find sources', agent: 'researcher' }, options };
  const run = await start(plan);
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
  await kill(first);

  const second = await hire(model.baseURL);
  await writeFile(join(folder, 'go'), '');
  const { outcome, result } = (await run.result()) as RunResult;
  expect(outcome).toBe('done');
  expect(await read(result?.ref)).toMatchObject({
    text: 'all done',
  });
  expect(model.asked.length).toBe(STEPS.length);
  expect(await ledger()).toHaveLength(1);
  expect(second.process.exitCode).toBeNull();
  expect(((await child.query<RunStatus>('status')).usage ?? { calls: 0 }).calls).toBe(STEPS.length);
  // The agent's node and its three steps.
  const { budget } = await run.query<RunStatus>('status');
  expect(budget?.spent).toMatchObject({ tokens: STEPS.length * TOKENS, steps: 4 });
  expect(budget?.reserved).toBeUndefined();
});

test('a step that was decided and not yet begun when its worker was killed runs once', { tags: ['slow'] }, async () => {
  const { folder, hire, start, ledger } = await openCrashSite();
  await writeFile(join(folder, 'go'), '');
  const model = await startModelServer(answer);
  const first = await hire(model.baseURL);
  const input = { goal: 'Mark it', options: { mode: 'reactive' } };
  const run = await start(input);
  const { digest, loop } = await settled(run, ({ phase }) => phase === 'awaiting-approval');
  expect(loop?.round).toBe(2);
  await kill(first);

  await hire(model.baseURL);
  const now = await settled(run, ({ phase }) => phase === 'awaiting-approval');
  // The decision is not made anew: it is the step that was shown.
  expect(now.digest).toBe(digest);
  await approve(run);
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(model.asked.length).toBe(STEPS.length);
  expect(await ledger()).toHaveLength(1);
});

async function childOf(run: WorkflowHandle): Promise<string> {
  const { children = [] } = await settled(run, (status) => (status.children?.length ?? 0) > 0);
  return children[0]?.workflowId ?? '';
}
