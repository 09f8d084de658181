/** A workflow of a stranger that poses as a run: it says yes to whatever workers ask, and shows messages that it has seen. */

import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  defineQuery,
  executeChild,
  scheduleActivity,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

interface Asked {
  readonly work: readonly number[];
}

/**
 * Schedules each request on the queue of the project, one after the other, and tells how each ended.
 * @param source of the plan that the requests are of: a plan is there for the run alone that had it compiled
 */
export async function falseRun(
  taskQueue: string,
  tokens: readonly string[],
  requests: readonly object[],
  source?: object,
): Promise<readonly string[]> {
  setHandler(defineQuery<object, [Asked]>('mayBegin'), ({ work }) => ({
    words: work.map(() => null),
    tokens,
    proofs: work.map(() => [...tokens.keys()]),
  }));
  const { firstExecutionRunId: firstRunId } = workflowInfo();
  const ends: string[] = [];
  for (const request of requests) {
    const bounds = { scheduleToCloseTimeout: '1 minute', startToCloseTimeout: '1 minute' } as const;
    const options = { taskQueue, ...bounds, retry: { maximumAttempts: 1 } };
    const known = { firstRunId, ...request };
    if (source !== undefined)
      await scheduleActivity('compilePlan', [{ firstRunId: known.firstRunId, source }], options);
    const end = await scheduleActivity('runTask', [known], options).then(
      () => 'begun',
      (error: unknown) => reasonOf(error),
    );
    ends.push(end);
  }
  return ends;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? `${cause.type}: ${cause.message}` : String(cause);
}

/** Starts the run of an agent as its child, with whatever input. */
export async function falseParent(taskQueue: string, workflowId: string, input: object): Promise<string> {
  return executeChild('agentWorkflow', { taskQueue, workflowId, args: [input] }).then(
    () => 'done',
    (error: unknown) => reasonOf(error),
  );
}
