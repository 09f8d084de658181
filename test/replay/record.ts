/**
 * Records the histories that replay.test.ts replays: one run for each way of ending, on a real server.
 * Run it only in a commit that changes the order of a workflow's commands, and say why there.
 *
 *   npx tsx test/replay/record.ts
 *   npx tsx test/replay/record.ts planned delegated   # together: the model of both says its replies in order
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineAgent } from '../../src/capabilities/index.ts';
import { connectOrStart } from '../../src/cli/dev-server/dev-server.ts';
import { createFileStore } from '../../src/store/index.ts';
import type { OpenItem, PlanView, RunStatus } from '../../src/protocol/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import { createWorker, type WorkerOptions } from '../../src/worker/index.ts';
import { openModels } from '../../src/config/own-worker/index.ts';
import { release } from '../support/deployments.ts';
import { createBarrier, fails, ids, waits, writes } from '../support/capabilities.ts';
import { writePacked } from '../support/packed-json.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { eventually } from '../support/eventually.ts';

const IDENTITY = 'recorder';
const only = process.argv.slice(2);
const TREE = combine(
  'UNION',
  combine('MINUS', idsOf('a', 'b'), idsOf('b')),
  combine('INTERSECT', idsOf('a', 'b'), idsOf('c')),
);
const ASK = task('ask', { question: 'Which?' });
const barrier = createBarrier();

interface Scenario {
  readonly input: unknown;
  readonly act: (run: WorkflowHandle) => Promise<unknown>;
  /** Its worker has a model and an agent; the agent's run becomes a file of its own, if there is one. */
  readonly isModelled?: true;
  /** Its queue, where it goes on in histories, each of which becomes a file: of a few nodes, or from build to build. */
  readonly chainOn?: 'record-short' | 'record-released';
}

/** What is done with a run after its start; each name becomes a file. */
const SCENARIOS: Record<string, Scenario> = {
  done: { input: planOf(TREE), act: approve },
  'done-without-asking': { input: planOf(TREE, { approval: 'effects' }), act: nothing },
  'done-by-update-after-refusals': { input: planOf(idsOf('a')), act: approveAfterRefusals },
  rejected: {
    input: planOf(idsOf('a')),
    act: async (run) => run.signal('reject', { digest: await digestOf(run), by: 'operator' }),
  },
  expired: { input: planOf(idsOf('a'), { approvalDeadline: 500 }), act: nothing },
  'invalid-plan': { input: planOf({ type: 'combine' }), act: nothing },
  'invalid-input': { input: { goal: 5 }, act: nothing },
  failed: { input: planOf(combine('UNION', task('fails', { how: 'critical' }), idsOf('a'))), act: approve },
  partial: {
    input: planOf(combine('UNION', task('fails', { how: 'critical' }), idsOf('a')), { onFailure: 'partial' }),
    act: approve,
  },
  uncertain: { input: planOf(task('once', { value: 'on', mode: 'breaks' }), { answerDeadline: 500 }), act: approve },
  resolved: {
    input: planOf(task('once', { value: 'on', mode: 'breaks' })),
    act: async (run) => {
      await approve(run);
      await openId(run, 'uncertain');
      // Its reply says that the node is under way: what is uncertain after it is the repetition.
      await run.executeUpdate('control', {
        args: [{ action: 'retry-node', node: 'node_1', by: 'operator', comment: 'it is off' }],
      });
      await openId(run, 'uncertain');
      const succeeded = { outcome: 'succeeded', value: ['on'] };
      await run.signal('control', { action: 'resolve', node: 'node_1', ...succeeded, by: 'operator' });
    },
  },
  // A part that tells of a node an effect waits for, is halted by a pause, and another one after it.
  'together-and-paused': {
    input: planOf(
      combine(
        'UNION',
        combine('UNION', task('waits', { at: 'together' }), idsOf('a', 'b')),
        task('fails', { how: 'critical' }),
      ),
      { lane: 'parts', onFailure: 'partial' },
    ),
    act: async (run) => {
      await approve(run);
      await barrier.reached('together');
      await run.executeUpdate('control', { args: [{ action: 'pause', by: 'operator' }] });
      await eventually(async () => (await run.query<RunStatus>('status')).counts.running === 0);
      await run.executeUpdate('control', { args: [{ action: 'resume', by: 'operator' }] });
      barrier.open('together');
    },
  },
  'approved-in-parts': {
    input: planOf(TREE, { approval: { rules: [{ roles: ['operator'] }] } }),
    act: async (run) => {
      const said = { digest: await digestOf(run), by: 'operator', role: 'operator' };
      await run.signal('approve', { digest: said.digest, by: 'operator' });
      await run.signal('decide', { ...said, kind: 'approve-part', nodes: ['node_3'] });
      await run.signal('decide', { ...said, kind: 'withdraw' });
      await run.signal('approve', said);
    },
  },
  edited: {
    input: planOf(combine('UNION', idsOf('a'), idsOf('b'))),
    act: async (run) => {
      const digest = await digestOf(run);
      await run.signal('decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_1'] });
      const edit = { kind: 'edit', digest, by: 'editor' };
      await run.executeUpdate('decide', { args: [{ ...edit, plan: task('nowhere', {}) }] }).catch(() => undefined);
      await run.executeUpdate('decide', { args: [{ ...edit, plan: combine('UNION', idsOf('a'), idsOf('c')) }] });
      await approve(run);
    },
  },
  asked: {
    input: planOf(
      combine(
        'UNION',
        task('ids', { ids: ['a'] }, { input: task('ask', { question: 'Which?', schema: { type: 'string' } }) }),
        task('ids', { ids: ['b'] }, { input: task('ask', { question: 'How many?', default: 1, deadline: '1s' }) }),
      ),
      { approval: 'effects' },
    ),
    act: async (run) => {
      const question = await openId(run, 'question', 'Which?');
      await run.signal('answer', { question, value: 7, by: 'operator' });
      await run.signal('answer', { question, value: 'all', by: 'operator' });
    },
  },
  controlled: {
    input: planOf(combine('UNION', task('waits', { at: 'endless' }), idsOf('a')), { onFailure: 'partial' }),
    act: async (run) => {
      await run.signal('control', { action: 'pause', by: 'operator' });
      await approve(run);
      await run.signal('control', { action: 'resume', by: 'operator' });
      await barrier.reached('endless');
      await run.signal('control', { action: 'cancel-node', node: 'node_1', by: 'operator' });
    },
  },
  continued: {
    chainOn: 'record-short',
    input: planOf(combine('UNION', combine('UNION', TREE, { ...idsOf('e'), input: ASK }), idsOf('d'))),
    act: async (run) => {
      const digest = await digestOf(run);
      await run.signal('decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_9'] });
      await openId(run, 'question');
      for (let history = 1; history < 3; history++) {
        const { runId } = await run.describe();
        for (let turn = 0; turn < 12; turn++) {
          await run.signal('control', { action: turn % 2 === 0 ? 'pause' : 'resume', by: 'operator' });
        }
        // It is handed over when nothing comes for a moment.
        await eventually(async () => (await run.describe()).runId !== runId);
      }
      await run.signal('reject', { digest, by: 'operator' });
    },
  },
  // What is carried over is too long for a payload, and goes through the store.
  'continued-in-pages': {
    chainOn: 'record-short',
    input: {
      plan: {
        goal: 'g',
        steps: Array.from({ length: 8 }, (_, n) => ({
          context_key: `k${n}`,
          capability: 'ids',
          task_objective: `the ids of ${n}`,
          parameters: { ids: [`${n}`] },
        })),
      },
      options: { approval: 'effects', concurrency: 1, context: { long: 'x'.repeat(80_000) } },
    },
    act: nothing,
  },
  // It waits across two releases, and is told to go on after each.
  released: {
    chainOn: 'record-released',
    input: planOf(idsOf('a')),
    act: async (run) => {
      await openId(run, 'approval');
      for (const build of ['2', '3']) {
        await deploy(build);
        const { runId } = await run.describe();
        await run.signal('control', { action: 'go-on', by: 'operator' });
        await eventually(async () => (await run.describe()).runId !== runId);
        await openId(run, 'approval');
      }
      await approve(run);
    },
  },
  planned: {
    isModelled: true,
    input: { goal: 'Find a' },
    act: async (run) => {
      await run.signal('answer', { question: await openId(run, 'question'), value: 'only a', by: 'operator' });
      const digest = await digestOf(run);
      await run.executeUpdate('decide', { args: [{ kind: 'revise', digest, by: 'operator', feedback: 'take b' }] });
      await approve(run);
    },
  },
  delegated: {
    isModelled: true,
    input: { goal: 'Find a', plan: { task: 'Find', agent: 'finder' } },
    act: async (run) => {
      await approve(run);
      const child = client.workflow.getHandle(await childOf(run));
      await openId(child, 'approval');
      await approve(child);
    },
  },
  cancelled: {
    input: planOf(combine('UNION', task('waits', { at: 'never' }), idsOf('a'))),
    act: async (run) => {
      await approve(run);
      await barrier.reached('never');
      await run.cancel();
    },
  },
};

Runtime.install({ logger: new DefaultLogger('ERROR') });
const folder = await mkdtemp(join(tmpdir(), 'planwright-record-'));
const server = await connectOrStart({
  reuse: false,
  headless: true,
  port: 0,
  databaseFile: join(folder, 'temporal.db'),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const connection = await Connection.connect({ address: server.address });
const client = new Client({ connection, identity: IDENTITY });
const workerConnection = await NativeConnection.connect({ address: server.address });
const workerOn = (taskQueue: string, over: Partial<WorkerOptions> = {}) =>
  createWorker({
    connection: workerConnection,
    namespace: 'default',
    taskQueue,
    sdk: { identity: IDENTITY },
    registry: createRegistry([ids, fails, waits(barrier), writes('once', 'at-most-once', [])]),
    store: createFileStore(join(folder, 'results')),
    ...over,
  });
const releases: (() => Promise<void>)[] = [];
/** In the order of the scenarios. */
const call = (name: string, args: object) => ({
  reply: { toolCalls: [{ id: 'c', name, arguments: JSON.stringify(args) }] },
});
const finding = (id: string) => ({
  reply: { value: { nodes: [{ id: 'a', task: 'Find', capability: 'ids', arguments: { ids: [id] } }] } },
});
const MODEL = scriptedClient([
  { reply: { value: { question: { text: 'Which?' } } } },
  { reply: 'Not a plan.' },
  finding('a'),
  finding('b'),
  call('ids', { ids: ['a'] }),
  call('once', { value: 'on' }),
  call('finish', { answer: 'found' }),
]);
const models = openModels({ model: MODEL });
const modelled = await createWorker({
  connection: workerConnection,
  namespace: 'default',
  taskQueue: 'record-modelled',
  sdk: { identity: IDENTITY },
  registry: createRegistry([ids], {
    agents: [
      defineAgent({
        name: 'finder',
        description: 'Finds.',
        instructions: 'Find.',
        capabilities: [ids, writes('once', 'at-most-once', [])],
      }),
    ],
  }),
  store: createFileStore(join(folder, 'results')),
  ...(models !== undefined && { models }),
});
const worker = await workerOn('record');
const short = await workerOn('record-short', {
  historyBudget: { soft: { events: 30, bytes: 2 ** 20 }, hard: { events: 200, bytes: 2 ** 22 } },
});
await modelled.runUntil(short.runUntil(worker.runUntil(recordAll)));
for (const end of releases) await end();
await workerConnection.close();
await connection.close();
await server.stop();
await rm(folder, { recursive: true, force: true });

async function recordAll(): Promise<void> {
  for (const [name, { input, act, chainOn, isModelled }] of Object.entries(SCENARIOS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const taskQueue = chainOn ?? (isModelled === true ? 'record-modelled' : 'record');
    if (chainOn === 'record-released') await deploy('1');
    const run = await client.workflow.start('planWorkflow', { taskQueue, workflowId: name, args: [input] });
    // A later history has another run id.
    await act(chainOn === 'record-released' ? client.workflow.getHandle(name) : run);
    await run.result().catch(() => undefined);
    const firstRunId = chainOn !== undefined ? await chainOf(name) : [run, ...(await childrenOf(name))];
    for (const [at, one] of firstRunId.entries()) {
      const history: unknown = JSON.parse(historyToJSON(await one.fetchHistory()), withoutPaths);
      const file = chainOn !== undefined ? `${name}-${at + 1}` : at === 0 ? name : `${name}-agent`;
      writePacked(new URL(`histories/${file}.json.gz`, import.meta.url), history);
      process.stdout.write(`${file}\n`);
    }
  }
}

/** A worker of this build, beside those of the builds before, and the one that new histories are given to. */
async function deploy(build: string): Promise<void> {
  const own = await NativeConnection.connect({ address: server.address });
  const deployment = { name: 'record', build };
  const released = await workerOn('record-released', { connection: own, deployment });
  const over = released.run();
  releases.push(async () => {
    released.shutdown();
    await over;
    await own.close();
  });
  await release(client, deployment);
}

/** The runs of its agents. */
async function childrenOf(workflowId: string): Promise<WorkflowHandle[]> {
  const runs: WorkflowHandle[] = [];
  for await (const run of client.workflow.list({ query: `ParentWorkflowId = '${workflowId}'` })) {
    runs.push(client.workflow.getHandle(run.workflowId));
  }
  return runs;
}

function childOf(run: WorkflowHandle): Promise<string> {
  return eventually(async () => (await run.query<RunStatus>('status')).children?.[0]?.workflowId);
}

/** The histories of a run, the first one first. */
async function chainOf(workflowId: string): Promise<WorkflowHandle[]> {
  const runs: { readonly runId: string; readonly startTime: Date }[] = [];
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run);
  return runs
    .toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime())
    .map(({ runId }) => client.workflow.getHandle(workflowId, runId));
}

/** Where the recording machine keeps its files is no part of a history. */
function withoutPaths(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? '' : value;
}

async function digestOf(run: WorkflowHandle): Promise<string> {
  await eventually(async () => (await run.query<RunStatus>('status')).phase !== 'drafting');
  return (await run.query<PlanView>('plan')).digest;
}

/** The id of the thing of this kind that the run waits for. */
async function openId(run: WorkflowHandle, kind: OpenItem['kind'], text = ''): Promise<string> {
  const { id } = await eventually(async () => {
    const open = await run.query<readonly OpenItem[]>('questions');
    return open.find((item) => item.kind === kind && item.text.includes(text));
  });
  return id;
}

async function approve(run: WorkflowHandle): Promise<void> {
  await run.signal('approve', { digest: await digestOf(run), by: 'operator' });
}

async function approveAfterRefusals(run: WorkflowHandle): Promise<void> {
  const digest = await digestOf(run);
  await run.signal('approve', 'yes');
  await run.signal('aprove', { digest, by: 'operator' });
  await run.signal('approve', { digest: 'ffffffff', by: 'operator' });
  await run.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'operator' }] });
}

async function nothing(): Promise<void> {}
