import { setMaxListeners } from 'node:events';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import {
  aborted,
  type DoneResult,
  type FailureDetail,
  type PartialResult,
  type RunEnd,
  type RunResult,
} from '../protocol/index.ts';
import { ClientError, toClientError, type ClientAddress } from './client-error.ts';

const RETRY_PAUSE_MS = 1000;
/** Time limit in ms for one call that waits for an end. The server answers it about every 20 s. */
const ATTEMPT_MS = 60_000;

/** Waits for the end of a run, even during outages of the server. `signal` ends the wait. */
export async function waitForEnd(handle: WorkflowHandle, place: ClientAddress, signal?: AbortSignal): Promise<RunEnd> {
  for (;;) {
    signal?.throwIfAborted();
    // The SDK adds a listener to the signal for every call and never removes it, so each minute of a wait has a new signal.
    // The number of listeners is not limited, since an outage causes many calls a minute.
    const attempt = new AbortController();
    setMaxListeners(0, attempt.signal);
    const stop = () => attempt.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(stop, ATTEMPT_MS);
    try {
      const asked = handle.client.connection.withAbortSignal(attempt.signal, () => handle.result());
      // A call that waits for the SDK's next attempt ignores its cancellation and may never end.
      const result = await Promise.race([asked, aborted(attempt.signal)]);
      return { how: 'completed', result: result as RunResult };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof WorkflowFailedError) return endingOf(error.cause);
      if (attempt.signal.aborted) continue;
      const known = toClientError(error, place, handle.workflowId);
      // An outage of the server is temporary, so even a wait of days must survive one.
      if (!(known instanceof ClientError) || !['no-server', 'no-worker'].includes(known.code)) throw known;
      await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }
}

function endingOf(cause: Error | undefined): RunEnd {
  const message = cause?.message ?? 'the run ended without a reason';
  if (cause instanceof CancelledFailure) return { how: 'cancelled', message };
  if (cause instanceof TerminatedFailure) return { how: 'terminated', message };
  if (cause instanceof TimeoutFailure) return { how: 'timed-out', message };
  if (cause instanceof ApplicationFailure) {
    return { how: 'failed', type: cause.type ?? 'unknown', message, details: (cause.details ?? []) as FailureDetail[] };
  }
  return { how: 'failed', type: 'unknown', message, details: [] };
}

/** @throws ClientError `invalid-plan` if the worker rejected the plan, `not-done` if there is no result */
export function resultOfEnd(workflowId: string, end: RunEnd): DoneResult | PartialResult {
  if (end.how === 'completed') {
    const { result } = end;
    if (result.outcome === 'done' || result.outcome === 'partial') return result;
    const by = result.by === undefined ? '' : `, killed by ${result.by}: ${result.comment ?? ''}`;
    throw notDone(workflowId, `${result.outcome}${by}`);
  }
  if (end.how === 'failed' && end.type === 'InvalidPlan') {
    // Without a catalogue, the client cannot check the plan's executors, so the worker does.
    const issues = end.details[0]?.issues ?? [];
    throw new ClientError('invalid-plan', `run ${workflowId}: ${end.message}`, { issues });
  }
  throw notDone(workflowId, `${end.how}: ${end.message}`);
}

export function notDone(workflowId: string, why: string): ClientError {
  return new ClientError('not-done', `run ${workflowId} ended without results: ${why}`);
}
