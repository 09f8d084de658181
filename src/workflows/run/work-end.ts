/** The end of work under way, as it reaches the run. */

import type {
  ApprovalRule,
  NodeEnd,
  PlanningOutcome,
  PlanningReply,
  ProjectPolicy,
  RunFailure,
  RunSlice,
  SameNodes,
  Usage,
} from '../../protocol/index.ts';
import type { PlanIssue } from '../../plan/index.ts';
import type { Nodes } from './state.ts';

/** A compiled plan as it arrives, with its slice reassembled. */
export type Compiled =
  | ({
      readonly ok: true;
      readonly slice: RunSlice;
      readonly project: ProjectPolicy;
    } & SameNodes)
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/** A planner's reply as it arrives, with its slice reassembled. */
export type Planned = Omit<PlanningReply, 'outcome'> & {
  readonly outcome:
    | Exclude<PlanningOutcome, { is: 'compiled' }>
    | ({ readonly is: 'compiled'; readonly answers?: true; readonly slice: RunSlice } & SameNodes);
};

/** The value for a node of a part that has not begun or was stopped: the node is as ready as before. */
export const GIVEN_BACK = { givenBack: true } as const;
/** As `GIVEN_BACK`, but the node runs in no part any more. */
export const TO_GO_ALONE = { givenBack: true, alone: true } as const;

/** Whether the worker of the last attempt was lost. The run then asks a person and does not fail. */
export function isLoss({ type }: NodeEnd): boolean {
  return type === 'WorkerLost' || type === 'Timeout.HEARTBEAT';
}

/** Compares by identity: an activity that is completed from outside cannot return this. */
export function isGivenBack(value: unknown): boolean {
  return value === GIVEN_BACK || value === TO_GO_ALONE;
}

export type WorkEnd =
  /** The return value of the activity: any value for a node, otherwise the type of that activity. */
  | { readonly ok: true; readonly value: unknown }
  /** How the work ended; for a node with an effect above read, also whether the effect may have happened. */
  | {
      readonly ok: false;
      readonly end: NodeEnd;
      readonly failure: RunFailure;
      readonly usage?: Usage;
      /** The approval rules of the worker's project, if they are the reason why the node did not begin. */
      readonly rules?: readonly ApprovalRule[];
      readonly tried?: Tried;
    };

/** The attempts at an activity that ended before its last possible attempt. */
export interface Tried {
  /** The attempts before the last one; absent if no worker reports them. */
  readonly attempts?: number;
  readonly report?: string;
  /** Another attempt would have followed if nobody had asked it to stop. */
  readonly mayRetry?: true;
}

/** Adds up the attempts at a node that is scheduled again. */
export function takeOver(
  nodes: Pick<Nodes, 'attempts' | 'reports'>,
  node: number,
  { attempts = 0, report }: Tried,
): void {
  if (attempts > 0) nodes.attempts[node] = (nodes.attempts[node] ?? 0) + attempts;
  if (report !== undefined) nodes.reports[node] = report;
}
