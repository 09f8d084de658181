/** Traits of each kind of work, and counters per kind, so that a turn need not look at all work. */

import type { Request, PendingTask, Nodes } from './state.ts';
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

/** The kinds of work; each kind of request counts as its own kind. */
export type TaskName = Exclude<PendingTask['kind'], 'message'> | Request['do'];

export interface TaskTraits {
  /** For people. */
  readonly words: string;
  /** It makes a plan or a step. The run waits instead, since no node could show the wait. */
  readonly isOwn?: true;
  readonly asksModel?: true;
  /** It cannot succeed while the store is away. */
  readonly needsStore?: true;
}

const OF_MESSAGE = 'what a message asks for';

export const TASK_TRAITS: Readonly<Record<TaskName, TaskTraits>> = {
  draft: { words: 'the compiling of the plan', isOwn: true, needsStore: true },
  plan: { words: 'the planning', isOwn: true, asksModel: true, needsStore: true },
  decide: { words: 'the next decision', isOwn: true, asksModel: true, needsStore: true },
  report: { words: 'the report', asksModel: true },
  look: { words: "a look at agents' runs" },
  node: { words: 'a node', needsStore: true },
  unused: { words: 'a node' },
  compile: { words: OF_MESSAGE, isOwn: true, needsStore: true },
  revise: { words: OF_MESSAGE, isOwn: true, asksModel: true, needsStore: true },
  store: { words: OF_MESSAGE, needsStore: true },
  keys: { words: OF_MESSAGE },
  default: { words: 'the default of a question', needsStore: true },
};

const NAMES = Object.keys(TASK_TRAITS) as readonly TaskName[];
export const MODEL_TASKS: readonly TaskName[] = NAMES.filter((name) => TASK_TRAITS[name].asksModel);
/** Work for messages whose number at once is limited. */
export const MESSAGE_TASKS: readonly TaskName[] = ['compile', 'revise', 'store', 'keys', 'default'];

export function nameOf(task: PendingTask): TaskName {
  return task.kind === 'message' ? task.request.do : task.kind;
}

/** The amount of work of each kind, and how much of it is deferred. */
export interface TaskCounts {
  readonly all: Record<TaskName, number>;
  readonly deferred: Record<TaskName, number>;
}

export function countTasks(tasks: Readonly<Record<number, PendingTask>>): TaskCounts {
  const counts = { all: noCounts(), deferred: noCounts() };
  for (const task of Object.values(tasks)) countIn(counts, task, 1);
  return counts;
}

export function countIn({ all, deferred }: TaskCounts, task: PendingTask, by: 1 | -1): void {
  const name = nameOf(task);
  all[name] += by;
  if (task.isDeferred === true) deferred[name] += by;
}

export function sum(counts: TaskCounts['all'], names: readonly TaskName[] = NAMES): number {
  return names.reduce((total, name) => total + counts[name], 0);
}

function noCounts(): Record<TaskName, number> {
  return Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<TaskName, number>;
}

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
export const RETURNED = { givenBack: true } as const;
/** As `RETURNED`, but the node runs in no part any more. */
export const RETURNED_FROM_PARTS = { givenBack: true, alone: true } as const;

/** Whether the worker of the last attempt was lost. The run then asks a person and does not fail. */
export function isLoss({ type }: NodeEnd): boolean {
  return type === 'WorkerLost' || type === 'Timeout.HEARTBEAT';
}

/** Compares by identity: an activity that is completed from outside cannot return this. */
export function isReturned(value: unknown): boolean {
  return value === RETURNED || value === RETURNED_FROM_PARTS;
}

export type TaskEnd =
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
  /** Whether the effect may have begun; absent if no worker reports it. */
  readonly begun?: boolean;
  /** Another attempt would have followed if nobody had asked it to stop. */
  readonly mayRetry?: true;
}

/** Whether the server cancelled it without a worker, so that nobody has looked whether its effect had begun. */
export function isUnreported({ end, tried }: Extract<TaskEnd, { ok: false }>): boolean {
  return end.status === 'cancelled' && tried?.begun === undefined;
}

/** Adds up the attempts at a node that is scheduled again. */
export function addAttempts(
  nodes: Pick<Nodes, 'attempts' | 'reports'>,
  node: number,
  { attempts = 0, report }: Tried,
): void {
  if (attempts > 0) nodes.attempts[node] = (nodes.attempts[node] ?? 0) + attempts;
  if (report !== undefined) nodes.reports[node] = report;
}
