/**
 * Records the histories that replay.test.ts replays: one run for each way of ending, on a real server.
 * Run it only in a commit that changes the order of a workflow's commands, and say why there.
 *
 *   npx tsx test/replay/record.ts
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { createRegistry } from '../../src/capabilities/index.ts';
import { connectOrStart } from '../../src/dev-server/index.ts';
import { createFileStore } from '../../src/results/index.ts';
import type { OpenItem, PlanView, RunStatus } from '../../src/run/index.ts';
import { createWorker } from '../../src/worker/index.ts';
import { createBarrier, fails, ids, waits, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';

const IDENTITY = 'recorder';
const TREE = combine(
  'UNION',
  combine('MINUS', idsOf('a', 'b'), idsOf('b')),
  combine('INTERSECT', idsOf('a', 'b'), idsOf('c')),
);
const barrier = createBarrier();

/** What is done with a run after its start; each name becomes a file. */
const SCENARIOS: Record<string, { input: unknown; act: (run: WorkflowHandle) => Promise<unknown> }> = {
  done: { input: planOf(TREE), act: approve },
  'done-without-asking': { input: planOf(TREE, { approval: 'effects' }), act: nothing },
  'done-by-update-after-refusals': { input: planOf(idsOf('a')), act: approveAfterRefusals },
  rejected: {
    input: planOf(idsOf('a')),
    act: async (run) => run.signal('reject', { digest: await digestOf(run), by: 'ana' }),
  },
  expired: { input: planOf(idsOf('a'), { approvalDeadline: 500 }), act: nothing },
  'invalid-plan': { input: planOf({ type: 'combine' }), act: nothing },
  'invalid-input': { input: { goal: 'g' }, act: nothing },
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
      await run.signal('control', { action: 'retry-node', node: 'node_1', by: 'ana' });
      await openId(run, 'uncertain');
      await run.signal('control', { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: 'on', by: 'ana' });
    },
  },
  'approved-in-parts': {
    input: planOf(TREE, { approval: { rules: [{ roles: ['operator'] }] } }),
    act: async (run) => {
      const said = { digest: await digestOf(run), by: 'ana', role: 'operator' };
      await run.signal('approve', { digest: said.digest, by: 'ana' });
      await run.signal('decide', { ...said, kind: 'approve-part', nodes: ['node_3'] });
      await run.signal('decide', { ...said, kind: 'withdraw' });
      await run.signal('approve', said);
    },
  },
  edited: {
    input: planOf(combine('UNION', idsOf('a'), idsOf('b'))),
    act: async (run) => {
      const digest = await digestOf(run);
      await run.signal('decide', { kind: 'approve-part', digest, by: 'ana', nodes: ['node_1'] });
      const edit = { kind: 'edit', digest, by: 'ben' };
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
      await run.signal('answer', { question, value: 7, by: 'ana' });
      await run.signal('answer', { question, value: 'all', by: 'ana' });
    },
  },
  controlled: {
    input: planOf(combine('UNION', task('waits', { at: 'endless' }), idsOf('a')), { onFailure: 'partial' }),
    act: async (run) => {
      await run.signal('control', { action: 'pause', by: 'ana' });
      await approve(run);
      await run.signal('control', { action: 'resume', by: 'ana' });
      await barrier.reached('endless');
      await run.signal('control', { action: 'cancel-node', node: 'node_1', by: 'ana' });
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
const worker = await createWorker({
  connection: workerConnection,
  namespace: 'default',
  taskQueue: 'record',
  workerName: IDENTITY,
  registry: createRegistry([ids, fails, waits(barrier), writes('once', 'at-most-once', [])]),
  store: createFileStore(join(folder, 'results')),
});
await worker.runUntil(async () => {
  for (const [name, { input, act }] of Object.entries(SCENARIOS)) {
    const run = await client.workflow.start('planWorkflow', { taskQueue: 'record', workflowId: name, args: [input] });
    await act(run);
    await run.result().catch(() => undefined);
    const history = JSON.stringify(JSON.parse(historyToJSON(await run.fetchHistory())), withoutPaths, 1);
    await writeFile(fileURLToPath(new URL(`histories/${name}.json`, import.meta.url)), `${history}\n`);
    process.stdout.write(`${name}\n`);
  }
});
await workerConnection.close();
await connection.close();
await server.stop();
await rm(folder, { recursive: true, force: true });

/** Where the recording machine keeps its files is no part of a history. */
function withoutPaths(key: string, value: unknown): unknown {
  return key === 'stackTrace' ? '' : value;
}

async function digestOf(run: WorkflowHandle): Promise<string> {
  for (;;) {
    if ((await run.query<RunStatus>('status')).phase !== 'drafting') return (await run.query<PlanView>('plan')).digest;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The id of the thing of this kind that the run waits for. */
async function openId(run: WorkflowHandle, kind: OpenItem['kind'], text = ''): Promise<string> {
  for (;;) {
    const open = await run.query<readonly OpenItem[]>('questions');
    const found = open.find((item) => item.kind === kind && item.text.includes(text));
    if (found !== undefined) return found.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function approve(run: WorkflowHandle): Promise<void> {
  await run.signal('approve', { digest: await digestOf(run), by: 'ana' });
}

async function approveAfterRefusals(run: WorkflowHandle): Promise<void> {
  const digest = await digestOf(run);
  await run.signal('approve', 'yes');
  await run.signal('aprove', { digest, by: 'ana' });
  await run.signal('approve', { digest: 'ffffffff', by: 'ana' });
  await run.executeUpdate('decide', { args: [{ kind: 'approve', digest, by: 'ana' }] });
}

async function nothing(): Promise<void> {}
