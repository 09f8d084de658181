/**
 * What the page costs those who look at it, and how long it holds up everybody else meanwhile.
 *
 *   npx tsx bench/page.ts
 */

import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { createSet } from '../src/plan/algebra/index.ts';
import type { Plans } from '../src/operations/index.ts';
import { createInbox } from '../src/page/inbox.ts';
import { html } from '../src/page/markup.ts';
import { entriesOf, groupsOf, detailsByNode, type Group } from '../src/page/view/fold.ts';
import { inboxPage } from '../src/page/view/overview.ts';
import { renderPlan } from '../src/page/view/outline.ts';
import { pictureOf } from '../src/page/view/picture.ts';
import { encodeResult, refOfBytes } from '../src/store/index.ts';
import { nodesOf, seenOf, treePlan, waitingOf } from '../test/page/scenes.ts';
import { stageOf } from '../test/page/stage.ts';
import { print } from './print.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/**
 * Milliseconds that it takes, that the processor works for it, and for which nobody else is answered meanwhile, at the
 * longest.
 */
async function timed(work: () => Promise<unknown>) {
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  await turn();
  const used = process.cpuUsage();
  const from = performance.now();
  await work();
  const ms = Math.round(performance.now() - from);
  const { user, system } = process.cpuUsage(used);
  // What held the loop to the end is seen in its next turn.
  await turn();
  held.disable();
  return { ms, cpuMs: Math.round((user + system) / 1000), heldMs: Math.round(held.max / 1e6) };
}

async function firstPaint(tasks: number): Promise<void> {
  const seen = waitingOf(treePlan(tasks, (at) => at <= 5));
  const stage = await stageOf(seen);
  const paths = [`/runs/${seen.workflowId}`, '/page.css', '/page.js', '/icon.svg'];
  const sizes = await Promise.all(
    paths.map(async (path) => (await (await fetch(stage.origin + path)).arrayBuffer()).byteLength),
  );
  await stage.close();
  print({ case: 'first paint', nodes: seen.nodes.length, bytes: sizes.reduce((sum, one) => sum + one), most: 100_000 });
}

async function layout(boxes: number): Promise<void> {
  const plan = treePlan(Math.ceil(boxes / 2));
  const shown = { plan, nodes: nodesOf(plan) };
  const groups = entriesOf(shown).map((one): Group => ({ id: one.id, entries: [one], takes: one.takes }));
  const full = detailsByNode(shown, groups);
  const took = await timed(() => pictureOf(groups, full, shown));
  print({ case: 'layout', boxes: groups.length, ...took, mostMs: 100 });
}

async function render(tasks: number): Promise<void> {
  const plan = treePlan(tasks);
  const shown = { plan, nodes: nodesOf(plan) };
  await renderPlan(shown);
  const took = await timed(() => renderPlan(shown));
  const groups = groupsOf(entriesOf(shown)).length;
  print({ case: 'plan shown again', nodes: shown.nodes.length, groups, ...took });
}

async function inbox(count: number): Promise<void> {
  const plan = treePlan(10);
  const [first] = waitingOf(plan).open;
  const items = Array.from({ length: count }, (_, at) => ({ ...first!, id: `i${at}`, workflowId: `run-${at}` }));
  const groups = items.map((item) => ({ first: item, count: 1, runs: [{ workflowId: item.workflowId, revision: 1 }] }));
  const answer = async ({ limit }: { readonly limit: number }) => ({
    ...{ items: items.slice(0, limit), more: Math.max(0, count - limit), groups: groups.slice(0, limit) },
    ...{ unreachable: [], notAsked: 0 },
  });
  const plans = {
    typed: (command: string) => command,
    project: async () => undefined,
    session: async () => ({ plans: { inbox: answer } }),
    run: () => Promise.reject(new Error('its worker does not answer')),
  };
  const work = async () => String(html`${inboxPage(await createInbox(plans as unknown as Plans).read())}`);
  print({ case: 'inbox', items: count, ...(await timed(work)), mostMs: 1000 });
}

const SIX = `
  const { workerData } = require('node:worker_threads');
  for (let at = 0; at < 6; at += 1) void fetch(workerData).then((answer) => answer.arrayBuffer());`;

/**
 * Six read a result of so many bytes, and one more reader asks for the sheet of the page all the while.
 */
async function readers(bytes: number, file = ''): Promise<void> {
  const location = { sequence: 'chr1', start: 1, stop: 90, strand: 1 } as const;
  const idOf = (at: number) => `gene-of-a-name-as-long-as-they-get-${at}`;
  const records = Array.from({ length: Math.ceil(bytes / 80) }, (_, at) => ({ id: idOf(at), location }));
  const encoded = encodeResult({ kind: 'set', set: createSet(records, 'gene') });
  if (!encoded.ok) throw new Error(encoded.message);
  const ref = refOfBytes(encoded.bytes);
  const plan = treePlan(1);
  const result = { ref, kind: 'set', count: records.length, bytes: encoded.bytes.byteLength } as const;
  const seen = seenOf(
    plan,
    nodesOf(plan, () => ({ status: 'succeeded', result })),
  );
  const stage = await stageOf(seen, new Map([[ref, encoded.bytes]]));
  let longest = 0;
  const workerData = `${stage.origin}/runs/${seen.workflowId}/result${file}?node=node_1`;
  const six = new Worker(SIX, { eval: true, workerData });
  const reading = { isOver: false };
  void once(six, 'exit').then(() => (reading.isOver = true));
  while (!reading.isOver) {
    const from = performance.now();
    await (await fetch(`${stage.origin}/page.css`, { headers: { connection: 'close' } })).text();
    longest = Math.max(longest, performance.now() - from);
  }
  await stage.close();
  print({ case: 'another reader', file, bytes: encoded.bytes.byteLength, longestMs: Math.round(longest), mostMs: 200 });
}

for (const tasks of [3, 75, 1500]) await firstPaint(tasks);
for (const boxes of [60, 198, 200]) await layout(boxes);
await render(10_000);
await inbox(1000);
for (const file of ['', '.stored']) await readers(80_000_000, file);
for (const file of ['', '.bed', '.json']) await readers(3_000_000, file);
