/** Errors that nobody catches in a worker: a capability's timer that throws, or a promise of it that nobody awaits. */

import { asyncLocalStorage } from '@temporalio/activity';
import { cutCharacters, describeValue, visible } from '../../plan/text/index.ts';

/** Characters of an error and its stack that are told. */
const MOST_TOLD = 4000;

/**
 * Has every such error told in one piece, with the attempt it comes from where Node.js knows it, instead of letting it
 * end the process and all the other attempts with it. For the worker of the command line only: a library must not decide
 * this for the program that it is part of.
 *
 * @param tell takes the text, in visible characters; may be several lines
 * @returns what ends it
 */
export function tellStrayErrors(tell: (text: string) => void): () => void {
  // An unhandled rejection that has no listener of its own comes here too.
  const onStray = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    const what = origin === 'unhandledRejection' ? 'a promise was rejected' : 'an error was thrown';
    tell(`${what} and nobody caught it; the worker goes on. ${origins()}\n${stackOf(error)}`);
  };
  process.on('uncaughtException', onStray);
  return () => process.off('uncaughtException', onStray);
}

/** Timers and promises keep the context in which they were made; a bare microtask does not. */
function origins(): string {
  const { activityType, activityId, attempt, workflowExecution } = asyncLocalStorage.getStore()?.info ?? {};
  if (activityId === undefined) return 'It is not known of which attempt.';
  return visible(
    `It comes from ${activityType} ${activityId} of run ${workflowExecution?.workflowId}, attempt ${attempt}.`,
  );
}

/** Must not throw: that would end the process after all. */
function stackOf(error: unknown): string {
  try {
    const text = error instanceof Error ? (error.stack ?? String(error)) : describeValue(error);
    return visible(cutCharacters(text, MOST_TOLD), { lines: true });
  } catch {
    return 'an error that cannot be read';
  }
}
