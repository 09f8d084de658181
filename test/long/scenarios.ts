/** What a run of any length has to stand. Each tells what it measured and checks what may not happen. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { HistoryBudget } from '../../src/protocol/index.ts';
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

async function within(budget: HistoryBudget | undefined, work: (length: Length) => Promise<void>): Promise<void> {
  const length = await openLength(budget);
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
