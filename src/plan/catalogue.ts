/** The compiler's view of the executors of a project. The capability registry implements it. */

import type { JsonValue } from './compiled-plan.ts';

/**
 * The effect of a task on the world. `read` changes nothing; `idempotent` may be repeated under the same key;
 * `at-most-once` must never be repeated without a person's word.
 */
export type Effect = 'read' | 'idempotent' | 'at-most-once';

/** The capability or agent that carries out a task, in the version that the project has. */
export interface Executor {
  readonly kind: 'capability' | 'agent';
  readonly name: string;
  readonly version: string;
  readonly effect: Effect;
  /** The resource that its effect writes to, as its arguments say. */
  readonly resource?: string;
  /** It is not given the goal, so that its work stays the same when the goal changes. */
  readonly usesGoal?: false;
}

/** The resource that a task writes to, if any; or why that cannot be told, in a sentence. */
export type ResourceFound =
  | { readonly ok: true; readonly resource?: string }
  | { readonly ok: false; readonly reason: string };

/** One problem with the arguments of a task. `path` holds the keys below `arguments`; `[]` is the whole. */
export interface ArgumentProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The issue that it becomes. Default `invalid-arguments`; `unknown-argument` for a key that the executor would never see; `repaired-syntax`, a warning, with `meant`. */
  readonly code?: 'invalid-arguments' | 'unknown-argument' | 'repaired-syntax';
  readonly expected?: string | readonly string[];
  readonly got?: string;
  /** All arguments, as they nearly fitted and were meant: the plan has them so. */
  readonly meant?: JsonValue;
}

/**
 * The executors of a project, as the compiler sees them: their names, the check of arguments, and the resources that
 * they write to.
 */
export interface Catalogue {
  /** Names in the order in which they should be offered to a person. */
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  /** What was found and is not offered, with the reason; a server's own name stands for all its tools. */
  readonly withheld?: readonly { readonly name: string; readonly why: string }[];
  /** The executor of a task that names neither a capability nor an agent. */
  readonly defaultExecutor?: Executor;
  executor(kind: 'capability' | 'agent', name: string): Executor | undefined;
  /** All problems of these arguments with this executor; an empty list when they fit. */
  checkArguments(executor: Executor, args: JsonValue | undefined): readonly ArgumentProblem[];
  /** The kind of result that tasks of this executor give. Absent, or undefined: it is not known, and may be a set. */
  outputOf?(executor: Executor): 'set' | 'text' | 'value' | undefined;
  /**
   * The resource that a task with these arguments writes to. Absent: no resource is known.
   * @param isWhole false where the result of another step is still to be put into the arguments
   */
  resourceOf?(executor: Executor, args: JsonValue | undefined, isWhole: boolean): ResourceFound;
}

/**
 * The form that is equal for two spellings of one agent (Calute: XML plans): without space around it, in lower case.
 *
 * @example foldAgentName(' Researcher'); // 'researcher'
 */
export function foldAgentName(name: string): string {
  return name.trim().toLowerCase();
}
