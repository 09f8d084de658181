/**
 * The part of a compiled plan that a run needs in its history: which nodes wait for which, and the executor of each. In
 * columns, since a record per node would cost more bytes than the node's own events may.
 */

import type { Effect, Executor } from '../plan/index.ts';
import type { NodeKind, ResultHandle } from './nodes.ts';
import type { Spending } from './spending.ts';

/** An executor of some of the nodes, with the bounds that every attempt has. Times in milliseconds. */
export interface NodeExecutor {
  /** `capability name@version effect`, with ` on` its resource where it has one, or `operator`. A worker whose registry says otherwise refuses to run the node. */
  readonly label: string;
  readonly kind: NodeKind;
  readonly effect: Effect;
  /** The capability's name; absent for a set operator. */
  readonly name?: string;
  /** The cost of one execution as its capability says; approval rules look at it. */
  readonly cost?: number;
  /** The resource that it writes to; of the nodes that write to one, one is at work at a time. */
  readonly resource?: string;
  /** Its capability says that each of its nodes has an activity of its own. */
  readonly alone?: true;
  /** For an agent: the steps it may decide. */
  readonly rounds?: number;
  /** For an agent: the most that one task of it may spend. */
  readonly budget?: Spending;
  readonly startToCloseMs: number;
  readonly scheduleToCloseMs: number;
  readonly heartbeatMs: number;
  readonly retry: { readonly attempts: number; readonly initialMs: number; readonly factor: number };
}

/** How long an attempt waits for its resource before it is held; it has so much more time than its capability may take. */
export const RESOURCE_WAIT_MS = 60_000;

/** Column i belongs to the node `node_${i + 1}`. A node's inputs always have smaller indexes. */
export interface RunSlice {
  readonly goal: string;
  readonly digest: string;
  /** Reference of the stored revision: the plan with the executor that was resolved for each node. */
  readonly revisionRef: string;
  readonly root: number;
  /** Indexes of the nodes whose results this one takes; left then right; the same twice for `A op A`. */
  readonly inputs: readonly (readonly number[])[];
  /** For an ordered list: the nodes that a node waits for beside its inputs, because effects happen in list order. */
  readonly after?: Readonly<Record<number, readonly number[]>>;
  /** For an ordered list: the context key of each step. */
  readonly contextKeys?: readonly string[];
  /** What each node above read does, whatever the form of the plan and its inputs. */
  readonly effectKeys?: Readonly<Record<number, string>>;
  /** By node: the other run of this workflow id in which its at-most-once effect has begun, and when. */
  readonly begunElsewhere?: Readonly<Record<number, string>>;
  /** The minutes that the plan's writer expects the run to take. */
  readonly estimatedMinutes?: number;
  /** The distinct executors of this plan. */
  readonly executors: readonly NodeExecutor[];
  readonly executorOf: readonly number[];
  /** At most 80 bytes each. */
  readonly summaries: readonly string[];
  /** The values that nodes with an effect above read are given, by node, for people: of the first 100 of them, in at most 200 bytes each. */
  readonly values?: Readonly<Record<number, string>>;
  /** What its tasks read from outside the plan, bound and at the time, as at most 12 lines for people; absent where nothing is known. */
  readonly context?: readonly string[];
  /** The digest of the same plan where no value of external context is known. */
  readonly digestWithoutContext?: string;
  /** The plan as a text tree, for people; cut to `PLAN_TEXT_BYTES` with a word about the rest. */
  readonly text: string;
  /** By node: the warnings of its capability from before the plan was shown, to be known before it is approved. */
  readonly warnings?: Readonly<Record<number, string>>;
  /** What was read otherwise than it was written, or not at all; a few lines, to be known before the plan is approved. */
  readonly documentWarnings?: readonly string[];
  /** The worker that compiled it knows parts. */
  readonly parts?: true;
  /** For a run that goes on from a closed one. */
  readonly reuse?: Reuse;
}

/** The work that a run takes over of a closed one, as its nodes were found in the store. */
export interface Reuse {
  /** The closed run. */
  readonly of: string;
  /** By node: its result there, and when (ISO 8601). */
  readonly done: Readonly<Record<number, ResultHandle & { readonly at: string }>>;
  /** Nodes whose effect began there and has no result that can be taken, and why. */
  readonly begun: Readonly<Record<number, string>>;
  /** How much is reused, and which work is not and why; for people, at most 2000 bytes. */
  readonly text: string;
}

export const PLAN_TEXT_BYTES = 4000;
/** Undefined for a node that is not there. */
export function effectOf(slice: RunSlice | undefined, node: number): Effect | undefined {
  return slice?.executors[slice.executorOf[node] ?? -1]?.effect;
}

/** The resource that a node writes to; undefined for one that is not there, too. */
export function resourceOf(slice: RunSlice | undefined, node: number): string | undefined {
  return slice?.executors[slice.executorOf[node] ?? -1]?.resource;
}

export function executorLabel(executor: Executor): string {
  const { kind, name, version, effect, resource, usesGoal } = executor;
  const on = resource === undefined ? '' : ` on ${resource}`;
  return `${kind} ${name}@${version} ${effect}${on}${usesGoal === false ? WITHOUT_GOAL : ''}`;
}

/** Whether what the label names is given the goal of the plan. */
export function isGivenGoal(label: string): boolean {
  return !label.endsWith(WITHOUT_GOAL) && label !== OPERATOR_LABEL;
}

/** The label of a set operator. */
export const OPERATOR_LABEL = 'operator';
const WITHOUT_GOAL = ' without goal';
