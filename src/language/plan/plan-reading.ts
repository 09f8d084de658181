/** The state that the readers of all formats share, and the drafts of nodes that they make. */

import { below } from './issues/index.ts';
import type { Colocate, Operator } from './compiled-plan.ts';
import type { Budget } from './digest/canonical-json.ts';
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
  /** The id that the document gave to the node. */
  readonly nodeId: string | undefined;
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

/** The fields of a task in every format. */
export interface TaskFields {
  readonly kind: 'task';
  readonly place: Place;
  readonly nodeId: string | undefined;
  readonly task: string;
  readonly hint: string | undefined;
  readonly context: string | undefined;
  /** A blank one is '', and refused. So is a blank `agent`. */
  readonly capability: string | undefined;
  readonly arguments: string | undefined;
  /** The key under which the document has them. */
  readonly argumentsKey: string;
  /** False when the arguments are no JSON; there is then an issue and nothing to check. */
  readonly argumentsRead: boolean;
  readonly agent: string | undefined;
  readonly displayName: string | undefined;
}

export interface CombineDraft {
  readonly kind: 'combine';
  readonly place: Place;
  readonly nodeId: string | undefined;
  readonly arity: 2;
  readonly operator: Operator;
  readonly displayName: string | undefined;
  readonly colocate: Colocate | undefined;
}

/** The nodes of a list, the first one read next. */
export function waitForList(list: readonly unknown[], place: Place, reading: Reading): void {
  for (let index = list.length - 1; index >= 0; index--) {
    if (list[index] != null) reading.waiting.push({ value: list[index], place: below(place, index) });
  }
}
