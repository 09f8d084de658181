/** Properties of each kind of task, and a counter for each kind, which saves a turn from looking at all tasks. */

import type { Request, PendingTask, Nodes } from './state.ts';
import type {
  ApprovalRule,
  NodeEnd,
  PlanningOutcome,
  PlanningReply,
  ProjectPolicy,
  RunFailure,
  PlanShape,
  SameNodes,
  Usage,
} from '../../protocol/index.ts';
import type { PlanIssue } from '../../plan/index.ts';

/** The kinds of tasks. A message has the kind of its request. */
export type TaskName = Exclude<PendingTask['kind'], 'message'> | Request['do'];

export interface TaskTraits {
  /** The task's name in texts for people. */
  readonly text: string;
  /** True if the task makes a plan or a step. The whole run waits for it if it is deferred. */
  readonly isOwn?: true;
  readonly asksModel?: true;
  readonly needsStore?: true;
}

const OF_MESSAGE = 'what a message asks for';

export const TASK_TRAITS: Readonly<Record<TaskName, TaskTraits>> = {
  draft: { text: 'the compiling of the plan', isOwn: true, needsStore: true },
  plan: { text: 'the planning', isOwn: true, asksModel: true, needsStore: true },
  decide: { text: 'the next decision', isOwn: true, asksModel: true, needsStore: true },
  report: { text: 'the report', asksModel: true },
  look: { text: "a look at agents' runs" },
  node: { text: 'a node', needsStore: true },
  unused: { text: 'a node' },
  compile: { text: OF_MESSAGE, isOwn: true, needsStore: true },
  revise: { text: OF_MESSAGE, isOwn: true, asksModel: true, needsStore: true },
  store: { text: OF_MESSAGE, needsStore: true },
  keys: { text: OF_MESSAGE },
  default: { text: 'the default of a question', needsStore: true },
};

const NAMES = Object.keys(TASK_TRAITS) as readonly TaskName[];
export const MODEL_TASKS: readonly TaskName[] = NAMES.filter((name) => TASK_TRAITS[name].asksModel);
/** Tasks that handle messages to the run. Only a limited number of them run at the same time. */
export const MESSAGE_TASKS: readonly TaskName[] = ['compile', 'revise', 'store', 'keys', 'default'];

export function nameOf(task: PendingTask): TaskName {
  return task.kind === 'message' ? task.request.do : task.kind;
}

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

export type Compiled =
  | ({
      readonly ok: true;
      readonly planShape: PlanShape;
      readonly project: ProjectPolicy;
    } & SameNodes)
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

export type Planned = Omit<PlanningReply, 'outcome'> & {
  readonly outcome:
    | Exclude<PlanningOutcome, { is: 'compiled' }>
    | ({ readonly is: 'compiled'; readonly answers?: true; readonly planShape: PlanShape } & SameNodes);
};

/** The end of a node that did not begin or was stopped. The node becomes ready again. */
export const RETURNED = { givenBack: true } as const;
/** Like `RETURNED`, but the node may not run in a part any more. */
export const RETURNED_FROM_PARTS = { givenBack: true, alone: true } as const;

/** Whether the last attempt lost its worker. The run then asks a person instead of failing. */
export function isLoss({ type }: NodeEnd): boolean {
  return type === 'WorkerLost' || type === 'Timeout.HEARTBEAT';
}

/** Compares by identity, since anybody can complete an activity with an equal value. */
export function isReturned(value: unknown): boolean {
  return value === RETURNED || value === RETURNED_FROM_PARTS;
}

export type TaskEnd =
  | { readonly ok: true; readonly value: unknown }
  /** How the task ended. If a node has an effect, the status says whether the effect may have happened. */
  | {
      readonly ok: false;
      readonly end: NodeEnd;
      readonly failure: RunFailure;
      readonly usage?: Usage;
      readonly rules?: readonly ApprovalRule[];
      readonly tried?: Tried;
    };

export interface Tried {
  /** Attempts before the last one; absent if no worker reported any. */
  readonly attempts?: number;
  readonly report?: string;
  /** Whether the effect may have begun; absent if no worker reported that. */
  readonly begun?: boolean;
  /** If the run had not stopped the activity, the server would have started another attempt. */
  readonly mayRetry?: true;
}

/** Whether the server cancelled the activity before any worker reported. Its effect may have begun then. */
export function isUnreported({ end, tried }: Extract<TaskEnd, { ok: false }>): boolean {
  return end.status === 'cancelled' && tried?.begun === undefined;
}

export function addAttempts(
  nodes: Pick<Nodes, 'attempts' | 'reports'>,
  node: number,
  { attempts = 0, report }: Tried,
): void {
  if (attempts > 0) nodes.attempts[node] = (nodes.attempts[node] ?? 0) + attempts;
  if (report !== undefined) nodes.reports[node] = report;
}
