/** The state that the readers of all formats share, and the drafts of nodes that they make. */

import type { Colocate, Operator } from './compiled-plan.ts';
import type { ReadBudget } from './digest/canonical-json.ts';
import type { InputFields, WrittenFields } from './digest/task-fields.ts';
import type { IssueList, Place } from './issues/index.ts';
import type { Limits } from './limits.ts';

export interface Reading {
  readonly issues: IssueList;
  readonly limits: Limits;
  readonly budget: ReadBudget;
  /** The nodes of a tree, parents before children, left before right. */
  readonly drafts: NodeDraft[];
  /** The nodes of a flat list by id, if a tree is written as one. */
  readonly named?: ReadonlyMap<string, WrittenNode>;
  /** The keys of nodes by all their names; '' for an ambiguous name. */
  readonly names: Map<string, string>;
  readonly external: ReadonlySet<string>;
  readonly nearKeys: Map<string, string | undefined>;
}

/** Any value where a node belongs. */
export interface WrittenNode {
  readonly value: unknown;
  readonly place: Place;
}

/** An object where a node belongs. */
export interface NodeSource {
  readonly node: { readonly [key: string]: unknown };
  readonly place: Place;
}

/**
 * A node as read: texts trimmed, JSON values canonical. A draft may lack what has become an error; then there is no
 * plan.
 */
export type NodeDraft = TaskDraft | CombineDraft;

export interface TaskDraft extends TaskFields {
  input?: NodeDraft | undefined;
}

/** A task in every format. A blank executor name is '', and refused later. */
export interface TaskFields extends WrittenFields {
  readonly kind: 'task';
  readonly place: Place;
  readonly task: string;
  readonly argumentsKey: string;
  /** False if the arguments are no JSON; then there is an issue and nothing to check. */
  readonly argumentsRead: boolean;
  readonly unread?: { readonly [key: string]: unknown } | undefined;
  readonly displayName?: string | undefined;
}

export interface CombineDraft {
  readonly kind: 'combine';
  readonly place: Place;
  readonly operator: Operator;
  readonly displayName: string | undefined;
  readonly colocate: Colocate | undefined;
  left?: NodeDraft | undefined;
  right?: NodeDraft | undefined;
}

export function addName(name: unknown, { names }: Pick<Reading, 'names'>): void {
  if (typeof name === 'string' || typeof name === 'number') names.set(String(name).trim(), String(name).trim());
}

export function newReading(issues: IssueList, limits: Limits, external: Iterable<string> = []): Reading {
  const keys = [...external];
  const names = new Map(keys.map((key) => [key, key]));
  return {
    ...{ issues, limits, names, budget: { left: limits.bytes }, drafts: [], nearKeys: new Map() },
    external: new Set(keys),
  };
}

export interface NamedStep extends Pick<TaskFields, 'place'> {
  readonly contextKey: string;
  /** Every other step and key that the step names, in document order. */
  readonly references: readonly StepReference[];
  /** The final respond or clarify, which takes all other results. */
  takesAll: boolean;
}

export type StepDraft = TaskFields & NamedStep;

/** The key that a step uses for a result it reads. */
export interface StepReference {
  readonly name: string;
  /** Listed under `inputs` or `dependencies`, or a `result_from_step_N` inside a text. */
  readonly from: 'inputs' | 'dependencies' | 'text';
  /** Words such as "the output of step a" count only if they name an earlier step. */
  readonly isLoose?: true;
  /** The type under which `inputs` requests it. */
  readonly type?: string;
  readonly place: Place | (() => Place);
}

export interface StepInputs extends InputFields {
  /** Indexes of earlier steps, rising, each once. */
  readonly dependsOn: readonly number[];
}
