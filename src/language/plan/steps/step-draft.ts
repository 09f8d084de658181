/** Steps as read, before their names are resolved. */

import type { Place } from '../issues/index.ts';
import type { TaskFields } from '../plan-reading.ts';

/** The names of a step, and the names that it gives. */
export interface NamedStep extends Pick<TaskFields, 'place' | 'nodeId'> {
  readonly contextKey: string;
  /** Every other step and every key that the step names, in document order. */
  readonly references: readonly StepReference[];
  /** The last of the list, a respond or a clarify: it takes the results of all the others. */
  takesAll: boolean;
}

/** A step of an ordered list as read: the fields of a task and those that only a step has. */
export interface StepDraft extends TaskFields, NamedStep {
  readonly action: string | undefined;
  readonly description: string | undefined;
  readonly expectedOutput: string | undefined;
  readonly successCriteria: string | undefined;
}

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
export interface StepInputs {
  /** Indexes of earlier steps, rising, each once. */
  readonly dependsOn: readonly number[];
  /** Keys that come from outside the plan, in the order of UTF-16 code units, each once. */
  readonly externalInputs: readonly string[];
  /** The types under which results are asked for, by key; undefined when there are none. */
  readonly inputTypes: { readonly [contextKey: string]: string } | undefined;
}
