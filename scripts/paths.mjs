/**
 * Counts the files that a reader opens to follow one thing through the core: every file of ours in which a function is
 * entered between the start and the end of the path. Each function of a copy of the build says when it is entered, in
 * runs of a real worker on a dev server: `npm run build && node scripts/paths.mjs`. With `--list` it names the files in
 * the order in which they are met. Helpers of one line count as much as reducers.
 */

import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { z } from 'zod';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const copy = join(root, 'coverage', 'dist');
const folder = join(root, 'coverage', 'server');
const CORE = /^(workflows|activities|worker|client|protocol)\//;
/** Functions that were entered, as `file:function`, and the marks of capabilities, in order. @type {string[]} */
const entered = [];
/** What modules call while they are loaded is on no path. */
let loading = 0;
// The host and the sandbox of a workflow share this object, if the worker runs the sandbox in its own thread.
Object.assign(TextEncoder, {
  entered: (/** @type {string} */ what) => loading === 0 && entered.push(what),
  loading: (/** @type {number} */ by) => (loading += by),
});

for (const old of [copy, folder]) rmSync(old, { recursive: true, force: true });
cpSync(join(root, 'dist'), copy, { recursive: true });
for (const file of readdirSync(copy, { recursive: true, encoding: 'utf8' })) {
  if (/\/bundle-[^/]*\.js$/.test(file)) rmSync(join(copy, file));
  else if (CORE.test(file) && file.endsWith('.js')) trace(join(copy, file));
}
const [{ connectOrStart }, { createRegistry, defineCapability }, { definePolicy, stagesOf }, { createFileStore }, own] =
  await Promise.all(
    ['cli/dev-server/dev-server', 'capabilities', 'index', 'store/index', 'worker'].map(
      (door) => import(join(copy, `${door}.js`)),
    ),
  );

Runtime.install({ logger: new DefaultLogger('ERROR') });
const quiet = { reuse: false, headless: true, port: 0, onProgress: () => undefined };
const server = await connectOrStart({ ...quiet, databaseFile: join(folder, 'temporal.db') });
const client = new Client({ connection: await Connection.connect({ address: server.address }) });
const connection = await NativeConnection.connect({ address: server.address });
const nothing = { description: 'Nothing.', input: z.object({}), output: 'text', execute: () => 'nothing' };
const registry = createRegistry([
  defineCapability({ ...nothing, name: 'read', effect: 'read' }),
  defineCapability({ ...nothing, name: 'write', effect: 'at-most-once' }),
]);
/** @typedef {{ rounds: number }} State */
const policy = definePolicy({
  name: 'one-read',
  initial: () => ({ rounds: 0 }),
  tick: { writes: ['rounds'], run: (/** @type {State} */ { rounds }) => ({ rounds: rounds + 1 }) },
  stages: [
    stagesOf().decide({
      name: 'choose',
      run: (/** @type {State} */ { rounds }) => ({ decision: { action: rounds > 1 ? 'end' : 'go' } }),
    }),
  ],
  actions: {
    go: { dispatch: () => ({ is: 'capability', name: 'read', arguments: {}, objective: 'nothing' }) },
    end: { ends: true, dispatch: () => ({ is: 'finish', answer: 'nothing' }) },
  },
});
const soft = { events: 20, bytes: 1e6 };
const stops = await Promise.all([
  startWorker('long', { policy }),
  startWorker('short', { historyBudget: { soft, hard: { events: 400, bytes: 4e6 } } }),
]);

console.log('| path | files |\n| --- | ---: |');
await (await start('long', planOf(['read', 'read']))).result();
print('a document from planWorkflow to its first result', 'planWorkflow', 'succeed', 'passDeadlines');
const asked = await start('long', planOf(['write', 'read']));
while ((await asked.query('status')).phase !== 'awaiting-approval') await setTimeout(100);
const { digest } = await asked.query('plan');
entered.length = 0;
await asked.signal('decide', { kind: 'approve', digest, by: 'operator' });
await asked.result();
print('an approve signal', 'receiveSignal', 'decide', 'passDeadlines');
print('an at-most-once effect', 'startNode', 'succeed', 'passDeadlines');
await (await start('long', { goal: 'Read', options: { mode: 'reactive', approval: 'effects' } })).result();
print('a reactive round', 'nextRound', 'activities/decide-step.js', 'passDeadlines');
await (await start('short', planOf(Array.from({ length: 6 }, () => 'read')))).result();
print('continue-as-new', 'pressure', 'restoreRun', 'takeTurn');

await Promise.all(stops.map((stop) => stop()));
await Promise.all([connection.close(), client.connection.close()]);
await server.stop();

/** From the last `from` before the first `middle` to the next `to`. @param {string[]} marks functions, or files */
function print(/** @type {string} */ name, ...marks) {
  const [from, middle, to] = marks.map((mark) => (/** @type {string} */ what) => {
    return what.endsWith(`:${mark}`) || what.startsWith(`${mark}:`);
  });
  const at = entered.findIndex((what) => middle?.(what));
  const begin = entered.slice(0, at).findLastIndex((what) => from?.(what));
  const length = entered.slice(at).findIndex((what) => to?.(what));
  if (begin < 0 || length < 0)
    throw new Error(`${name}: one of ${marks.join(', ')} is not entered, or has another name`);
  const files = new Set(entered.slice(begin, at + length).map((what) => what.split(':', 1)[0]));
  console.log([`| ${name} | ${files.size} |`, ...(process.argv.includes('--list') ? files : [])].join('\n  '));
}

/** A chain, in which each task takes the result of the one before. @param {string[]} capabilities */
function planOf(capabilities) {
  /** @param {object | undefined} input @param {string} capability */
  const next = (input, capability) => ({ type: 'task', task: capability, capability, arguments: {}, input });
  return { goal: 'Nothing', plan: capabilities.reduce(next, undefined), options: { approval: 'effects' } };
}

/** In debug mode workflows run in this thread. @param {string} taskQueue @param {object} options @returns stops it */
async function startWorker(taskQueue, options) {
  const place = { connection, namespace: 'default', taskQueue, sdk: { debugMode: true } };
  const store = createFileStore(join(folder, 'results'));
  const worker = await own.createWorker({ ...place, registry, store, ...options });
  const running = worker.run();
  return () => (worker.shutdown(), running);
}

/** @param {string} taskQueue @param {object} input */
function start(taskQueue, input) {
  entered.length = 0;
  return client.workflow.start('planWorkflow', { taskQueue, workflowId: randomUUID(), args: [input] });
}

/** Has each function of a file say that it is entered. @param {string} path */
function trace(path) {
  const text = readFileSync(path, 'utf8');
  /** @type {[at: number, what: string][]} */
  const inserted = [];
  /** @param {any} node @param {string} name */
  const visit = (node, name) => {
    if (node === null || typeof node !== 'object') return;
    if (/Function/.test(node.type)) {
      const call = `TextEncoder.entered?.(${JSON.stringify(`${relative(copy, path)}:${node.id?.name ?? name}`)})`;
      if (node.body.type === 'BlockStatement') inserted.push([node.body.start + 1, `${call};`]);
      else inserted.push([node.body.end, ')'], [node.body.start, `(${call},`]);
    }
    for (const part of Object.values(node)) visit(part, node.key?.name ?? node.id?.name ?? name);
  };
  visit(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), '');
  let traced = text;
  for (const [at, what] of inserted.sort(([a], [b]) => b - a)) traced = traced.slice(0, at) + what + traced.slice(at);
  writeFileSync(path, `TextEncoder.loading?.(1);${traced}\nTextEncoder.loading?.(-1);\n`);
}
