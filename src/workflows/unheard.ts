/** Keeps a query from letting a run act on events that no workflow task has brought yet: docs/decisions/queries.md. */

import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { isRecord, UNHEARD } from '../contract/index.ts';
import { payloadConverter } from './payload-converter.js';

/** What the SDK's core tells with every activation. */
export interface Moment {
  /** Events of the history that it has worked through. */
  readonly events: number;
  /** Of the newest workflow task that has started: when, and how large the history was by then. */
  readonly started: string;
}

type Activation = Parameters<Interceptor>[0]['activation'];
type Interceptor = NonNullable<NonNullable<ReturnType<WorkflowInterceptorsFactory>['internals']>[0]['activate']>;

/**
 * Whether events have come and no workflow task with them. A task that starts has a time, and the history has grown since
 * the one before, so that a clock that is put back does not matter.
 */
export function isUnheard(before: Moment | undefined, now: Moment): boolean {
  return before !== undefined && now.events > before.events && now.started === before.started;
}

/**
 * Every instance of a run has its own. What is unheard is not acted on; the query that brought it follows at once and
 * fails, and with it the core lets go of the instance. Of a run that has ended no task is to come: there it is answered.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let last: Moment | undefined;
  let isHeld = false;
  const activate: Interceptor = (input, next) => {
    const { activation } = input;
    if (isHeld) {
      if (isOfEnded(activation)) return next(input);
      throw new Error(UNHEARD);
    }
    const now = momentOf(activation);
    // What is replayed has been acted on already, whatever the times in it.
    isHeld = activation.isReplaying !== true && isUnheard(last, now);
    last = now;
    if (!isHeld) next(input);
  };
  return { internals: [{ activate }] };
};

function momentOf({ historyLength, historySizeBytes, timestamp }: Activation): Moment {
  return {
    events: historyLength ?? 0,
    started: [timestamp?.seconds, timestamp?.nanos, historySizeBytes].join(),
  };
}

/** A query by somebody who knows that the run has ended, and with how many events. */
function isOfEnded({ jobs, historyLength }: Activation): boolean {
  const [page] = jobs?.[0]?.queryWorkflow?.arguments ?? [];
  const asked: unknown = page && payloadConverter.fromPayload(page);
  return isRecord(asked) && asked['ended'] === historyLength;
}
