import type { Client, WorkflowHandle } from '@temporalio/client';
import { ANSWERS, problemOf, type Of, type Shape, type ViewPage, type ViewRequest } from '../protocol/index.ts';
import { ClientError, toClientError, type ClientAddress, isPassing, isNotProcessedYet } from './client-error.ts';

/** Time limit for a worker's answer, in milliseconds. */
export const ANSWER_MS = 5000;
const BETWEEN_MS = 50;

/** Limits the time of a call to the server, and converts its errors to a ClientError. */
export type Bounded = <T>(work: () => Promise<T>, ms?: number) => Promise<T>;

export function boundedBy({ connection }: Client, place: ClientAddress, workflowId?: string): Bounded {
  return (work, ms = ANSWER_MS) =>
    connection.withDeadline(Date.now() + ms, work).catch((error: unknown) => {
      throw toClientError(error, place, workflowId);
    });
}

/**
 * Queries a run for parts of its view, repeatedly while the run is not ready.
 * @throws ClientError `unreadable`
 */
export async function askRun(handle: WorkflowHandle, request: ViewRequest): Promise<ViewPage> {
  for (const until = Date.now() + ANSWER_MS; ;) {
    try {
      return readAs(ANSWERS.view, await askOnce(handle, request), `the query view of ${handle.workflowId}`);
    } catch (error) {
      if (!isPassing(error) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }
}

/** Queries a run. An ended run may answer only if the query contains its number of history events. */
async function askOnce(handle: WorkflowHandle, request: ViewRequest): Promise<unknown> {
  try {
    return await handle.query<unknown, [ViewRequest]>('view', request);
  } catch (error) {
    if (!isNotProcessedYet(error)) throw error;
    const { status, historyLength } = await handle.describe();
    if (status.name === 'RUNNING') throw error;
    return handle.query<unknown, [ViewRequest]>('view', { ...request, ended: historyLength });
  }
}

/** Validates a value from outside. @throws ClientError `unreadable` with the first problem */
export function readAs<const S extends Shape>(shape: S, given: unknown, what: string): Of<S> {
  const problem = problemOf(shape, given);
  if (problem === undefined) return given as Of<S>;
  throw new ClientError(
    'unreadable',
    `${what} has given what this client cannot read; ${problem}. Use a client of the version of its workers, and look at who works on their task queue`,
  );
}
