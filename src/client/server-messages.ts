/**
 * Recognises errors of the server and the SDK by their undocumented texts. `test/client/server-messages.test.ts` and
 * `test/client/send-message.server.test.ts` fail if a text changes.
 */

import { ASK_AGAIN, UNHEARD, WAITS_BETWEEN } from '../protocol/messages.ts';

/** Whether NOT_FOUND is about a namespace. It can also mean that a run does not exist or has ended. */
export function isOfNamespace(details: string): boolean {
  return /namespace/i.test(details);
}

/** Whether the run has ended. The server's text is "workflow execution already completed". */
export function isEnded(cause: unknown): boolean {
  return cause instanceof Error && /already completed/i.test(cause.message);
}

/** Whether a query failed with FAILED_PRECONDITION because no worker polls, or because the workflow task fails. */
export function isUnattended(details: string): boolean {
  return /poller|task in failed state/i.test(details);
}

/** Whether the run asks for a repeated query. The error of a query arrives as text only. */
export function isPassing(error: unknown): boolean {
  return String(error).includes(ASK_AGAIN);
}

export function isNotProcessedYet(error: unknown): boolean {
  return String(error).includes(UNHEARD);
}

export function waitsForStore(error: Error): boolean {
  return error.message.startsWith(WAITS_BETWEEN);
}
