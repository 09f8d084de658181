/** The context of one attempt at a node of a part, as if it had an activity of its own. */

import { asyncLocalStorage, Context, type CancelledFailure } from '@temporalio/activity';
import { aborted } from '../../protocol/index.ts';

/** Why an activity is asked to stop, as its context tells. */
type Holder = ConstructorParameters<typeof Context>[7];

export interface NodeAttempt {
  /** `node_7`, which is the id of its activity elsewhere. */
  readonly nodeId: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** The last words of the attempt before. */
  readonly heartbeat: unknown;
  readonly startToCloseMs: number;
}

export interface OwnContext {
  /** Runs within it. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Asks the attempt to stop. */
  cancel(reason: CancelledFailure): void;
  /** Its last words. */
  heartbeat(): unknown;
}

/** A signal for each node: Node warns where a thousand listen to one. @param of the activity that carries out the part */
export function nodeContext(of: Context, node: NodeAttempt): OwnContext {
  const stopping = new AbortController();
  const { signal } = stopping;
  const cancelled = aborted(signal);
  // Work that does not listen is no fault.
  cancelled.catch(() => undefined);
  let told = node.heartbeat;
  const { nodeId, attempt, heartbeat, startToCloseMs } = node;
  const info = {
    ...of.info,
    activityId: nodeId,
    attempt,
    heartbeatDetails: heartbeat,
    startToCloseTimeoutMs: startToCloseMs,
  };
  const tell = (details: unknown) => void (told = details);
  const details: Holder = {};
  const context = new Context(info, cancelled, signal, tell, clientOf(of), of.log, of.metricMeter, details);
  return {
    run: (work) => asyncLocalStorage.run(context, work),
    cancel(reason) {
      details.details = CANCELLED;
      stopping.abort(reason);
    },
    heartbeat: () => told,
  };
}

const CANCELLED: NonNullable<Holder['details']> = {
  cancelRequested: true,
  notFound: false,
  paused: false,
  timedOut: false,
  workerShutdown: false,
  reset: false,
};

/** An environment for tests has none, and says so by throwing. */
function clientOf(of: Context): Context['client'] | undefined {
  try {
    return of.client;
  } catch {
    return undefined;
  }
}
