/**
 * A worker in a process of its own, for tests that kill it. Reads its settings from the environment; prints `ready` and
 * then every node event as a JSON line. `nap` holds a task until a file of its name exists in the folder; `exit` kills the process; `mark` and
 * `mark-once` write their idempotency key into a ledger there, and may hold their task too; `write-device` when it begins and ends. With a model there are the agents `researcher` and `reader`.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import type { HistoryBudget } from '../../src/protocol/index.ts';
import { createRegistry, fromTools } from '../../src/capabilities/builtin/index.ts';
import { CapabilityError, defineAgent, defineCapability } from '../../src/capabilities/index.ts';
import { createFileStore, type Store } from '../../src/store/index.ts';
import type { IdentityConfig } from '../../src/protocol/identity/index.ts';
import { createWorker } from '../../src/worker/index.ts';
import { openModels, openReceipts } from '../../src/config/own-worker/index.ts';
import { tool } from './capabilities.ts';

const {
  ADDRESS = '',
  TASK_QUEUE = '',
  FOLDER = '',
  BUNDLE = '',
  BUDGET,
  MODEL,
  DIES_AT,
  ONE_SLOT,
  RECEIPTS,
  FOREIGN,
} = process.env;

const nap = tool('nap', 'read', 'set', z.object({ until: z.string() }), async (task) => {
  while (!existsSync(join(FOLDER, task.arguments.until))) await sleep(20, undefined, { signal: task.signal });
  return createSet([{ id: task.arguments.until }]);
});

const IDS = z.object({ ids: z.array(z.string()), ms: z.number().optional() });
const ids = tool('ids', 'read', 'set', IDS, async ({ arguments: { ids: all, ms = 0 }, signal }) => {
  if (ms > 0) await sleep(ms, undefined, { signal });
  return createSet(all.map((id) => ({ id })));
});

const die = () => process.kill(process.pid, 'SIGKILL');
/** Takes its process with it until there is the file `healed`: at the compile, or at work. */
const exit = tool(
  {
    name: 'exit',
    look({ arguments: { at } }) {
      if (at === 'compile' && !existsSync(join(FOLDER, 'healed'))) die();
      return Promise.resolve([]);
    },
  },
  'read',
  'set',
  z.object({ at: z.string() }),
  () => {
    if (!existsSync(join(FOLDER, 'healed'))) die();
    return createSet([{ id: 'healed' }]);
  },
);

/** In place of the minute that an effect at most once has: whoever is killed here is dead, and not just slow. */
const SOON_LOST = { timeout: { heartbeatMs: 5000 } };

const marks = (['idempotent', 'at-most-once'] as const).map((effect) =>
  tool(
    effect === 'idempotent' ? 'mark' : { name: 'mark-once', ...(DIES_AT !== undefined && SOON_LOST) },
    effect,
    'text',
    z.object({ name: z.string(), until: z.string().optional() }),
    async ({ idempotencyKey, arguments: { name, until = '' }, signal }) => {
      appendFileSync(join(FOLDER, 'ledger'), `${name} ${idempotencyKey}\n`);
      while (!existsSync(join(FOLDER, until))) await sleep(20, undefined, { signal });
      return name;
    },
  ),
);

const device = tool(
  { name: 'write-device', resource: 'device-under-test' },
  'idempotent',
  'text',
  z.object({ name: z.string(), until: z.string() }),
  async ({ arguments: { name, until }, signal }) => {
    appendFileSync(join(FOLDER, 'ledger'), `begin ${name}\n`);
    while (!existsSync(join(FOLDER, until))) await sleep(20, undefined, { signal });
    appendFileSync(join(FOLDER, 'ledger'), `end ${name}\n`);
    return name;
  },
);

/** Blocks its process until there is the file `send`, as one that stands still right before it sends. */
const pay = tool(
  {
    name: 'pay',
    timeout: { startToCloseMs: 40_000, heartbeatMs: 2000 },
    // Its own effect changes what it looks at.
    look({ arguments: { name } }) {
      const file = join(FOLDER, 'ledger');
      const now = existsSync(file) ? readFileSync(file, 'utf8').split(`${name} `).length - 1 : 0;
      // oxlint-disable-next-line unicorn/no-thenable -- a text, which nothing awaits
      return Promise.resolve({ shows: [{ what: name, now: `${now} paid`, then: `${now + 1} paid` }], state: now });
    },
    verify({ idempotencyKey, arguments: { name } }) {
      const isThere =
        existsSync(join(FOLDER, 'ledger')) && readFileSync(join(FOLDER, 'ledger'), 'utf8').includes(idempotencyKey);
      return isThere ? { happened: true, result: name } : { happened: false };
    },
  },
  'at-most-once',
  'text',
  z.object({ name: z.string(), send: z.string().default('.'), until: z.string().default('.') }),
  async ({ idempotencyKey, arguments: { name, send, until }, signal }) => {
    appendFileSync(join(FOLDER, 'about'), 'about to send\n');
    while (!existsSync(join(FOLDER, send))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    appendFileSync(join(FOLDER, 'ledger'), `${name} ${idempotencyKey}\n`);
    while (!existsSync(join(FOLDER, until))) await sleep(20, undefined, { signal });
    return name;
  },
);

const slow = defineCapability({
  effect: 'idempotent',
  output: 'text',
  name: 'write-slowly',
  description: 'Writes to a device for some seconds, longer than any pause of those who wait for it.',
  input: z.object({ name: z.string(), seconds: z.number() }),
  resource: 'slow-device-under-test',
  async execute({ arguments: { name, seconds }, signal }) {
    appendFileSync(join(FOLDER, 'ledger'), `begin ${name}\n`);
    await sleep(seconds * 1000, undefined, { signal });
    appendFileSync(join(FOLDER, 'ledger'), `end ${name}\n`);
    return name;
  },
});

/** A list that is looked at for as long as there is no file of its name, which says so in the ledger; `gone` is none. */
const list = tool(
  {
    name: 'list',
    async look({ arguments: { name }, signal }) {
      if (name === 'gone') return [];
      appendFileSync(join(FOLDER, 'looks'), `${name}\n`);
      while (!existsSync(join(FOLDER, name))) await sleep(20, undefined, { signal });
      return [];
    },
  },
  'read',
  'set',
  z.object({ name: z.string() }),
  ({ arguments: { name } }) => {
    if (name === 'gone') throw new CapabilityError('REPLANNING', 'there is no such list');
    return createSet([{ id: name }]);
  },
);

/** Loaded only if a test asks for them, since their packages take a second. */
async function foreignCapabilities() {
  if (FOREIGN !== 'yes') return [];
  const { FOREIGN_EFFECTS, foreignTools } = await import('./foreign-tools.ts');
  const tools = fromTools(foreignTools(FOLDER), { version: '1.0.0', effects: FOREIGN_EFFECTS });
  return tools.map((one) => ({ ...one, ...SOON_LOST }));
}

const agent = defineAgent({
  name: 'researcher',
  description: 'Finds sources.',
  instructions: 'Search before you answer.',
  capabilities: [nap, ids, ...marks],
});
const reader = defineAgent({
  name: 'reader',
  description: 'Reads, and changes nothing.',
  instructions: 'Look before you answer.',
  capabilities: [ids],
});
const models = MODEL === undefined ? undefined : openModels({ model: { baseURL: MODEL, name: 'double' } });

const files = createFileStore(join(FOLDER, 'results'));
const store: Store = {
  ...files,
  async put(key, bytes) {
    const isReceipt = key.startsWith('receipts/');
    if (isReceipt && DIES_AT === 'before-receipt') die();
    const isFirst = await files.put(key, bytes);
    if (isReceipt && DIES_AT === 'after-receipt') die();
    return isFirst;
  },
};

const signing =
  RECEIPTS === undefined
    ? undefined
    : (JSON.parse(RECEIPTS) as { readonly key: string; readonly identity: IdentityConfig });

Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await createWorker({
  connection: await NativeConnection.connect({ address: ADDRESS }),
  namespace: 'default',
  taskQueue: TASK_QUEUE,
  registry: createRegistry([nap, ids, exit, ...marks, device, slow, pay, list, ...(await foreignCapabilities())], {
    agents: models === undefined ? [] : [agent, reader],
  }),
  store,
  sdk: {
    workflowBundle: { codePath: BUNDLE },
    // A process that stands still must have no other poll open: whatever comes to it is lost.
    ...(ONE_SLOT === 'yes' && { maxConcurrentActivityTaskExecutions: 1, maxConcurrentWorkflowTaskPolls: 2 }),
  },
  ...(models !== undefined && { models }),
  ...(signing !== undefined && {
    identity: signing.identity,
    receipts: openReceipts(store, signing.key, signing.identity),
  }),
  ...(BUDGET !== undefined && { historyBudget: JSON.parse(BUDGET) as HistoryBudget }),
  onNode(event) {
    process.stdout.write(`${JSON.stringify(event)}\n`);
    if (event.what === DIES_AT) process.kill(process.pid, 'SIGKILL');
  },
});
process.stdout.write('ready\n');
await worker.run();
