/** The state that the readers of all formats share. `drafts` collects the nodes that they read. */

import type { Colocate, Operator } from './compiled-plan.ts';
import type { ReadBudget } from './digest/canonical-json.ts';
import type { InputFields, WrittenFields } from './digest/task-fields.ts';
import type { IssueList, Place } from './issues/index.ts';
import type { Limits } from './limits.ts';

export interface Reading {
  readonly issues: IssueList;
  readonly limits: Limits;
  readonly budget: ReadBudget;
  /** The nodes of a tree, parents before children and left before right. */
  readonly drafts: NodeDraft[];
  /** The nodes of a flat list by id; present if the document writes a tree as a flat list. */
  readonly named?: ReadonlyMap<string, WrittenNode>;
  /** The keys of nodes, by each of their names; '' if several nodes have the name. */
  readonly names: Map<string, string>;
  readonly external: ReadonlySet<string>;
  readonly nearKeys: Map<string, string | undefined>;
}

export interface WrittenNode {
  readonly value: unknown;
  readonly place: Place;
}

export interface NodeSource {
  readonly node: { readonly [key: string]: unknown };
  readonly place: Place;
}

/** A node as read: texts are trimmed, JSON values are canonical, parts with errors are missing. */
export type NodeDraft = TaskDraft | CombineDraft;

export interface TaskDraft extends TaskFields {
  input?: NodeDraft | undefined;
}

/** A task of any format. A blank name of an executor is '' here, and is rejected later. */
export interface TaskFields extends WrittenFields {
  readonly kind: 'task';
  readonly place: Place;
  readonly task: string;
  readonly argumentsKey: string;
  /** False if the arguments are not JSON. There is an issue for that, and nothing more to check. */
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
  /** All steps and context keys that the step names, in the order of the document. */
  readonly references: readonly StepReference[];
  /** True for the final respond or clarify, which takes all other results. */
  takesAll: boolean;
}

export type StepDraft = TaskFields & NamedStep;

export interface StepReference {
  readonly name: string;
  /** Whether the name is listed under `inputs` or `dependencies`, or occurs in a text as `result_from_step_N`. */
  readonly from: 'inputs' | 'dependencies' | 'text';
  /** True for words such as "the output of step a", which count as a reference only if they name an earlier step. */
  readonly isLoose?: true;
  readonly type?: string;
  readonly place: Place | (() => Place);
}

export interface StepInputs extends InputFields {
  /** The indexes of the earlier steps whose results the step takes, ascending, each once. */
  readonly dependsOn: readonly number[];
}
