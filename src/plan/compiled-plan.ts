/**
 * The compiled plan. Pure data: it survives JSON, and it is the same offline and in a run.
 *
 * Words used everywhere in this project:
 * - plan document: a text or a value that a person or a model writes; any of the accepted formats.
 * - task: a node that one executor (a capability or an agent) carries out.
 * - combine: a node that applies a set operator to the results of two nodes.
 * - executor: the capability or agent that carries out a task, resolved against the project's catalogue.
 * - key: the identity of a node's meaning together with everything below it.
 * - digest: the identity of the whole plan; an approval is bound to it.
 */

import type { Region, SetOperator, Side, SpanOperation, Strand } from './algebra/index.ts';

export type { Region, RegionEnd, Side, SpanOperation, Strand } from './algebra/index.ts';

/** The operator of a combine: any of the set operators. */
export type Operator = SetOperator;

/** Any value that JSON can hold. Lists and objects are read-only. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** How long the writer of a plan expects it to take; it scales the plan's timeouts. */
export type Complexity = 'low' | 'medium' | 'high';

/**
 * Parameters of COLOCATE. In its simple form a window is put on each left record, along that record's own strand, and
 * the right record is taken as it is: `upstream` and `downstream` are base counts, integers >= 0. In its full form
 * each side has a region, `left` and `right`, and `upstream` and `downstream` are 0.
 */
export interface Colocate {
  readonly upstream: number;
  readonly downstream: number;
  readonly left?: Region;
  readonly right?: Region;
  readonly strand: Strand;
  readonly operation: SpanOperation;
  readonly output: Side;
  /** The records of the output side that meet none of the other. Absent: those that meet one. */
  readonly invert?: true;
}

/** The id of a node: `node_1` .. `node_n`, in depth-first post-order: a dependency always has the smaller number. */
export type NodeId = string;

/** A node of a compiled plan that one executor carries out, a capability or an agent. */
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
  /** The name of a step's result; a task of a tree has none. A plan whose root has one is an ordered list of steps. */
  readonly contextKey?: string;
  readonly action?: string;
  readonly description?: string;
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  /** Keys of results from outside the plan that the task reads. */
  readonly externalInputs?: readonly string[];
  /** The references of their values, by key; absent where the plan was compiled without values. */
  readonly externalRefs?: { readonly [contextKey: string]: string };
  /** The types under which results are asked for, by context key. */
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
  /** Left and right, in that order; the same id twice for `A op A`. */
  readonly inputs: readonly [NodeId, NodeId];
  /** The inputs, each once. */
  readonly dependsOn: readonly NodeId[];
  readonly displayName: string;
  readonly colocate?: Colocate;
}

/** A node of a compiled plan, told apart by `kind`: a task or a combine. */
export type PlanNode = TaskNode | CombineNode;

/** The part of a compiled plan that is stored and hashed. */
export interface StoredPlan {
  readonly version: 1;
  readonly goal: string;
  readonly root: NodeId;
  /** In dependency order, as are `combines`. */
  readonly tasks: readonly TaskNode[];
  readonly combines: readonly CombineNode[];
  readonly complexity?: Complexity;
  readonly estimatedMinutes?: number;
  /** Every key from outside the plan that a task reads, in the order of UTF-16 code units. */
  readonly external?: readonly string[];
}

/**
 * A plan as it is approved and carried out: equal nodes are one, dependencies come first, and the digest names the
 * whole. Plain JSON.
 */
export interface CompiledPlan extends StoredPlan {
  /** Every node by its id; the same records as in `tasks` and `combines`. */
  readonly nodesById: { readonly [id: NodeId]: PlanNode };
  /** Every node id, mapped to the ids of the nodes that need its result, each once. */
  readonly dependents: { readonly [id: NodeId]: readonly NodeId[] };
  /** SHA-256 of the RFC 8785 canonical form of the stored plan: 64 lower-case hex digits. */
  readonly digest: string;
}
