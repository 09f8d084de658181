/**
 * Runs of a size, on the real server with workers in processes of their own, one of which is killed on the way. The
 * sizes come from the caller: `npm test` has short forms, `npm run test:long` the long ones.
 */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { inject } from 'vitest';
import { createPlanClient, type PlanClient, type RunHandle } from '../../src/client/index.ts';
import type { HistoryBudget, Lane, RunResult, RunStatus } from '../../src/protocol/index.ts';
import { createFileStore } from '../../src/store/index.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';

export interface Length {
  readonly client: Client;
  readonly plans: PlanClient;
  readonly workers: WorkerProcess[];
  start(document: object, lane?: { readonly lane?: Lane }): Promise<RunHandle>;
  startWorker(): Promise<WorkerProcess>;
  /** Kills the worker at work with SIGKILL. */
  kill(): Promise<void>;
  until(run: RunHandle, fits: (status: RunStatus) => boolean): Promise<RunStatus>;
  /** Asks a status again and again while no worker is there for it. */
  end(run: RunHandle): Promise<RunResult>;
  handle(run: RunHandle): WorkflowHandle;
  /** Histories of the chain, and the events of all of them. */
  histories(run: RunHandle): Promise<{ readonly count: number; readonly events: number; readonly longest: number }>;
  /** Workflow tasks that the server failed for what had arrived during them, and how many of them came right after another. */
  forcedClosed(run: RunHandle): Promise<{ readonly failed: number; readonly inARow: number }>;
  close(): Promise<void>;
}

const DEADLINE_MS = 1_200_000;
/** `WorkflowTaskFailedCause` of the server's API. */
const FORCE_CLOSE_COMMAND = 17;
let lengths = 0;

/** @param budget how long a history may get; default the product's own @param model address of a model server */
export async function openLength(budget?: HistoryBudget, model?: string): Promise<Length> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-length-'));
  const taskQueue = `length-${process.pid}-${++lengths}`;
  const address = inject('address');
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const store = createFileStore(join(folder, 'results'));
  const plans = createPlanClient({ client, address, namespace: 'default', store, taskQueue });
  const workers: WorkerProcess[] = [];
  const handle = (run: RunHandle) => client.workflow.getHandle(run.workflowId);

  const length: Length = {
    client,
    plans,
    workers,
    handle,
    async start(document, lane = {}) {
      const options = { approval: 'effects', limits: { nodes: 200_000 }, ...lane } as const;
      const started = await plans.start(document, { options });
      if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
      return started.run;
    },
    async startWorker() {
      const worker = await startWorker(folder, taskQueue, budget, model);
      workers.push(worker);
      return worker;
    },
    async kill() {
      const worker = workers.at(-1);
      if (worker === undefined || worker.process.signalCode !== null) return;
      const exited = once(worker.process, 'exit');
      worker.process.kill('SIGKILL');
      await exited;
    },
    async until(run, fits) {
      const deadline = Date.now() + DEADLINE_MS;
      for (;;) {
        // A worker that has just started may be busy with the past.
        const { status } = (await run.view(['status']).catch(() => undefined)) ?? {};
        if (status !== undefined && fits(status)) return status;
        if (Date.now() > deadline) throw new Error(`the run stayed at ${JSON.stringify(status)}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async end(run) {
      const end = await run.end();
      if (end.how !== 'completed') throw new Error(JSON.stringify(end).slice(0, 2000));
      return end.result;
    },
    async histories(run) {
      let [count, events, longest] = [0, 0, 0];
      for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${run.workflowId}"` })) {
        const { historyLength } = await client.workflow.getHandle(run.workflowId, runId).describe();
        count += 1;
        events += historyLength;
        longest = Math.max(longest, historyLength);
      }
      return { count, events, longest };
    },
    async forcedClosed(run) {
      let [failed, inARow] = [0, 0];
      for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${run.workflowId}"` })) {
        let isAfterFailed = false;
        for await (const event of eventsOf(client, run.workflowId, runId)) {
          const { workflowTaskFailedEventAttributes: task, workflowTaskCompletedEventAttributes } = event;
          if (workflowTaskCompletedEventAttributes) isAfterFailed = false;
          if (Number(task?.cause) !== FORCE_CLOSE_COMMAND) continue;
          failed += 1;
          if (isAfterFailed) inARow += 1;
          isAfterFailed = true;
        }
      }
      return { failed, inARow };
    },
    async close() {
      await length.kill();
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return length;
}

/** In small pages: one of the usual size is larger than a client takes where its signals are. */
async function* eventsOf(client: Client, workflowId: string, runId: string) {
  const { namespace } = client.workflow.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      ...{ namespace, execution: { workflowId, runId }, maximumPageSize: 10 },
      ...(nextPageToken && { nextPageToken }),
    });
    yield* page.history?.events ?? [];
    ({ nextPageToken } = page);
  } while (nextPageToken?.length);
}

/** A line with what was measured, for people. */
export function tell(what: string, facts: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${what}: ${JSON.stringify(facts)}\n`);
}

export const leaf = (n: number) => ({
  type: 'task',
  task: `n${n}`,
  capability: 'ids',
  arguments: { ids: [`i${n % 7}`] },
});

/** A balanced tree of unions over so many nodes, which is an odd number. */
export function treeOf(nodes: number): object {
  let next = 0;
  const build = (size: number): object => {
    if (size === 1) return leaf(next++);
    // Both sides are odd.
    const left = 2 * Math.floor((size - 1) / 4) + 1;
    return { type: 'combine', operator: 'UNION', left: build(left), right: build(size - 1 - left) };
  };
  return { goal: `a tree of ${nodes} nodes`, plan: build(nodes) };
}

/** So many tasks, each taking the result of the one before. */
export function chainOf(nodes: number): object {
  let plan: object = leaf(0);
  for (let n = 1; n < nodes; n++) plan = { ...leaf(n), input: plan };
  return { goal: `a chain of ${nodes} nodes`, plan };
}

export function questionsOf(count: number): object {
  return {
    goal: `${count} questions`,
    steps: Array.from({ length: count }, (_, n) => ({
      context_key: `k${n}`,
      capability: 'ask',
      task_objective: `ask ${n}`,
      parameters: { question: `which ${n}?` },
    })),
  };
}
