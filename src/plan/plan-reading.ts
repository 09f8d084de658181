/** The state that the readers of all formats share, and the drafts of nodes and of steps that they make. */

import { below } from './issues/index.ts';
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
  /** The nodes of the tree, every parent before its children, left before right. */
  readonly drafts: Draft[];
  /** Nodes still to be read, the next one last. */
  readonly waiting: WrittenNode[];
  /** The ids and keys by which the document names its nodes. */
  readonly names: Set<string>;
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
 * A node as read: texts trimmed, JSON values in their canonical form, children known by their number only.
 * A draft may lack what has become an error; no plan is then made of it.
 */
export type Draft = TaskDraft | CombineDraft;

export interface TaskDraft extends TaskFields {
  /** How many of the drafts that follow are its own children: 0 or 1; of a combine 2. */
  readonly arity: 0 | 1;
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
  readonly arity: 2;
  readonly operator: Operator;
  readonly displayName: string | undefined;
  readonly colocate: Colocate | undefined;
}

/** Keeps a name that the document gives to a node. */
export function addName(name: unknown, { names }: Pick<Reading, 'names'>): void {
  if (typeof name === 'string' || typeof name === 'number') names.add(String(name).trim());
}

/** The nodes of a list, the first one read next. */
export function waitForList(list: readonly unknown[], place: Place, reading: Reading): void {
  for (let index = list.length - 1; index >= 0; index--) {
    if (list[index] != null) reading.waiting.push({ value: list[index], place: below(place, index) });
  }
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
  /** The type under which `inputs` asks for it. */
  readonly type?: string;
  readonly place: Place | (() => Place);
}

/** The targets of the names of one step. */
export interface StepInputs extends InputFields {
  /** Indexes of earlier steps, rising, each once. */
  readonly dependsOn: readonly number[];
}
