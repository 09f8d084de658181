/** The state of a run as the query `status` tells it: its phase, its outcome, its planning, its loop and its agents. */

import type { NodeStatus } from './nodes.ts';
import type { PlanningStage } from './planning.ts';
import type { BudgetView, Usage } from './spending.ts';
import type { OpenItem } from './views.ts';

/**
 * drafting -> awaiting-approval <-> running -> closed; any of them may close. While a part waits for approval, the
 * approved part already runs.
 */
export const PHASES = ['drafting', 'awaiting-approval', 'running', 'closed'] as const;

/**
 * The phase of a run: `drafting` a plan, `awaiting-approval` (a node that has not started needs it, and the rest runs
 * meanwhile), `running`, or `closed`.
 */
export type Phase = (typeof PHASES)[number];

export const OUTCOMES = ['done', 'partial', 'rejected', 'expired', 'aborted', 'failed', 'cancelled'] as const;

/**
 * The outcome of a closed run. `done`: it came to its result. `partial`: it ended without, under `onFailure: partial`.
 * `rejected`: a person said no. `expired`: nobody said anything in time. `aborted`: a person killed it, or its loop
 * reached a limit. `failed`: its workflow failed. `cancelled`: it was cancelled through Temporal.
 */
export type Outcome = (typeof OUTCOMES)[number];

/** The state of a run, as the query `status` tells it. */
export interface RunStatus {
  readonly phase: Phase;
  readonly outcome?: Outcome;
  /** Why it failed. */
  readonly reason?: string;
  /** For a run that a person killed or rejected: who, and why. */
  readonly by?: string;
  readonly comment?: string;
  readonly revision: number;
  readonly digest: string;
  /** The run id of its first execution, which a hand-over and a reset keep. */
  readonly chain: string;
  /** When the run began, ISO 8601. A run that goes on in a new history keeps it. */
  readonly startedAt: string;
  /** While a goal becomes a plan: how far that is. */
  readonly planning?: PlanningView;
  /** Present if the run decides one step after the other. */
  readonly loop?: LoopView;
  /** Agents at work, at most 100 of them. */
  readonly children?: readonly ChildView[];
  /** The open plan is one that no model has made, since none made a valid one. */
  readonly fallback?: true;
  /** Absent while no plan of this run was made anew since a step had failed. */
  readonly replanned?: ReplannedView;
  /** The cost of its models, for plans, decisions and capabilities, without its agents; absent where none was asked. */
  readonly usage?: Usage;
  /** Where the run has a budget: its bounds, and what is spent with what its agents and capabilities spend. */
  readonly budget?: BudgetView;
  /** An operator has paused it: work that has begun goes on, and no other work begins. */
  readonly paused?: true;
  /**
   * Why it waits, beside people, such as `waits for the store: ENOSPC`, with what to do about it; at most 500 bytes.
   */
  readonly waits?: string;
  /** How many things wait for a person; the query `questions` tells them. */
  readonly waitingFor: number;
  /** The minutes that the plan's writer expects the run to take. */
  readonly estimatedMinutes?: number;
  readonly counts: { readonly total: number } & Readonly<Record<NodeStatus, number>>;
  /** The exact command that a person can give now. */
  readonly next?: string;
}

/** The progress of planning: the stage, and the numbers of the plan and of the model call that are under way. */
export interface PlanningView {
  readonly stage: PlanningStage;
  /** The number of the plan and of its call: at most 2 plans and 3 calls each. */
  readonly plan: number;
  readonly call: number;
  /** Of a plan that is made anew: the failure of the step that is the reason. */
  readonly why?: string;
  /** The fault of the last one. */
  readonly trouble?: string;
}

/** The plans of a run that were made anew (`onFailure: replan`). */
export interface ReplannedView {
  /** How many there were. */
  readonly times: number;
  /** The revision of the last. */
  readonly revision: number;
  /** The failure of the step that was its reason. */
  readonly why: string;
}

/** The loop of a run that decides one step after the other. */
export interface LoopView {
  readonly round: number;
  readonly maxRounds: number;
  /** The step under way; absent while the next step is decided. */
  readonly step?: string;
  /** Names what was decided and observed so far in the result store; the client's `rounds` reads it. */
  readonly notes?: string;
}

/** An agent's run that a node of this one waits for. */
export interface ChildView {
  readonly node: string;
  readonly workflowId: string;
  /** How many things wait for a person there; its own query `questions` tells them. */
  readonly waitingFor: number;
  /** What it waits for beside people, as in its own status, without the times of the tries. */
  readonly waits?: string;
}

/** What a run or, if it waits for nothing itself, the first of its agents that does waits for beside people. */
export function waitsIn({ waits, children = [] }: Pick<RunStatus, 'waits' | 'children'>): string | undefined {
  const agent = children.find((child) => child.waits !== undefined);
  return waits ?? (agent && `agent of ${agent.node} ${agent.waits}`);
}

/**
 * Behind a run's own open items: the run of an agent in which something waits for a person, and as it told last what that is. Its own
 * query `questions` tells all of it as it is now.
 */
export interface WaitingRun {
  readonly run: string;
  readonly waitingFor: number;
  /** The first of them, each with the workflow to address; fewer than `waitingFor` where there are many or long ones. */
  readonly items?: readonly OpenItem[];
}

/**
 * The number of things that wait in a run and in the agents at work for it; its view `open` tells them all.
 * A run with more than 100 agents at work tells first of those in which something waits.
 * @example countWaiting(status); // 2
 */
export function countWaiting({ waitingFor, children = [] }: Pick<RunStatus, 'waitingFor' | 'children'>): number {
  return children.reduce((sum, child) => sum + child.waitingFor, waitingFor);
}
