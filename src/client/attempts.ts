/** The attempts at nodes that are under way, as the server knows them: the run itself only knows that they are. */

import type { WorkflowExecutionDescription } from '@temporalio/client';
import { ACTIVITIES, isRecord } from '../contract/index.ts';

export interface AttemptView {
  /** The node's id in the plan that it was started for. */
  readonly id: string;
  /** Counts from 1, whatever became of those before. */
  readonly attempt: number;
  readonly state: 'waits for a worker' | 'is carried out' | 'is asked to stop' | 'is paused';
  /** How often the capability itself has failed. */
  readonly failures: number;
  /** How often an attempt ended without a word, or through no fault of the capability. */
  readonly others: number;
  /** Who has it now, or had it last. */
  readonly worker?: string;
  readonly lastFailure?: string;
  /** When this attempt began, or begins; ISO 8601. */
  readonly at?: string;
}

/** By number, as the Temporal API has them (PendingActivityState). */
const STATES: Readonly<Record<number, AttemptView['state']>> = {
  1: 'waits for a worker',
  2: 'is carried out',
  3: 'is asked to stop',
  4: 'is paused',
  5: 'is paused',
};
/** `r2.node_3` is node_3 of the second revision. */
const NODE = /^(?:r\d+\.)?(node_\d+)$/;

export function attemptsOf({ raw }: WorkflowExecutionDescription): readonly AttemptView[] {
  return (raw.pendingActivities ?? []).flatMap((one): AttemptView[] => {
    const [, id] = NODE.exec(one.activityId ?? '') ?? [];
    if (id === undefined) return [];
    const attempt = one.attempt ?? 1;
    const failures = failuresIn(one.heartbeatDetails?.payloads?.[0]?.data);
    const { lastWorkerIdentity: worker, lastFailure, lastStartedTime, scheduledTime } = one;
    const at = Number((lastStartedTime ?? scheduledTime)?.seconds ?? 0) * 1000;
    return [
      {
        id,
        attempt,
        state: STATES[Number(one.state)] ?? 'waits for a worker',
        failures,
        others: Math.max(0, attempt - 1 - failures),
        ...(worker != null && worker !== '' && { worker }),
        ...(lastFailure?.message != null && { lastFailure: lastFailure.message }),
        ...(at > 0 && { at: new Date(at).toISOString() }),
      },
    ];
  });
}

/**
 * What the planner's model has written so far of the plan under way, a line each, the last 20 of them: it travels with the
 * heartbeats of the activity that plans. Empty where none plans, or nothing was heard yet.
 */
export function feedbackOf({ raw }: WorkflowExecutionDescription): readonly string[] {
  return (raw.pendingActivities ?? []).flatMap((one) => {
    if (one.activityType?.name !== ACTIVITIES.plan) return [];
    const { details } = beatIn(one.heartbeatDetails?.payloads?.[0]?.data);
    const lines = isRecord(details) ? details['feedback'] : undefined;
    return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
  });
}

/** What an attempt leaves to the next travels with its heartbeats. */
function failuresIn(data: Uint8Array | null | undefined): number {
  const { failures } = beatIn(data);
  return typeof failures === 'number' ? failures : 0;
}

/** Whoever may call the server's API can record a heartbeat: it may be anything. */
function beatIn(data: Uint8Array | null | undefined): Readonly<Record<string, unknown>> {
  try {
    const beat: unknown = JSON.parse(Buffer.from(data ?? []).toString('utf8'));
    return isRecord(beat) ? beat : {};
  } catch {
    return {};
  }
}
