/**
 * The compiled plan: plain data that survives JSON and is the same offline and in a run. Terms of this project: a plan
 * document is a text or value in any accepted format; a task is a node that one executor runs; a combine applies a set
 * operator to the results of two nodes; an executor is the capability or agent of a task; a key identifies the meaning
 * of a node with everything below it; the digest identifies the whole plan, and an approval is bound to it.
 */

import type { Region, SetOperator, Side, SpanOperation, Strand } from './algebra/index.ts';

export type { Region, RegionEnd, Side, SpanOperation, Strand } from './algebra/index.ts';

/** The operator of a combine. */
export type Operator = SetOperator;

/** Any JSON value. Lists and objects are read-only. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The expected effort of a plan; it scales the timeouts. */
export type Complexity = 'low' | 'medium' | 'high';

/**
 * Parameters of COLOCATE. Simple form: a window on each left record along its own strand, `upstream` and `downstream`
 * in bases (integers >= 0); the right record is taken as it is. Full form: a region for each side, `left` and `right`,
 * and `upstream` and `downstream` are 0.
 */
export interface Colocate {
  readonly upstream: number;
  readonly downstream: number;
  readonly left?: Region;
  readonly right?: Region;
  readonly strand: Strand;
  readonly operation: SpanOperation;
  readonly output: Side;
  /** Keeps the records of the output side that meet none of the other. Absent: those that meet one. */
  readonly invert?: true;
}

/** `node_1` .. `node_n`, in depth-first post-order: a dependency always has the smaller number. */
export type NodeId = string;

/** A node of a compiled plan that a capability or an agent runs. */
export interface TaskNode {
  readonly id: NodeId;
  readonly key: string;
  readonly kind: 'task';
  readonly task: string;
  readonly hint?: string;
  readonly context?: JsonValue;
  readonly capability?: string;
  readonly arguments?: JsonValue;
  readonly agent?: string;
  /**
   * The name of a step's result. Tasks of a tree have none. If the root has one, the plan is an ordered list of steps.
   */
  readonly contextKey?: string;
  readonly action?: string;
  readonly description?: string;
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  /** Keys of results from outside the plan that the task reads. */
  readonly externalInputs?: readonly string[];
  /** The references of their values, by key; absent if the plan was compiled without values. */
  readonly externalRefs?: { readonly [contextKey: string]: string };
  readonly inputTypes?: { readonly [contextKey: string]: string };
  readonly displayName?: string;
  readonly dependsOn: readonly NodeId[];
}

/** A node of a compiled plan that applies a set operator to the results of two nodes. */
export interface CombineNode {
  readonly id: NodeId;
  readonly key: string;
  readonly kind: 'combine';
  readonly operator: Operator;
  /** Left and right; the same id twice for `A op A`. */
  readonly inputs: readonly [NodeId, NodeId];
  readonly dependsOn: readonly NodeId[];
  readonly displayName: string;
  readonly colocate?: Colocate;
}

/** A node of a compiled plan: a task or a combine (`kind`). */
export type PlanNode = TaskNode | CombineNode;

/** The stored and hashed part of a compiled plan. */
export interface StoredPlan {
  readonly version: 1;
  readonly goal: string;
  readonly root: NodeId;
  readonly tasks: readonly TaskNode[];
  readonly combines: readonly CombineNode[];
  readonly complexity?: Complexity;
  readonly estimatedMinutes?: number;
  /** Every key from outside the plan that a task reads, sorted by UTF-16 code units. */
  readonly external?: readonly string[];
}

/**
 * A plan as it is approved and run: equal nodes are merged, dependencies come first, and the digest names the whole.
 * Plain JSON.
 */
export interface CompiledPlan extends StoredPlan {
  readonly nodesById: { readonly [id: NodeId]: PlanNode };
  /** For every node the ids of the nodes that need its result, each once. */
  readonly dependents: { readonly [id: NodeId]: readonly NodeId[] };
  /** SHA-256 of the RFC 8785 canonical form of the stored plan: 64 lower-case hex digits. */
  readonly digest: string;
}
