/** One beyond each bound of clients, workers and the command line: docs/bounds.md says what happens then. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tellStrayErrors } from '../../src/cli/working/stray-errors.ts';
import { documentToSend } from '../../src/client/document.ts';
import { findRuns, pollersOf } from '../../src/client/reach/index.ts';
import { readInbox } from '../../src/client/inbox.ts';
import { createRunHandle } from '../../src/client/create-run-handle.ts';
import { say } from '../../src/client/say.ts';
import { checkConfig } from '../../src/config/index.ts';
import { importDefault } from '../../src/config/import-config.ts';
import { followAgents } from '../../src/client/follow-agents.ts';
import { ClientError } from '../../src/client/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { planwrightPlugin } from '../../src/worker/index.ts';

const PLACE = { address: '127.0.0.1:7233', namespace: 'default', taskQueue: 'planwright' };
const store = { put: () => Promise.resolve('ref'), bound: () => Promise.resolve('ref') } as never;

test('a document of 2049 bytes travels by reference', async () => {
  expect(await documentToSend('x'.repeat(2048), store)).toHaveProperty('plan');
  expect(await documentToSend('x'.repeat(2049), store)).toEqual({ ref: 'ref' });
});

/** A double of a server that lists so many runs, each of which waits for one thing. */
function serving(runs: number) {
  const deadlines: number[] = [];
  const client = {
    connection: {
      withDeadline: (at: number, call: () => unknown) => (deadlines.push(at - Date.now()), call()),
      operatorService: { listSearchAttributes: () => Promise.resolve({}) },
    },
    workflowService: {
      describeTaskQueue: () =>
        Promise.resolve({
          pollers: [64_000, 66_000].map((ago) => ({
            identity: `at ${ago}`,
            lastAccessTime: { seconds: { toNumber: () => (Date.now() - ago) / 1000 }, nanos: 0 },
          })),
        }),
    },
    workflow: {
      count: () => Promise.resolve({ count: runs }),
      async *list() {
        for (let at = 0; at < runs; at++) yield { type: 'plan', taskQueue: 'q', workflowId: `run-${at}` };
      },
    },
  };
  return { client: client as never, deadlines };
}

test('of 1001 runs the inbox asks 1000', async () => {
  const { runs, notAsked } = await findRuns(serving(1001).client, PLACE, undefined);
  expect([runs.length, notAsked]).toEqual([1000, 1]);
});

test('of 101 items the inbox lists 100, and says how many more there are', async () => {
  const times = { since: '2026-01-02T03:04:05.000Z', deadline: '2026-01-03T03:04:05.000Z' };
  const handleOf = (workflowId: string) => ({
    view: async () => ({ open: [{ id: 'approval', workflowId, digest: 'd', ...times }] }),
  });
  const inbox = await readInbox({ client: serving(101).client, place: PLACE, handleOf } as never);
  expect([inbox.items.length, inbox.more]).toEqual([100, 1]);
});

test('who polls is asked for 5 seconds, and is there who asked within 65', async () => {
  const { client, deadlines } = serving(0);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pollers = await pollersOf({ client, namespace: 'default' }, 'q', 'workflow');
  expect(pollers.map(({ isThere }) => isThere)).toEqual([true, false]);
  expect(deadlines).toEqual([5000]);
});

test('a worker has 5 seconds for its answer', async () => {
  const deadlines: number[] = [];
  const client = {
    workflow: { getHandle: () => ({ query: () => Promise.reject(new Error('no')) }) },
    connection: { withDeadline: (at: number, call: () => unknown) => (deadlines.push(at - 1000), call()) },
  };
  const now = vi.spyOn(Date, 'now').mockReturnValue(1000);
  await createRunHandle({ client, store, place: PLACE } as never, 'plan-1')
    .view(['status'])
    .catch(() => undefined);
  now.mockRestore();
  expect(deadlines).toEqual([5000]);
});

test('the reply to a message has 60 seconds, the one to a revision 600, and what is kept 30', async () => {
  const times: (number | undefined)[] = [];
  const kept = { ok: true, reply: 'kept until the plan is compiled', kept: true };
  const bounded = <T>(work: () => Promise<T>, ms?: number) => (times.push(ms), work());
  const handle = {
    workflowId: 'plan-1',
    client: { connection: { withDeadline: (_: number, call: () => unknown) => call() } },
    startUpdate: () => Promise.resolve({ result: () => Promise.resolve(kept) }),
    query: () => Promise.resolve(kept),
  } as never;
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const from = Date.now();
  const said = async (message: object) => {
    const told = say(handle, bounded, 'decide', message as never, undefined);
    await vi.advanceTimersByTimeAsync(29_000);
    const early = await Promise.race([told, Promise.resolve('waits')]);
    await vi.advanceTimersByTimeAsync(6000);
    return [early, (await told).how];
  };
  expect(await said({ kind: 'approve', digest: 'ffffffff', by: 'operator' })).toEqual(['waits', 'kept']);
  expect(await said({ kind: 'revise', digest: 'ffffffff', by: 'operator', feedback: 'f' })).toEqual(['waits', 'kept']);
  expect(times.filter((ms) => ms === 60_000 || ms === 600_000)).toEqual([60_000, 600_000]);
  expect(Date.now() - from).toBeGreaterThanOrEqual(60_000);
});

test('of 101 nodes of agents 100 are looked at when a run has ended', async () => {
  const asked: string[] = [];
  const child = (id: string) => (asked.push(id), { view: () => Promise.reject(new ClientError('no-run', 'gone')) });
  const nodes = Array.from({ length: 101 }, (_, at) => ({
    id: `node_${at + 1}`,
    executor: 'agent a@1 read',
    status: 'succeeded',
  }));
  await followAgents({ workflowId: 'plan-1' } as never, child)
    .lookBack({ revision: 1, chain: 'c' } as never, nodes as never)
    .catch(() => undefined);
  expect(asked.length).toBe(100);
});

test('an uncaught error is told in 4000 characters', () => {
  const told: string[] = [];
  const others = process.listeners('uncaughtException');
  const end = tellStrayErrors((text) => told.push(text));
  const own = process.listeners('uncaughtException').find((one) => !others.includes(one));
  const error = Object.assign(new Error('x'), { stack: 'x'.repeat(4001) });
  own?.(error, 'uncaughtException');
  end();
  expect(told[0]?.endsWith(`\n${'x'.repeat(3999)}…`)).toBe(true);
});

test.each([
  ['replyBytes', 64 * 2 ** 20, 1],
  ['temperature', 2, 0.1],
])('a config with a model whose %s is above %d is refused', (name, most, more) => {
  const check = (value: number) => () =>
    checkConfig({ capabilities: [], model: { name: 'm', [name]: value } }, '/project/planwright.config.ts');
  expect(check(most)).not.toThrow();
  expect(check(most + more)).toThrow(`config.model.${name}`);
});

test('loading a config is told of after 10 seconds, and given up after 60', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'planwright.config.mjs');
  await writeFile(file, 'export default {}');
  const timer = vi.spyOn(globalThis, 'setTimeout');
  await importDefault(file);
  const times = timer.mock.calls.map(([, ms]) => ms);
  timer.mockRestore();
  expect(times).toEqual(expect.arrayContaining([10_000, 60_000]));
});

test('a worker keeps 500 runs, gives attempts 10 seconds to end and itself 30, a step a minute, and others 2 seconds', async () => {
  const plugin = planwrightPlugin({ registry: createRegistry([]), store });
  const connection = {
    operatorService: { listSearchAttributes: () => Promise.resolve({}) },
    workflowService: { describeNamespace: () => Promise.resolve({ namespaceInfo: { id: 'default' } }) },
    withDeadline: (_: number, call: () => unknown) => call(),
  };
  const options = await plugin.configureWorker!({ connection, taskQueue: 'q', workflowsPath: 'none' } as never);
  expect(options).toMatchObject({
    ...{ maxCachedWorkflows: 500, shutdownGraceTime: '10 seconds', shutdownForceTime: '30 seconds' },
    ...{ isolateExecutionTimeout: '1 minute', stickyQueueScheduleToStartTimeout: '2 seconds' },
  });
});
