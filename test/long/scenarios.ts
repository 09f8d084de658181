/** What a run of any length has to stand. Each tells what it measured and checks what may not happen. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { HistoryBudget, OpenItem, RunStatus, WaitingRun } from '../../src/protocol/index.ts';
import { chatDelta, startModelServer, type Answer, type Asked } from '../support/model-server.ts';
import { chainOf, openLength, questionsOf, tell, treeOf, type Length } from './lengths.ts';

/** Every node once, through several histories, with the worker killed when a third is done. */
export async function runNodes(document: object, nodes: number, budget?: HistoryBudget): Promise<void> {
  await within(budget, async (length) => {
    await length.startWorker();
    const from = performance.now();
    const run = await length.start(document);
    await length.until(run, ({ counts }) => counts.succeeded > nodes / 3);
    const done = new Set<string>();
    const finished = await patiently(() => run.view(['nodes']));
    for (const { id, result } of finished.nodes) if (result !== undefined) done.add(id);
    await length.kill();
    const second = await length.startWorker();
    expect(await length.end(run)).toMatchObject({ outcome: 'done' });
    const repeated = second.events.filter(({ what, nodeId }) => what === 'started' && done.has(nodeId));
    const ms = performance.now() - from;
    expect((await run.view(['status'])).status).toMatchObject({
      phase: 'closed',
      counts: { total: nodes, succeeded: nodes },
    });
    expect(done.size).toBeGreaterThan(nodes / 4);
    expect(repeated).toEqual([]);
    let seen = 0;
    for (const node of (await run.view(['nodes'])).nodes) if (node.result !== undefined) seen += 1;
    expect(seen).toBe(nodes);
    const histories = await length.histories(run);
    tell(`${nodes} nodes`, { ...histories, ms: Math.round(ms), msPerNode: Number((ms / nodes).toFixed(2)) });
    expect(histories.longest).toBeLessThan(MOST_EVENTS);
    if (histories.events > 2 * (budget?.soft.events ?? SOFT_EVENTS)) expect(histories.count).toBeGreaterThan(1);
  });
}

export const runTree = (nodes: number, budget?: HistoryBudget) => runNodes(treeOf(nodes), nodes, budget);
export const runChain = (nodes: number, budget?: HistoryBudget) => runNodes(chainOf(nodes), nodes, budget);

/** Reads that last, each with an activity of its own, in short histories: a new history stops few of them. */
export async function readThroughHistories(count: number): Promise<void> {
  const budget = { soft: { events: 1000, bytes: 2 ** 22 }, hard: { events: 20_000, bytes: 2 ** 24 } };
  await within(budget, async (length) => {
    const { events } = await length.startWorker();
    const reads = Array.from({ length: count }, (_, n) => ({
      ...{ context_key: `k${n}`, capability: 'ids', task_objective: `read ${n}` },
      parameters: { ids: [`i${n}`], ms: 200 * (n % 10) },
    }));
    const run = await length.start({ goal: `${count} reads`, steps: reads }, { lane: 'visible' });
    expect(await length.end(run)).toMatchObject({ outcome: 'done' });
    const histories = await length.histories(run);
    const begun = events.filter(({ what }) => what === 'started').length;
    tell(`${count} reads`, { ...histories, begun });
    expect(histories.count).toBeGreaterThan(3);
    expect(begun).toBeGreaterThanOrEqual(count);
    expect(begun).toBeLessThanOrEqual(count * 1.02);
  });
}

const MARKS = 12;
/** An agent that writes so often, each time by an approval of its own. */
function asWriter({ body }: Asked): Answer {
  const done = (body['messages'] as readonly { role: string }[]).filter(({ role }) => role === 'tool').length;
  const [name, args] = done < MARKS ? ['mark', { name: `m${done}` }] : ['finish', { answer: 'written' }];
  const call = { index: 0, id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } };
  const used = { id: 'c', choices: [], usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } };
  return { events: [chatDelta({ tool_calls: [call] }), chatDelta({}, 'tool_calls'), used, 'data: [DONE]\n\n'] };
}

/** A root and its agent go on in a new history in each task, while their workers are killed: what waits there is shown. */
export async function keepInPicture(ms: number): Promise<void> {
  const { baseURL } = await startModelServer(asWriter);
  const budget = { soft: { events: 1, bytes: 2 ** 20 }, hard: { events: 4000, bytes: 2 ** 22 } };
  const until = Date.now() + ms;
  const work = async (length: Length) => {
    const over = new AbortController();
    let [kills, runs, rests] = [0, 0, 0];
    const killed = (async () => {
      while (!over.signal.aborted) {
        await length.startWorker();
        await sleep(1000 + Math.random() * 9000);
        await length.kill();
        kills += 1;
      }
    })();
    for (; Date.now() < until; runs += 1) {
      const plan = { goal: 'Write it', plan: { task: 'Write', agent: 'researcher' } };
      const root = length.handle(await length.start(plan));
      await approve(root, await nextOf(root));
      let last: string | undefined;
      for (let mark = 0; mark < MARKS; mark += 1, rests += 1) {
        last = await asked(length, root, last);
      }
      expect(await patiently(() => root.result())).toMatchObject({ outcome: 'done' });
    }
    over.abort();
    await killed;
    tell('a root and an agent under kills', { kills, runs, rests });
    expect(kills).toBeGreaterThan(3);
  };
  await within(budget, work, baseURL);
}

/**
 * The agent asks for another approval than the last one, its root shows that and nothing else, and it is approved.
 * @returns its digest
 */
async function asked({ client }: Length, root: WorkflowHandle, last: string | undefined): Promise<string> {
  const agentId = async () => (await root.query<RunStatus>('status').catch(() => undefined))?.children?.[0]?.workflowId;
  let workflowId: string | undefined;
  await expect.poll(async () => (workflowId = await agentId()), SOON).toBeDefined();
  const agent = client.workflow.getHandle(workflowId ?? '');
  const digest = await nextOf(agent, last);
  await expect.poll(() => shownBy(root), SOON).toEqual([expect.objectContaining({ workflowId, digest })]);
  await approve(agent, digest);
  return digest;
}

async function shownBy(run: WorkflowHandle): Promise<readonly OpenItem[]> {
  const open = await run.query<readonly (OpenItem | WaitingRun)[]>('questions').catch(() => []);
  return open.flatMap((one) => ('send' in one ? [one] : (one.items ?? [])));
}

async function nextOf(run: WorkflowHandle, last?: string): Promise<string> {
  let digest = last;
  await expect.poll(async () => (digest = (await shownBy(run))[0]?.digest ?? last), SOON).not.toBe(last);
  return digest ?? '';
}

const approve = (run: WorkflowHandle, digest: string) =>
  patiently(() => run.signal('decide', { kind: 'approve', digest, by: 'operator' }));

/** A worker of ten seconds may be lost several times before both have been heard. */
const SOON = { timeout: 180_000, interval: 100 };

/** Every question is answered once, one after the other, by update, with the worker killed in between. */
export async function answerOneByOne(count: number, budget?: HistoryBudget): Promise<void> {
  await within(budget, async (length) => {
    await length.startWorker();
    const run = await length.start(questionsOf(count));
    await length.until(run, ({ waitingFor }) => waitingFor === count);
    const { open } = await run.view(['open']);
    expect(open).toHaveLength(count);
    for (const [n, { id, text }] of open.entries()) {
      if (n === Math.floor(count / 2)) {
        await length.kill();
        await length.startWorker();
      }
      await run.answer({ question: id, value: text, by: 'operator' });
    }
    const { results = {} } = await length.end(run);
    for (const n of [0, 1, count >> 1, count - 1]) {
      const read = await run.readResult(results[`k${n}`]?.ref ?? '');
      expect(read).toMatchObject({ value: `which ${n}?` });
    }
    const { trace } = await run.view(['trace']);
    expect(trace.entries.filter(({ what }) => what === 'answer')).toHaveLength(count);
    const histories = await length.histories(run);
    tell(`${count} questions one by one`, histories);
    expect(histories.longest).toBeLessThan(MOST_EVENTS);
  });
}

/** What was said while no worker was there is heard when one is: each answer once. */
export async function answerInAnOutage(count: number, budget?: HistoryBudget): Promise<void> {
  await within(budget, async (length) => {
    await length.startWorker();
    const run = await length.start(questionsOf(count));
    await length.until(run, ({ waitingFor }) => waitingFor === count);
    const { open } = await run.view(['open']);
    await length.kill();
    const handle = length.handle(run);
    await inParallel(open, 50, ({ id, text }) =>
      handle.signal('answer', { question: id, value: text, by: 'operator' }),
    );
    await length.startWorker();
    await length.until(run, ({ counts }) => counts.succeeded > count / 3);
    await length.kill();
    await length.startWorker();
    expect(await length.end(run)).toMatchObject({ outcome: 'done' });
    const { trace } = await run.view(['trace']);
    expect(trace.entries.filter(({ what }) => what === 'answer')).toHaveLength(count);
    tell(`${count} answers in an outage`, await length.histories(run));
  });
}

/** A flood of signals neither deafens nor ends a run; what is said after it is heard. */
export async function standFlood(count: number, budget?: HistoryBudget): Promise<void> {
  await within(budget, async (length) => {
    await length.startWorker();
    const run = await length.start(questionsOf(1));
    await length.until(run, ({ waitingFor }) => waitingFor === 1);
    const handle = length.handle(run);
    const from = performance.now();
    const signals = Array.from({ length: count }, (_, n) => n);
    const half = signals.length >> 1;
    const send = (n: number) => patiently(() => handle.signal('control', { action: 'nothing', by: `p${n}` }));
    await inParallel(signals.slice(0, half), 50, send);
    await length.kill();
    await length.startWorker();
    await inParallel(signals.slice(half), 50, send);
    await length.until(run, ({ waitingFor }) => waitingFor === 1);
    const [item] = (await run.view(['open'])).open;
    await patiently(() => run.answer({ question: item?.id ?? '', value: 'heard', by: 'operator' }));
    const ms = performance.now() - from;
    expect(await length.end(run)).toMatchObject({ outcome: 'done' });
    const { entries, dropped } = (await run.view(['trace'])).trace;
    const refused = entries.filter(({ what }) => what === 'refused');
    expect(refused.length + dropped).toBe(count);
    tell(`${count} signals`, { ...(await length.histories(run)), ms: Math.round(ms) });
  });
}

/**
 * Signals of so many bytes each, sent at a steady pace, are all taken in, and a stop is heard after them. A workflow task
 * during which too much arrives is failed by the server (`FORCE_CLOSE_COMMAND`), and never the next one too.
 */
export async function standMegabytes(count: number, bytes: number, perSecond: number): Promise<void> {
  await within(undefined, async (length) => {
    await length.startWorker();
    const run = await length.start(questionsOf(1));
    await length.until(run, ({ waitingFor }) => waitingFor === 1);
    const handle = length.handle(run);
    const text = 'x'.repeat(bytes);
    const from = performance.now();
    const sent: Promise<void>[] = [];
    for (let n = 0; n < count; n += 1) {
      const early = (1000 * n) / perSecond - (performance.now() - from);
      if (early > 0) await sleep(early);
      sent.push(patiently(() => handle.signal('control', { action: 'nothing', by: `p${n}`, comment: text })));
    }
    await Promise.all(sent);
    const seconds = Math.round((performance.now() - from) / 1000);
    await patiently(() => run.control({ action: 'kill', by: 'operator', comment: 'enough' }));
    expect(await length.end(run)).toMatchObject({ outcome: 'aborted' });
    const forced = await length.forcedClosed(run);
    const told = { MB: (count * bytes) / 1e6, seconds, ...forced, ...(await length.histories(run)) };
    tell(`${count} signals of ${bytes} bytes`, told);
    expect(forced.inARow).toBe(0);
  });
}

/** The server ends a history at 51,200 events. */
const MOST_EVENTS = 45_000;
const SOFT_EVENTS = 4096;

async function within(
  budget: HistoryBudget | undefined,
  work: (length: Length) => Promise<void>,
  model?: string,
): Promise<void> {
  const length = await openLength(budget, model);
  try {
    await work(length);
  } finally {
    await length.close();
  }
}

/**
 * Says something to a run that is busy with a flood, again and again until it is taken. The server takes 10,000 signals into
 * one history and refuses the next until the run has gone on; the run takes no update while 1,000 messages wait. Both tell
 * the sender, and lose nothing that they took.
 */
async function patiently<T>(say: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + BUSY_MS; ;) {
    try {
      return await say();
    } catch (error) {
      const told = `${String(error)} ${String((error as Error).cause)}`;
      if (!BUSY.some((reason) => told.includes(reason)) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const BUSY = [
  'no worker answered',
  'does not answer: it is busy',
  'exceeded workflow execution limit for signal events',
  'messages wait to be heard already',
];
const BUSY_MS = 300_000;

async function inParallel<T>(list: readonly T[], atOnce: number, work: (one: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const take = async () => {
    for (let at = next++; at < list.length; at = next++) await work(list[at] as T);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}
