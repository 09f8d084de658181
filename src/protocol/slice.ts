/**
 * The part of a compiled plan that a run needs in its history: which nodes wait for which, and the executor of each. In
 * columns, since a record per node would cost more bytes than the node's own events may.
 */

import type { Effect, Executor } from '../plan/index.ts';
import { HANDLE, NODE_KINDS } from './nodes.ts';
import { EFFECTS } from './project.ts';
import { allOf, eachOf, maybe, oneOf, typed, type Of, type Shape } from './shape.ts';
import { SPENDING } from './spending.ts';

const EXECUTOR = {
  /**
   * `capability name@version effect`, then ` on` and its resource if it has one, or `operator`. A worker with another
   * registry does not run the node.
   */
  label: 'text',
  kind: oneOf(NODE_KINDS),
  effect: oneOf(EFFECTS),
  /** The capability's name; absent for a set operator. */
  name: 'text?',
  /** The cost of one execution by its capability, for approval rules. */
  cost: 'number?',
  /** The resource that it writes to; of the nodes that write to one, one is at work at a time. */
  resource: 'text?',
  /** Each of its nodes has its own activity, by its capability. */
  alone: 'flag?',
  /** For an agent: the steps it may decide. */
  rounds: 'count?',
  /** For an agent: the most that one task of it may spend. */
  budget: maybe(SPENDING),
  /** For an agent: the highest cost of one of its reads, with all of its attempts. */
  stepCost: 'amount?',
  /** For an agent: a policy of the project decides, and asks a model as often as it likes. */
  ownPolicy: 'flag?',
  startToCloseMs: 'amount',
  heartbeatMs: 'amount',
  retry: { attempts: 'count', initialMs: 'amount', factor: 'amount' },
} as const;

/** An executor of some of the nodes, with the bounds that every attempt has. Times in milliseconds. */
export type NodeExecutor = Of<typeof EXECUTOR>;

/** The bounds of an executor whose capability states none. */
export const USUAL_BOUNDS = {
  /**
   * @bound an attempt, by default
   * @beyond it counts as failed, and is tried again; at-most-once: `uncertain`
   */
  startToCloseMs: 300_000,
  /**
   * @bound silence of an attempt at a read or an idempotent effect, by default
   * @beyond it counts as dead, and is tried again
   */
  heartbeatMs: 3000,
  /**
   * The pauses are 1, 4, 16 and 64 s, so that workers which crash for a minute fail nothing.
   * @bound .attempts attempts, by default; those whose worker was lost count
   * @beyond the node fails; where the last was lost, a person is asked. An at-most-once node begins its effect in one of them
   * @bound .initialMs the first pause between attempts, by default
   * @beyond then 4 times as long
   */
  retry: { attempts: 5, initialMs: 1000, factor: 4 },
} as const satisfies Partial<NodeExecutor>;

/**
 * An attempt may last this much longer than its capability allows.
 * @bound an attempt's wait for its resource
 * @beyond it is deferred and starts again
 */
export const RESOURCE_WAIT_MS = 60_000;

const REUSE = {
  /** The closed run. */
  of: 'text',
  /** By node: its result there, its time (ISO 8601), and notes, such as what has changed since. */
  done: eachOf({ ...HANDLE, at: 'time', notes: maybe(['text']) }),
  /** Nodes whose effect began there without a usable result, and why. */
  begun: eachOf('text'),
  /** How much is reused, and which work is not and why; for people, at most 2000 bytes. */
  text: 'text',
} as const;

/** One value of an effect, as a card shows it. */
export const PREVIEW = {
  /** The hash of the state that the rows are from. */
  state: 'name',
  /** `magnet-12  43.9 A -> 46 A`, at most 20. */
  rows: ['text'],
} as const;
/** What an effect would change, as its capability sees it. */
export type Preview = Of<typeof PREVIEW>;

export const SHOWN_VALUE = { name: 'text', text: 'text', length: 'count?' } as const;

/** The work that a run takes over of a closed one, as its nodes were found in the store. */
export type Reuse = Of<typeof REUSE>;

/** Column i belongs to the node `node_${i + 1}`. A node's inputs always have smaller indexes. */
const COLUMNS = {
  goal: 'text',
  digest: 'ref',
  /** Reference of the stored revision: the plan with the executor that was resolved for each node. */
  revisionRef: 'ref',
  root: 'count',
  /** Indexes of the nodes whose results this one takes; left then right; the same twice for `A op A`. */
  inputs: [['count']],
  /** For an ordered list: the nodes that a node waits for besides its inputs, since effects run in list order. */
  after: maybe(eachOf(['count'])),
  /** For an ordered list: the context key of each step. */
  contextKeys: maybe(['text']),
  /** What each node above read does, whatever the form of the plan and its inputs. */
  effectKeys: maybe(eachOf('text')),
  /** By node: what an at-most-once effect is claimed as, which no other node of its run is. */
  claims: maybe(eachOf('text')),
  /** By node: the other run of this workflow id in which its at-most-once effect has begun, and when. */
  begunElsewhere: maybe(eachOf('text')),
  /** The minutes that the plan's writer expects the run to take. */
  estimatedMinutes: 'amount?',
  /** The distinct executors of this plan. */
  executors: [EXECUTOR],
  executorOf: ['count'],
  /** At most 80 bytes each. */
  summaries: ['text'],
  /** The plan as a text tree for people; cut to `PLAN_TEXT_BYTES` with a note about the rest. */
  text: 'text',
  /** What its tasks read from outside the plan, at most 12 lines for people; absent if nothing is known. */
  context: maybe(['text']),
  /** The digest of the same plan without any value of external context. */
  digestWithoutContext: 'ref?',
  /** By node: the warnings of its capability for people who approve. */
  warnings: maybe(eachOf('text')),
  /** Repairs and ignored parts of the document, a few lines for people who approve. */
  documentWarnings: maybe(['text']),
  /** The input values of nodes with an effect above read, by node, for people. */
  values: maybe(eachOf([SHOWN_VALUE])),
  /** By node above read: what it would change. No identity of a node has it, since the effect itself changes it. */
  previews: maybe(eachOf(typed<Preview>(PREVIEW))),
  /** Characters of the values of a node that are left out there, by node. */
  valuesLeft: maybe(eachOf('count')),
  /** For a run that reuses a closed one. */
  reuse: maybe(REUSE),
} as const;

export type RunSlice = Of<typeof COLUMNS>;

/** The columns, as long as each other, with no node that waits for itself or for a later one. */
export const SLICE: Shape = allOf(COLUMNS, (value, path) => {
  const { inputs, executorOf, executors, summaries, root } = value as RunSlice;
  const total = inputs.length;
  const isWhole = root < total && executorOf.length === total && summaries.length === total;
  const isOrdered = inputs.every((from, node) => from.every((one) => one < node));
  const isKnown = executorOf.every((one) => one < executors.length);
  return isWhole && isOrdered && isKnown ? undefined : `${path}: expected columns that belong together`;
});

/** The text of a plan that a run shows. */
export const PLAN_TEXT_BYTES = 4000;

/** Undefined for a node that is not there. */
export function effectOf(slice: RunSlice | undefined, node: number): Effect | undefined {
  return slice?.executors[slice.executorOf[node] ?? -1]?.effect;
}

/** The resource that a node writes to; undefined also if the node does not exist. */
export function resourceOf(slice: RunSlice | undefined, node: number): string | undefined {
  return slice?.executors[slice.executorOf[node] ?? -1]?.resource;
}

export function executorLabel(executor: Executor): string {
  const { kind, name, version, effect, resource, usesGoal } = executor;
  const on = resource === undefined ? '' : ` on ${resource}`;
  return `${kind} ${name}@${version} ${effect}${on}${usesGoal === false ? WITHOUT_GOAL : ''}`;
}

/** What carries out what has this label, as a card names it: `transfer`, or `agent bot`. */
export function executorName(label: string): string {
  return label.replace(/^capability /, '').replace(/@.*$/s, '');
}

/** Whether an agent carries out what has this label. */
export function isOfAgent(label: string): boolean {
  return label.startsWith('agent ');
}

/** Whether the executor with this label reads the goal of the plan. */
export function isGivenGoal(label: string): boolean {
  return !label.endsWith(WITHOUT_GOAL) && label !== OPERATOR_LABEL;
}

/** The label of a set operator. */
export const OPERATOR_LABEL = 'operator';
const WITHOUT_GOAL = ' without goal';
