/** Uncaught errors in a worker: of a capability's timer, or of a promise that nobody awaits. */

import { asyncLocalStorage } from '@temporalio/activity';
import { cutCharacters, describeValue, visible } from '../../plan/text/index.ts';

/** Characters. */
const MOST_TOLD = 4000;

/**
 * Reports each uncaught error with its attempt, if Node.js knows it, instead of ending the process and its other
 * attempts. Only for the command line's worker: a library must not decide this for its program.
 * @param report gets visible text; may be several lines
 * @returns a function that removes the handler
 */
export function reportStrayErrors(report: (text: string) => void): () => void {
  // Unhandled rejections arrive here too.
  const onStray = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    const what = origin === 'unhandledRejection' ? 'a promise was rejected' : 'an error was thrown';
    report(`${what} and nobody caught it; the worker goes on. ${origins()}\n${stackOf(error)}`);
  };
  process.on('uncaughtException', onStray);
  return () => process.off('uncaughtException', onStray);
}

/** Timers and promises keep their async context; a bare microtask does not. */
function origins(): string {
  const { activityType, activityId, attempt, workflowExecution } = asyncLocalStorage.getStore()?.info ?? {};
  if (activityId === undefined) return 'It is not known of which attempt.';
  return visible(
    `It comes from ${activityType} ${activityId} of run ${workflowExecution?.workflowId}, attempt ${attempt}.`,
  );
}

/** A throw here would end the process. */
function stackOf(error: unknown): string {
  try {
    const text = error instanceof Error ? (error.stack ?? String(error)) : describeValue(error);
    return visible(cutCharacters(text, MOST_TOLD), { lines: true });
  } catch {
    return 'an error that cannot be read';
  }
}
