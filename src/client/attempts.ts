import type { WorkflowExecutionDescription } from '@temporalio/client';
import {
  fits,
  given,
  isRecord,
  nodeId,
  nodesIn,
  PART,
  problemOf,
  type PartRequest,
  type AttemptView,
  type NodeValue,
  type NodeView,
  type NodeWork,
  PLAN_LINE,
  type PartView,
  type PlanLine,
  type SeenNode,
} from '../protocol/index.ts';
import { cutBytes, jsonIn, visible } from '../plan/text/index.ts';

interface Stamp {
  readonly seconds?: unknown;
  readonly nanos?: number | null;
}

interface Failure {
  readonly message?: string | null;
  readonly timeoutFailureInfo?: { readonly timeoutType?: unknown } | null;
}

/** `TimeoutType` of the Temporal API. */
const HEARTBEAT = 4;

export function msOf(stamp: Stamp | null | undefined): number {
  return Number(stamp?.seconds ?? 0) * 1000 + Math.floor((stamp?.nanos ?? 0) / 1e6);
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Why an attempt ended; `worker lost` if its worker stopped sending heartbeats. */
export function endingText({ message, timeoutFailureInfo }: Failure): string {
  return Number(timeoutFailureInfo?.timeoutType) === HEARTBEAT ? 'worker lost' : (message ?? '');
}

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** By `PendingActivityState` of the Temporal API. */
const STATES: Readonly<Record<number, AttemptView['state']>> = {
  1: 'waits for a worker',
  2: 'is carried out',
  3: 'is asked to stop',
  4: 'is paused',
  5: 'is paused',
};
const AT_WORK: readonly AttemptView['state'][] = ['is carried out', 'is asked to stop'];
export function attemptsOf({ raw }: WorkflowExecutionDescription): readonly AttemptView[] {
  return (raw.pendingActivities ?? []).flatMap((one): AttemptView[] => {
    const beat = heartbeatIn(one);
    const part = one.activityType?.name === 'runPart' ? partIn(beat) : undefined;
    const [id] = part === undefined ? nodesOfActivity(one).ids : [one.activityId ?? ''];
    if (id === undefined) return [];
    const attempt = one.attempt ?? 1;
    const state = STATES[Number(one.state)] ?? 'waits for a worker';
    const isAtWork = AT_WORK.includes(state);
    const { lastWorkerIdentity: worker, lastFailure, lastStartedTime, scheduledTime } = one;
    const at = msOf(lastStartedTime ?? scheduledTime);
    return [
      {
        ...{ id, attempt, state },
        ...given({
          of: one.maximumAttempts || undefined,
          worker: worker || undefined,
          lastFailure: (lastFailure && endingText(lastFailure)) || undefined,
          at: at > 0 ? isoOf(at) : undefined,
          ...(isAtWork ? heartbeatTimes(one) : waitOf(one)),
          part,
          waitsForRun: isAtWork ? runIn(beat) : undefined,
        }),
      },
    ];
  });
}

/** When the attempt was last alive: its last heartbeat or, if an earlier attempt sent that, its start. */
function heartbeatTimes({ lastStartedTime, lastHeartbeatTime, activityOptions }: Pending) {
  const heard = Math.max(msOf(lastStartedTime), msOf(lastHeartbeatTime));
  if (heard === 0) return {};
  const limit = msOf(activityOptions?.heartbeatTimeout);
  return { heardAt: isoOf(heard), ...(limit > 0 && { overdueAt: isoOf(heard + limit) }) };
}

function waitOf({ nextAttemptScheduleTime }: Pending) {
  const next = msOf(nextAttemptScheduleTime);
  return next > 0 ? { nextAt: isoOf(next) } : {};
}

/** The newest lines (up to 20) of a plan that is being written, from heartbeats of the planning activity. */
export function feedbackOf({ raw }: WorkflowExecutionDescription): readonly PlanLine[] {
  return (raw.pendingActivities ?? []).flatMap((one) => {
    const lines = one.activityType?.name === 'planGoal' ? heartbeatIn(one)['feedback'] : undefined;
    return Array.isArray(lines) ? lines.filter((line) => fits(PLAN_LINE, line)) : [];
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** The last heartbeat, not validated. Anyone with access to the server can send one. */
function heartbeatIn({ heartbeatDetails }: Pending): Fields {
  const beat = jsonIn(heartbeatDetails?.payloads?.[0]?.data ?? '');
  return isRecord(beat) ? beat : {};
}

function runIn(beat: Fields): string | undefined {
  const { waitsForRun: run } = beat;
  return typeof run === 'string' && run !== '' ? cutBytes(visible(run), RUN_BYTES) : undefined;
}

const RUN_BYTES = 1000;
const PART_BEAT = { done: 'count', of: 'count', atWork: ['node'] } as const;
const NAMED = 8;

function partIn({ part }: Fields): PartView {
  if (!fits(PART_BEAT, part)) return { done: 0, of: 0, atWork: [] };
  const { done, of, atWork } = part;
  return { done, of, atWork: atWork.slice(0, NAMED) };
}

/** The nodes of an attempt. For a part: the nodes that its last heartbeat names. */
export function nodesAtWork({ id, part }: AttemptView): readonly string[] {
  return part?.atWork ?? [id];
}

export function workOf(attempts: readonly AttemptView[]): readonly (readonly [id: string, work: NodeWork])[] {
  return attempts.flatMap((one) => {
    const { attempt, state, worker, at, lastFailure: before, waitsForRun } = one;
    const begun = state === 'waits for a worker' ? {} : given({ worker, startedAt: at });
    const work = given({ attempt, ...begun, before, waitsForRun });
    return nodesAtWork(one).map((id) => [id, work] as const);
  });
}

export function seenNodes(
  nodes: readonly NodeView[],
  works: ReadonlyMap<string, NodeWork>,
  values: ReadonlyMap<string, NodeValue>,
): readonly SeenNode[] {
  return nodes.map((node) => ({ ...node, ...works.get(node.id), ...values.get(node.id) }));
}

export interface ActivityNodes {
  readonly revision: number;
  /** The ids of the nodes; empty if the activity executes none. */
  readonly ids: readonly string[];
}

interface Activity {
  readonly activityId?: string | null;
  readonly activityType?: { readonly name?: string | null } | null;
  readonly input?: { readonly payloads?: readonly { readonly data?: Uint8Array | null }[] | null } | null;
}

/** Matches an activity id: `r2.node_3` is node_3 of the second revision. */
const NODE = /^(?:r(\d+)\.)?(node_\d+)?/;

export function nodesOfActivity({ activityId, activityType, input }: Activity): ActivityNodes {
  const [, revision = '1', id] = NODE.exec(activityId ?? '') ?? [];
  if (id !== undefined) return { revision: Number(revision), ids: [id] };
  const request = activityType?.name === 'runPart' ? jsonIn(input?.payloads?.[0]?.data ?? '') : undefined;
  const isRequest = request !== undefined && problemOf(PART, request) === undefined;
  return {
    revision: Number(revision),
    ids: isRequest ? nodesIn((request as PartRequest).nodes).map(nodeId) : [],
  };
}
