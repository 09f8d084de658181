/** One question to a run. */

import type { Client, WorkflowHandle } from '@temporalio/client';
import { ANSWERS, problemOf, type Of, type Shape, type ViewPage, type ViewRequest } from '../protocol/index.ts';
import { ClientError, toClientError, type ClientAddress } from './client-error.ts';
import { isPassing, isYetUnheard } from './server-words.ts';

/** How long a question to a worker may take; it is answered in milliseconds when there is one. */
export const ANSWER_MS = 5000;
const BETWEEN_MS = 50;

/** Bounds one call to the server, and turns what it throws into a ClientError. */
export type Bounded = <T>(work: () => Promise<T>, ms?: number) => Promise<T>;

export function boundedBy({ connection }: Client, place: ClientAddress, workflowId?: string): Bounded {
  return (work, ms = ANSWER_MS) =>
    connection.withDeadline(Date.now() + ms, work).catch((error: unknown) => {
      throw toClientError(error, place, workflowId);
    });
}

/**
 * A run may answer a moment later, and says so; the caller bounds how long it is asked.
 * @throws ClientError `unreadable` where what comes is no answer to the query
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

/**
 * A run that has ended never hears its last events, and answers a query that says in `ended` how many events its
 * history has.
 */
async function askOnce(handle: WorkflowHandle, request: ViewRequest): Promise<unknown> {
  try {
    return await handle.query<unknown, [ViewRequest]>('view', request);
  } catch (error) {
    if (!isYetUnheard(error)) throw error;
    const { status, historyLength } = await handle.describe();
    if (status.name === 'RUNNING') throw error;
    return handle.query<unknown, [ViewRequest]>('view', { ...request, ended: historyLength });
  }
}

/**
 * A value from outside, once it is of the shape.
 * @throws ClientError `unreadable` with the first place where it is not
 */
export function readAs<const S extends Shape>(shape: S, given: unknown, what: string): Of<S> {
  const problem = problemOf(shape, given);
  if (problem === undefined) return given as Of<S>;
  throw new ClientError(
    'unreadable',
    `${what} has given what this client cannot read; ${problem}. Use a client of the version of its workers, and look at who works on their task queue`,
  );
}
