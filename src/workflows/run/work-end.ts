/** How work under way ends, as the run hears of it. */

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

/** A compiled plan as it arrives: its slice put together again. */
export type Compiled =
  | ({
      readonly ok: true;
      readonly slice: RunSlice;
      readonly project: ProjectPolicy;
    } & SameNodes)
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/** A planner's reply as it arrives: its slice put together again. */
export type Planned = Omit<PlanningReply, 'outcome'> & {
  readonly outcome:
    | Exclude<PlanningOutcome, { is: 'compiled' }>
    | ({ readonly is: 'compiled'; readonly answers?: true; readonly slice: RunSlice } & SameNodes);
};

/** The value with which a node of a part ends that has not begun, or was stopped: it is as ready as before. */
export const GIVEN_BACK = { givenBack: true } as const;
/** As `GIVEN_BACK`, and it goes in no part any more. */
export const TO_GO_ALONE = { givenBack: true, alone: true } as const;

/** Whether the worker of the last attempt was lost: then the run asks a person, and does not fail. */
export function isLoss({ type }: NodeEnd): boolean {
  return type === 'WorkerLost' || type === 'Timeout.HEARTBEAT';
}

/** By identity: an activity that is completed from outside gives nothing back. */
export function isGivenBack(value: unknown): boolean {
  return value === GIVEN_BACK || value === TO_GO_ALONE;
}

export type WorkEnd =
  /** The return value of the activity: of a node whatever it is, else what its type says. */
  | { readonly ok: true; readonly value: unknown }
  /** How it ended; of a node that is under way for an effect above read with whether that may have happened. */
  | {
      readonly ok: false;
      readonly end: NodeEnd;
      readonly failure: RunFailure;
      readonly usage?: Usage;
      /** The approval rules of the worker's project, if the node did not begin since they ask for more. */
      readonly rules?: readonly ApprovalRule[];
      readonly tried?: Tried;
    };

/** What the attempts of an activity came to that has ended before they were all made. */
export interface Tried {
  /** The attempts before the last one; absent where no worker says so. */
  readonly attempts?: number;
  readonly report?: string;
  /** Another attempt would have been made, if nobody had asked it to stop. */
  readonly mayRetry?: true;
}

/** Takes what the attempts at a node came to, which is scheduled again. */
export function takeOver(
  nodes: Pick<Nodes, 'attempts' | 'reports'>,
  node: number,
  { attempts = 0, report }: Tried,
): void {
  if (attempts > 0) nodes.attempts[node] = (nodes.attempts[node] ?? 0) + attempts;
  if (report !== undefined) nodes.reports[node] = report;
}
