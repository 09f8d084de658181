/** Traits of each kind of work, and counters per kind, so that a turn need not look at all work. */

import type { Request, Work } from './work-state.ts';

/** The kinds of work; each kind of request counts as its own kind. */
export type WorkName = Exclude<Work['kind'], 'message'> | Request['do'];

export interface WorkTraits {
  /** For people. */
  readonly words: string;
  /** It makes a plan or a step. The run waits instead, since no node could show the wait. */
  readonly isOwn?: true;
  readonly asksModel?: true;
  /** It cannot succeed while the store is away. */
  readonly needsStore?: true;
}

const OF_MESSAGE = 'what a message asks for';

export const WORK: Readonly<Record<WorkName, WorkTraits>> = {
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

const NAMES = Object.keys(WORK) as readonly WorkName[];
export const MODEL_WORK: readonly WorkName[] = NAMES.filter((name) => WORK[name].asksModel);
/** Work for messages whose number at once is limited. */
export const MESSAGE_WORK: readonly WorkName[] = ['compile', 'revise', 'store', 'keys', 'default'];

export function nameOf(work: Work): WorkName {
  return work.kind === 'message' ? work.request.do : work.kind;
}

/** The amount of work of each kind, and how much of it is deferred. */
export interface WorkCounts {
  readonly all: Record<WorkName, number>;
  readonly deferred: Record<WorkName, number>;
}

export function countWork(work: Readonly<Record<number, Work>>): WorkCounts {
  const counts = { all: noCounts(), deferred: noCounts() };
  for (const one of Object.values(work)) countIn(counts, one, 1);
  return counts;
}

export function countIn({ all, deferred }: WorkCounts, work: Work, by: 1 | -1): void {
  const name = nameOf(work);
  all[name] += by;
  if (work.isDeferred === true) deferred[name] += by;
}

export function sum(counts: WorkCounts['all'], names: readonly WorkName[] = NAMES): number {
  return names.reduce((total, name) => total + counts[name], 0);
}

function noCounts(): Record<WorkName, number> {
  return Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<WorkName, number>;
}
