/** One run, as a program talks to it. Every call has a deadline; a run itself may take days. */

import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import type {
  Decision,
  Heard,
  NodesPage,
  NodeView,
  OpenQuestion,
  PlanView,
  QueryName,
  RunResult,
  RunStatus,
  Trace,
} from '../run/index.ts';
import { readResult, type Result, type ResultStore } from '../results/index.ts';
import { ClientError, toClientError, type Place } from './client-error.ts';

/** How a run ended. */
export type RunEnd =
  | { readonly how: 'completed'; readonly result: RunResult }
  | { readonly how: 'failed'; readonly type: string; readonly message: string; readonly details: readonly unknown[] }
  | { readonly how: 'cancelled' | 'terminated' | 'timed-out'; readonly message: string };

export type Told =
  | { readonly how: 'answered'; readonly heard: Heard }
  | { readonly how: 'sent'; readonly message: string };

export interface RunHandle {
  readonly workflowId: string;
  status(): Promise<RunStatus>;
  plan(): Promise<PlanView>;
  nodes(): AsyncIterable<NodeView>;
  trace(): Promise<Trace>;
  questions(): Promise<readonly OpenQuestion[]>;
  /**
   * Tells the run a decision and waits for its answer. Without a worker the decision is left as a signal, which the
   * server keeps until one is there.
   * @throws ClientError `refused` or `stale` with the run's reason.
   */
  decide(decision: Decision): Promise<Told>;
  cancel(): Promise<void>;
  /** Waits for the end, through outages of the server. `signal` ends the wait, not the run. */
  end(signal?: AbortSignal): Promise<RunEnd>;
  readResult(ref: string): Promise<Result>;
}

/** How long a question to a worker may take; it is answered in milliseconds when there is one. */
const ANSWER_MS = 5000;
const RETRY_PAUSE_MS = 1000;
const NODES_PER_PAGE = 500;

export function createRunHandle(client: Client, workflowId: string, store: ResultStore, place: Place): RunHandle {
  const handle = client.workflow.getHandle(workflowId);
  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(Date.now() + ANSWER_MS, work).catch((error: unknown) => {
      throw toClientError(error, place, workflowId);
    });
  const ask = <T>(query: QueryName, ...args: unknown[]) => bounded(() => handle.query<T, unknown[]>(query, ...args));

  return {
    workflowId,
    status: () => ask('status'),
    plan: () => ask('plan'),
    trace: () => ask('trace'),
    questions: () => ask('questions'),
    async *nodes() {
      for (let after: string | undefined; ;) {
        const page: NodesPage = await ask('nodes', { after, limit: NODES_PER_PAGE });
        yield* page.nodes;
        if (page.next === undefined) return;
        after = page.next;
      }
    },
    decide: (decision) => tell(handle, decision, bounded),
    cancel: () => bounded(async () => void (await handle.cancel())),
    end: (signal) => endOf(handle, place, signal),
    readResult: (ref) => readResult(store, ref),
  };
}

async function tell(
  handle: WorkflowHandle,
  decision: Decision,
  bounded: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<Told> {
  try {
    const args: [Decision] = [decision];
    const heard = await bounded(() =>
      handle.executeUpdate<Heard, [Decision]>('decide', { args, updateId: randomUUID() }),
    );
    return { how: 'answered', heard };
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'no-worker') throw error;
    await bounded(() => handle.signal('decide', decision));
    return { how: 'sent', message: `${error.message}; the decision is kept by the server` };
  }
}

async function endOf(handle: WorkflowHandle, place: Place, signal?: AbortSignal): Promise<RunEnd> {
  for (;;) {
    try {
      const result = await handle.client.connection.withAbortSignal(signal ?? new AbortController().signal, () =>
        handle.result(),
      );
      return { how: 'completed', result: result as RunResult };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof WorkflowFailedError) return endingOf(error.cause);
      const known = toClientError(error, place, handle.workflowId);
      // A server that is away comes back; a wait of days must survive it.
      if (!(known instanceof ClientError) || !['no-server', 'no-worker'].includes(known.code)) throw known;
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  }
}

function endingOf(cause: Error | undefined): RunEnd {
  const message = cause?.message ?? 'the run ended without a reason';
  if (cause instanceof CancelledFailure) return { how: 'cancelled', message };
  if (cause instanceof TerminatedFailure) return { how: 'terminated', message };
  if (cause instanceof TimeoutFailure) return { how: 'timed-out', message };
  if (cause instanceof ApplicationFailure) {
    return { how: 'failed', type: cause.type ?? 'unknown', message, details: cause.details ?? [] };
  }
  return { how: 'failed', type: 'unknown', message, details: [] };
}
