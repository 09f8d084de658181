/** The state of a run in the query `status`: its phase, outcome, planning, loop and agents. */

import { NODE_STATUSES, type NodeStatus } from './nodes.ts';
import { PLANNING_STAGES } from './planning.ts';
import { maybe, oneOf, typed, type Of } from './shape.ts';
import { BUDGET_VIEW, USAGE, type BudgetView, type Usage } from './spending.ts';
import { OPEN_ITEM, type OpenItem } from './views.ts';
import { durationText, oneLine } from '../plan/text/index.ts';

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
 * The outcome of a closed run. `done`: it has its result. `partial`: it ended without one, under `onFailure: partial`.
 * `rejected`: by a person. `expired`: nobody decided in time. `aborted`: a person killed it, or its loop reached a
 * limit. `failed`: its workflow failed. `cancelled`: through Temporal.
 */
export type Outcome = (typeof OUTCOMES)[number];

const PLANNING_VIEW = {
  stage: oneOf(PLANNING_STAGES),
  /** The number of the plan and of its call: at most 2 plans and 3 calls each. */
  plan: 'count',
  call: 'count',
  /** In a replan: the failure that is its reason. */
  why: 'text?',
  /** The fault of the last one. */
  trouble: 'text?',
} as const;

/** The progress of planning: the stage, and the numbers of the plan and of the model call that are under way. */
export interface PlanningView extends Of<typeof PLANNING_VIEW> {}

const REPLANNED = {
  /** How many there were. */
  times: 'count',
  /** The revision of the last. */
  revision: 'count',
  /** The failure of the step that was its reason. */
  why: 'text',
} as const;

/** The replans of a run (`onFailure: replan`). */
export interface ReplannedView extends Of<typeof REPLANNED> {}

const LOOP = {
  round: 'count',
  maxRounds: 'count',
  /** The step under way; absent while the next step is decided. */
  step: 'text?',
  /** Names what was decided and observed so far in the result store; the client's `rounds` reads it. */
  notes: 'ref?',
} as const;

/** The loop of a run that decides one step after the other. */
export interface LoopView extends Of<typeof LOOP> {}

const CHILD = {
  node: 'node',
  workflowId: 'text',
  /** The number of things that wait for a person there; its own query `questions` has them. */
  waitingFor: 'count',
  /** What it waits for besides people, as in its own status, without the times of tries. */
  waits: 'text?',
} as const;

/** An agent's run that a node of this one waits for. */
export interface ChildView extends Of<typeof CHILD> {}

const COUNTS = typed<Readonly<Record<'total' | NodeStatus, number>>>(
  Object.fromEntries(['total', ...NODE_STATUSES].map((name) => [name, 'count'])),
);

export const STATUS = {
  phase: oneOf(PHASES),
  outcome: maybe(oneOf(OUTCOMES)),
  /** Why it failed. */
  reason: 'text?',
  /** For a run that a person killed or rejected: who, and why. */
  by: 'text?',
  comment: 'text?',
  revision: 'count',
  digest: 'text',
  /** The run id of its first execution, which a hand-over and a reset keep. */
  chain: 'name',
  /** When the run began, ISO 8601; the same across its histories. */
  startedAt: 'time',
  /** While a goal becomes a plan: how far that is. */
  planning: maybe(typed<PlanningView>(PLANNING_VIEW)),
  /** Present if the run decides one step after the other. */
  loop: maybe(typed<LoopView>(LOOP)),
  /** Agents at work, at most 100 of them. */
  children: maybe([typed<ChildView>(CHILD)]),
  /** The open plan is a fallback: no model made a valid plan. */
  fallback: 'true?',
  /** Absent without a replan after a failed step. */
  replanned: maybe(typed<ReplannedView>(REPLANNED)),
  /** The cost of its models, for plans, decisions and capabilities, without its agents; absent where none was asked. */
  usage: maybe(typed<Usage>(USAGE)),
  /** Its budget, if it has one: the limits, and what is spent including agents and capabilities. */
  budget: maybe(typed<BudgetView>(BUDGET_VIEW)),
  /** An operator has paused it: no further work begins, and work that has begun continues. */
  paused: 'true?',
  /** What it waits for besides people, such as `waits for the store: ENOSPC`, with what to do; at most 500 bytes. */
  waits: 'text?',
  /** The number of things that wait for a person; the query `questions` has them. */
  waitingFor: 'count',
  /** The minutes that the plan's writer expects the run to take. */
  estimatedMinutes: 'amount?',
  counts: COUNTS,
  /** The exact command that a person can give now. */
  next: 'text?',
} as const;

/** The state of a run in the query `status`. */
export interface RunStatus extends Of<typeof STATUS> {}

/** What a run waits for besides people; if nothing, the wait of its first waiting agent. */
export function waitsIn({ waits, children = [] }: Pick<RunStatus, 'waits' | 'children'>): string | undefined {
  const agent = children.find((child) => child.waits !== undefined);
  return waits ?? (agent && `agent of ${agent.node} ${agent.waits}`);
}

export const WAITING_RUN = {
  run: 'text',
  waitingFor: 'count',
  /** The first of them, each with the workflow to address; fewer than `waitingFor` if there are many or long ones. */
  items: maybe([typed<OpenItem>(OPEN_ITEM)]),
} as const;

/**
 * After a run's own open items: the run of an agent in which something waits for a person, as it last reported. Its own
 * query `questions` is up to date and complete.
 */
export interface WaitingRun extends Of<typeof WAITING_RUN> {}

/**
 * The number of things that wait in a run and its agents at work; its view `open` has them all. A run with more than
 * 100 agents lists those that wait first.
 * @example countWaiting(status); // 2
 */
export function countWaiting({ waitingFor, children = [] }: Pick<RunStatus, 'waitingFor' | 'children'>): number {
  return children.reduce((sum, child) => sum + child.waitingFor, waitingFor);
}

/** A task queue that no worker asks for work. */
export interface UnattendedQueue {
  readonly taskQueue: string;
  /** The last poll of a worker, or since when work waits there; ISO 8601. Absent if the server knows neither. */
  readonly since?: string;
}

/** `no worker asks for work on planwright, for 3 min` */
export function unattendedText({ taskQueue, since }: UnattendedQueue): string {
  const time = since === undefined ? '' : `, for ${durationText(Date.now() - Date.parse(since))}`;
  return `no worker asks for work on ${oneLine(taskQueue)}${time}`;
}
