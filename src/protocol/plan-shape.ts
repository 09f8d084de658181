/**
 * What a run needs to know of its plan: which nodes wait for which, and the executor of each. In columns, since one
 * record per node would take more bytes than the node's events.
 */

import type { Effect, Executor } from '../plan/index.ts';
import { HANDLE, NODE_KINDS } from './nodes.ts';
import { GRANT_USE, type GrantUse } from './identity/token/grant.ts';
import { EFFECTS } from './project.ts';
import { allOf, eachOf, maybe, oneOf, typed, type Of, type Shape } from './shape.ts';
import { SPENDING } from './spending.ts';

const EXECUTOR = {
  /**
   * `capability name@version effect`, then ` on` and its resource, and ` untrusted`; or `operator`. Workers refuse another
   * label.
   */
  label: 'text',
  kind: oneOf(NODE_KINDS),
  effect: oneOf(EFFECTS),
  name: 'text?',
  cost: 'number?',
  /** The resource that the executor writes to, one node at a time. */
  resource: 'text?',
  /** What kind of source the executor's results have, such as `web page`, if they are untrusted. */
  untrusted: 'text?',
  /** True if each node of this capability needs its own activity. */
  alone: 'flag?',
  rounds: 'count?',
  budget: maybe(SPENDING),
  /** For an agent: the highest cost of one read, with all its attempts. */
  stepCost: 'amount?',
  /** For an agent: true if a policy of the project decides, which may call a model without limit. */
  ownPolicy: 'flag?',
  startToCloseMs: 'amount',
  heartbeatMs: 'amount',
  retry: { attempts: 'count', initialMs: 'amount', factor: 'amount' },
} as const;

/** An executor of nodes, with the limits of every attempt. Times are in milliseconds. */
export type NodeExecutor = Of<typeof EXECUTOR>;

export const USUAL_BOUNDS = {
  /**
   * @bound an attempt, by default @beyond the attempt fails and is repeated; an at-most-once effect becomes `uncertain`
   */
  startToCloseMs: 300_000,
  /**
   * @bound time without a heartbeat of a read or an idempotent effect, by default
   * @beyond the attempt counts as dead and is repeated
   */
  heartbeatMs: 3000,
  /**
   * The pauses are 1, 4, 16 and 64 s, so that nodes survive if workers crash for a minute.
   * @bound .attempts attempts, by default, including those whose worker was lost @beyond the node fails; if the worker
   * of the last attempt was lost, a person is asked. Only one attempt begins an at-most-once effect
   */
  retry: { attempts: 5, initialMs: 1000, factor: 4 },
} as const satisfies Partial<NodeExecutor>;

/** How long an attempt waits for its resource, in ms, in addition to the capability's own time limit. */
export const RESOURCE_WAIT_MS = 60_000;

const REUSE = {
  of: 'text',
  /** By node: its result in the closed run, when it ended (ISO 8601), and notes, such as later changes. */
  done: eachOf({ ...HANDLE, at: 'time', notes: maybe(['text']) }),
  /** By node: why its effect began in the closed run but left no usable result. */
  begun: eachOf('text'),
  /** How much is reused, and what is not reused and why, as text for people, at most 2000 bytes. */
  text: 'text',
} as const;

/** Takes the place of an effect's state that is not computed yet. It differs from every hash. */
export const UNSEEN_STATE = 'unseen';

export const PREVIEW = {
  /** The hash of the state from which the capability computed the rows. */
  state: 'name',
  /** Rows such as `magnet-12  43.9 A -> 46 A`, at most 20. */
  rows: ['text'],
} as const;
/** What an effect would change, as its capability computes it. */
export type Preview = Of<typeof PREVIEW>;

export const SHOWN_VALUE = { name: 'text', text: 'text', length: 'count?' } as const;

/** The results that a run takes over from a closed run, as the store has them. */
export type Reuse = Of<typeof REUSE>;

/** Column i describes `node_${i + 1}`. Inputs of a node have smaller indexes. */
const COLUMNS = {
  goal: 'text',
  digest: 'ref',
  /** Reference of the stored revision: the plan, and the resolved executor of each node. */
  revisionRef: 'ref',
  root: 'count',
  /** For each node, the indexes of its inputs: left, then right. For `A op A`, both are the same. */
  inputs: [['count']],
  /** For an ordered list: the nodes that a node waits for besides its inputs, since effects run in list order. */
  after: maybe(eachOf(['count'])),
  contextKeys: maybe(['text']),
  /** By node with an effect: a key for what the node does, the same in every form of the plan. */
  effectKeys: maybe(eachOf('text')),
  /** By node: the claim key of its at-most-once effect, unique in the run. */
  claims: maybe(eachOf('text')),
  /** By node: the other run of this workflow id in which its at-most-once effect began, and when. */
  begunElsewhere: maybe(eachOf('text')),
  /** The estimated duration of the run in minutes, as the plan's author wrote it. */
  estimatedMinutes: 'amount?',
  executors: [EXECUTOR],
  executorOf: ['count'],
  /** The nodes' titles, at most 80 bytes each. */
  summaries: ['text'],
  /** The plan as a text tree, cut at `PLAN_TEXT_BYTES` with a note about the rest. */
  text: 'text',
  /** What the tasks read from outside the plan: at most 12 lines for people. Absent if nothing is known. */
  context: maybe(['text']),
  digestWithoutContext: 'ref?',
  warnings: maybe(eachOf('text')),
  /** Repairs and ignored parts of the document: a few lines for approvers. */
  documentWarnings: maybe(['text']),
  values: maybe(eachOf([SHOWN_VALUE])),
  /** By node with an effect: what the effect would change. This is no part of the node's identity. */
  previews: maybe(eachOf(typed<Preview>(PREVIEW))),
  /** By node with an effect: the sources of the untrusted values that reach it, for people. */
  untrusted: maybe(eachOf(['text'])),
  /** The untrusted sources that the model had read before it wrote the plan. */
  written: 'text?',
  /** By node: how many characters of its input values `values` omits. */
  valuesLeft: maybe(eachOf('count')),
  reuse: maybe(REUSE),
  /** The grants that cover the plan. Their signatures are not verified yet. */
  grants: maybe([typed<GrantUse>(GRANT_USE)]),
  /** Why other grants for plans of this kind do not cover this plan: a few lines for people. */
  ungranted: maybe(['text']),
} as const;

export type PlanShape = Of<typeof COLUMNS>;

/** Checks that all columns have the same length and that nodes wait only for earlier nodes. */
export const PLAN_SHAPE: Shape = allOf(COLUMNS, (value, path) => {
  const { inputs, executorOf, executors, summaries, root } = value as PlanShape;
  const total = inputs.length;
  const isWhole = root < total && executorOf.length === total && summaries.length === total;
  const isOrdered = inputs.every((from, node) => from.every((one) => one < node));
  const isKnown = executorOf.every((one) => one < executors.length);
  return isWhole && isOrdered && isKnown ? undefined : `${path}: expected columns that belong together`;
});

export const PLAN_TEXT_BYTES = 4000;

export function effectOf(planShape: PlanShape | undefined, node: number): Effect | undefined {
  return planShape?.executors[planShape.executorOf[node] ?? -1]?.effect;
}

/** The resource that a node writes to; undefined if it has none or does not exist. */
export function resourceOf(planShape: PlanShape | undefined, node: number): string | undefined {
  return planShape?.executors[planShape.executorOf[node] ?? -1]?.resource;
}

export function executorLabel(executor: Executor): string {
  const { kind, name, version, effect, resource, untrusted, usesGoal } = executor;
  const on = resource === undefined ? '' : ` on ${resource}`;
  const trust = untrusted === undefined ? '' : ' untrusted';
  return `${kind} ${name}@${version} ${effect}${on}${trust}${usesGoal === false ? WITHOUT_GOAL : ''}`;
}

/** The name of an executor for people, from its label: `transfer`, or `agent bot`. */
export function executorName(label: string): string {
  return label.replace(/^capability /, '').replace(/@.*$/s, '');
}

export function isOfAgent(label: string): boolean {
  return label.startsWith('agent ');
}

export function readsGoal(label: string): boolean {
  return !label.endsWith(WITHOUT_GOAL) && label !== OPERATOR_LABEL;
}

export const OPERATOR_LABEL = 'operator';
const WITHOUT_GOAL = ' without goal';
