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
import type { PlanView, RunStatus } from '../../src/run/index.ts';
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
  uncertain: { input: planOf(task('once', { value: 'on', mode: 'breaks' })), act: approve },
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
  identity: IDENTITY,
  registry: createRegistry([ids, fails, waits(barrier), writes('once', 'at-most-once', [])]),
  store: createFileStore(join(folder, 'results')),
});
await worker.runUntil(async () => {
  for (const [name, { input, act }] of Object.entries(SCENARIOS)) {
    const run = await client.workflow.start('planWorkflow', { taskQueue: 'record', workflowId: name, args: [input] });
    await act(run);
    await run.result().catch(() => undefined);
    const history = JSON.stringify(JSON.parse(historyToJSON(await run.fetchHistory())), undefined, 1);
    await writeFile(fileURLToPath(new URL(`histories/${name}.json`, import.meta.url)), `${history}\n`);
    process.stdout.write(`${name}\n`);
  }
});
await workerConnection.close();
await connection.close();
await server.stop();
await rm(folder, { recursive: true, force: true });

async function digestOf(run: WorkflowHandle): Promise<string> {
  for (;;) {
    if ((await run.query<RunStatus>('status')).phase !== 'drafting') return (await run.query<PlanView>('plan')).digest;
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
