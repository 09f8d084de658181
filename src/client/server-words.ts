/**
 * What the server and the SDK say in words alone, which neither promises. `test/client/server-words.test.ts` and, on a server,
 * `test/client/say.server.test.ts` fail without them. Each goes when the error has a code or a detail of its own.
 */

import { ASK_AGAIN, UNHEARD, WAITS_BETWEEN } from '../protocol/messages.ts';

/** NOT_FOUND is a namespace, a run that is not there, and a run that has ended. */
export function isOfNamespace(details: string): boolean {
  return /namespace/i.test(details);
}

/** "workflow execution already completed"; `say` asks the server for the state of the run beside it. */
export function saysEnded(cause: unknown): boolean {
  return cause instanceof Error && /already completed/i.test(cause.message);
}

/** FAILED_PRECONDITION of a query: no worker polls the queue, or the workflow task of the run fails. */
export function isUnattended(details: string): boolean {
  return /poller|task in failed state/i.test(details);
}

/** What a query throws reaches its client as a text, so each of our own answers that is none begins or ends with its sentence. */
export function isPassing(error: unknown): boolean {
  return String(error).includes(ASK_AGAIN);
}

export function isYetUnheard(error: unknown): boolean {
  return String(error).includes(UNHEARD);
}

export function waitsForStore(error: Error): boolean {
  return error.message.startsWith(WAITS_BETWEEN);
}
