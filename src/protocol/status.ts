/** The state of a run in the query `status`: its phase, outcome, planning, loop and agents. */

import { NODE_STATUSES, type NodeStatus } from './nodes.ts';
import { PLANNING_STAGES } from './planning.ts';
import { maybe, oneOf, typed, type Of } from './shape.ts';
import { BUDGET_VIEW, USAGE, type BudgetView, type Usage } from './spending.ts';
import { OPEN_ITEM, type OpenItem } from './views.ts';
import { durationText, oneLine } from '../plan/text/index.ts';

/** The order of phases: drafting -> awaiting-approval <-> running -> closed. Any phase may change to closed. */
export const PHASES = ['drafting', 'awaiting-approval', 'running', 'closed'] as const;

/** The phase of a run. In `awaiting-approval` a node waits for an approval; approved nodes run meanwhile. */
export type Phase = (typeof PHASES)[number];

export const OUTCOMES = ['done', 'partial', 'rejected', 'expired', 'aborted', 'failed', 'cancelled'] as const;

/**
 * The outcome of a closed run. `done`: it has its result. `partial`: it ended without one, under `onFailure: partial`.
 * `rejected`: a person rejected the plan. `expired`: nobody decided in time. `aborted`: a person killed the run, or its
 * loop reached a limit. `failed`: the workflow failed. `cancelled`: somebody cancelled it through Temporal.
 */
export type Outcome = (typeof OUTCOMES)[number];

const PLANNING_VIEW = {
  stage: oneOf(PLANNING_STAGES),
  /** The number of the current plan (at most 2), and of its model call (at most 3). */
  plan: 'count',
  call: 'count',
  why: 'text?',
  trouble: 'text?',
} as const;

export interface PlanningView extends Of<typeof PLANNING_VIEW> {}

const REPLANNED = {
  times: 'count',
  revision: 'count',
  why: 'text',
} as const;

export interface ReplannedView extends Of<typeof REPLANNED> {}

const LOOP = {
  round: 'count',
  maxRounds: 'count',
  /** The current step; absent while the next step is decided. */
  step: 'text?',
  /** Reference of the decisions and observations so far, which the client's `rounds` reads. */
  notes: 'ref?',
} as const;

/** The state of a loop, which decides one step at a time. */
export interface LoopView extends Of<typeof LOOP> {}

const CHILD = {
  node: 'node',
  workflowId: 'text',
  /** The number of items in the agent's run that wait for a person; its query `questions` lists them. */
  waitingFor: 'count',
  /** What the agent waits for, other than people, as in its own status but without the times of attempts. */
  waits: 'text?',
} as const;

export interface ChildView extends Of<typeof CHILD> {}

const COUNTS = typed<Readonly<Record<'total' | NodeStatus, number>>>(
  Object.fromEntries(['total', ...NODE_STATUSES].map((name) => [name, 'count'])),
);

export const STATUS = {
  phase: oneOf(PHASES),
  outcome: maybe(oneOf(OUTCOMES)),
  /** Why the run failed, or why it was closed early. */
  reason: 'text?',
  /** The person who killed or rejected the run. */
  by: 'text?',
  comment: 'text?',
  revision: 'count',
  digest: 'text',
  /** The run id of the run's first execution, which continue-as-new and resets do not change. */
  firstRunId: 'name',
  /** When the run began, ISO 8601; the same in all its histories. */
  startedAt: 'time',
  /** The progress of planning; present while a goal becomes a plan. */
  planning: maybe(typed<PlanningView>(PLANNING_VIEW)),
  loop: maybe(typed<LoopView>(LOOP)),
  /** The agents that are running, at most 100. */
  children: maybe([typed<ChildView>(CHILD)]),
  /** True if the open plan is a fallback, because no model made a valid plan. */
  fallback: 'true?',
  /** The grants that approve the run's plan, such as `grant 3fa9c1d2, use 3 of 30, by operator`; at most 8. */
  grants: maybe(['text']),
  replanned: maybe(typed<ReplannedView>(REPLANNED)),
  /** The use of models by the run itself, not by its agents. Absent if no model was called. */
  usage: maybe(typed<Usage>(USAGE)),
  /** The budget, if there is one: the limits, and what was spent, including agents and capabilities. */
  budget: maybe(typed<BudgetView>(BUDGET_VIEW)),
  /** True if an operator has paused the run: nothing new begins, but what has begun continues. */
  paused: 'true?',
  /** What the run waits for, other than people, such as `waits for the store: ENOSPC`; at most 500 bytes. */
  waits: 'text?',
  /** The number of items that wait for a person; the query `questions` lists them. */
  waitingFor: 'count',
  /** Effects of earlier plans that may have happened and that nobody is asked about, at most 100. `where`: `revision 1, node_2`. */
  mayHaveRun: maybe([{ summary: 'text', where: 'text' }]),
  /** The estimated duration of the run in minutes, as the plan's author wrote it. */
  estimatedMinutes: 'amount?',
  counts: COUNTS,
  /** The exact command that a person can enter next. */
  next: 'text?',
} as const;

/** The state of a run, as the query `status` returns it. */
export interface RunStatus extends Of<typeof STATUS> {}

/** What a run waits for, other than people; if it waits for nothing, what its first waiting agent waits for. */
export function waitsIn({ waits, children = [] }: Pick<RunStatus, 'waits' | 'children'>): string | undefined {
  const agent = children.find((child) => child.waits !== undefined);
  return waits ?? (agent && `agent of ${agent.node} ${agent.waits}`);
}

export const WAITING_RUN = {
  run: 'text',
  waitingFor: 'count',
  /** The first items, each with the workflow to address, as many as the size limit permits. */
  items: maybe([typed<OpenItem>(OPEN_ITEM)]),
} as const;

/**
 * An agent's run with items that wait for a person, as it last reported. Query the agent itself for its current state.
 */
export interface WaitingRun extends Of<typeof WAITING_RUN> {}

/**
 * How many items wait for a person in a run and its running agents. The view `open` lists them.
 * @example countWaiting(status); // 2
 */
export function countWaiting({ waitingFor, children = [] }: Pick<RunStatus, 'waitingFor' | 'children'>): number {
  return children.reduce((sum, child) => sum + child.waitingFor, waitingFor);
}

/** A task queue that no worker polls. */
export interface UnattendedQueue {
  readonly taskQueue: string;
  /** When a worker last polled, or since when a task has waited (ISO 8601); absent if the server knows neither. */
  readonly since?: string;
}

/** Describes an unattended task queue: `no worker asks for work on planwright, for 3 min`. */
export function unattendedText({ taskQueue, since }: UnattendedQueue): string {
  const time = since === undefined ? '' : `, for ${durationText(Date.now() - Date.parse(since))}`;
  return `no worker asks for work on ${oneLine(taskQueue)}${time}`;
}
