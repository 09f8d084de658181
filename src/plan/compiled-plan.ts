/**
 * Terms of this project: a plan document is a text or value in any accepted format; a task is a node that one executor
 * runs; a combine applies a set operator to two nodes' results; an executor is a task's capability or agent; a key
 * identifies the meaning of a node with everything below it; the digest identifies the plan, and an approval is valid
 * only for that digest.
 */

import type { Region, SetOperator, Side, SpanOperation, Strand } from './algebra/index.ts';

export type { Region, RegionEnd, Side, SpanOperation, Strand } from './algebra/index.ts';

/** The set operator of a combine node. */
export type Operator = SetOperator;

/** Any JSON value. Lists and objects are read-only. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The expected effort of a plan. A higher effort gives longer timeouts. */
export type Complexity = 'low' | 'medium' | 'high';

/**
 * The parameters of COLOCATE, in one of two forms. With a window, each left record reaches `upstream` and `downstream`
 * bases further along its own strand. With regions, `left` and `right` say what counts on each side, and `upstream` and
 * `downstream` are 0. Numbers of bases are integers >= 0.
 */
export interface Colocate {
  readonly upstream: number;
  readonly downstream: number;
  readonly left?: Region;
  readonly right?: Region;
  readonly strand: Strand;
  readonly operation: SpanOperation;
  readonly output: Side;
  /** If true, the result has the records of the output side that match no record of the other side. */
  readonly invert?: true;
}

export type NodeId = string;

/** A node of a compiled plan that a capability or an agent executes. */
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
  /** The name of a step's result; tasks of a tree have none. If the root has one, the plan is a list of steps. */
  readonly contextKey?: string;
  readonly action?: string;
  readonly description?: string;
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  /** The node of another run that the task undoes (`undoneText`). The worker checks that it is its inverse. */
  readonly undoes?: string;
  /** The keys of values from outside the plan that the task reads. */
  readonly externalInputs?: readonly string[];
  /** The references of values from outside the plan, by key. Absent if the plan was compiled without them. */
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
  /** The ids of the left and the right node. Both ids are equal if a set is combined with itself. */
  readonly inputs: readonly [NodeId, NodeId];
  readonly dependsOn: readonly NodeId[];
  readonly displayName: string;
  readonly colocate?: Colocate;
}

/** A node of a compiled plan: a task or a combine, as `kind` says. */
export type PlanNode = TaskNode | CombineNode;

/** The part of a compiled plan that is stored and from which its digest is computed. */
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
 * A plan as people approve it and runs execute it. Equal nodes are merged, dependencies come first, and the digest
 * identifies the whole plan. The plan is plain JSON.
 */
export interface CompiledPlan extends StoredPlan {
  readonly nodesById: { readonly [id: NodeId]: PlanNode };
  /** For every node, the ids of the nodes that need its result, each once. */
  readonly dependents: { readonly [id: NodeId]: readonly NodeId[] };
  /** The SHA-256 digest of the stored plan in canonical JSON (RFC 8785): 64 lower-case hex digits. */
  readonly digest: string;
}
