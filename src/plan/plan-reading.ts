/** The state that the readers of all formats share, and the drafts of nodes and of steps that they make. */

import type { Colocate, Operator } from './compiled-plan.ts';
import type { Budget } from './digest/canonical-json.ts';
import type { InputFields, WrittenFields } from './digest/task-fields.ts';
import type { IssueList, Place } from './issues/index.ts';
import type { Limits } from './limits.ts';

/** The state that the readers of one document share. */
export interface Reading {
  readonly issues: IssueList;
  readonly limits: Limits;
  readonly budget: Budget;
  /** The nodes of a tree, every parent before its children, left before right. */
  readonly drafts: Draft[];
  /** The nodes of a flat list by their ids, where a tree is written as one. */
  readonly named?: ReadonlyMap<string, WrittenNode>;
  /** The keys of nodes by every name that the document has for them; '' by a name of several. */
  readonly names: Map<string, string>;
  /** The keys from outside the plan. */
  readonly external: ReadonlySet<string>;
  /** The keys of ours that its unknown keys are nearly. */
  readonly nearKeys: Map<string, string | undefined>;
}

/** Something that stands where a node belongs. */
export interface WrittenNode {
  readonly value: unknown;
  readonly place: Place;
}

/** An object that stands where a node belongs. */
export interface NodeSource {
  readonly node: { readonly [key: string]: unknown };
  readonly place: Place;
}

/**
 * A node as read: texts trimmed, JSON values in their canonical form. A draft may lack what has become an error; no plan
 * is then made of it.
 */
export type Draft = TaskDraft | CombineDraft;

export interface TaskDraft extends TaskFields {
  input?: Draft | undefined;
}

/** A task in every format. A blank name of its executor is '', and refused. */
export interface TaskFields extends WrittenFields {
  readonly kind: 'task';
  readonly place: Place;
  readonly task: string;
  /** The key under which the document has its arguments. */
  readonly argumentsKey: string;
  /** False when the arguments are no JSON; there is then an issue and nothing to check. */
  readonly argumentsRead: boolean;
  /** The keys that are not read, with their values. */
  readonly unread?: { readonly [key: string]: unknown } | undefined;
  readonly displayName?: string | undefined;
}

export interface CombineDraft {
  readonly kind: 'combine';
  readonly place: Place;
  readonly operator: Operator;
  readonly displayName: string | undefined;
  readonly colocate: Colocate | undefined;
  left?: Draft | undefined;
  right?: Draft | undefined;
}

/** Keeps a name that the document gives to a node. */
export function addName(name: unknown, { names }: Pick<Reading, 'names'>): void {
  if (typeof name === 'string' || typeof name === 'number') names.set(String(name).trim(), String(name).trim());
}

/** A reading that has nothing yet but the names of what it may take. */
export function newReading(issues: IssueList, limits: Limits, external: Iterable<string> = []): Reading {
  const keys = [...external];
  const names = new Map(keys.map((key) => [key, key]));
  return {
    ...{ issues, limits, names, budget: { left: limits.bytes }, drafts: [], nearKeys: new Map() },
    external: new Set(keys),
  };
}

/** The names of a step, and the names that it gives. */
export interface NamedStep extends Pick<TaskFields, 'place'> {
  readonly contextKey: string;
  /** Every other step and every key that the step names, in document order. */
  readonly references: readonly StepReference[];
  /** The last of the list, a respond or a clarify: it takes the results of all the others. */
  takesAll: boolean;
}

/** A step of an ordered list as read: a task with names. */
export type StepDraft = TaskFields & NamedStep;

/** A name that a step takes a result by. */
export interface StepReference {
  readonly name: string;
  /** Listed under `inputs` or `dependencies`, or a `result_from_step_N` inside a text. */
  readonly from: 'inputs' | 'dependencies' | 'text';
  /** In words such as "the output of step a", which count only if they name an earlier step. */
  readonly isLoose?: true;
  /** The type under which `inputs` asks for it. */
  readonly type?: string;
  readonly place: Place | (() => Place);
}

/** The targets of the names of one step. */
export interface StepInputs extends InputFields {
  /** Indexes of earlier steps, rising, each once. */
  readonly dependsOn: readonly number[];
}
