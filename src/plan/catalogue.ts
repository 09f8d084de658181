/** What the compiler knows of the executors of a project. The capability registry implements it. */

import type { JsonValue } from './compiled-plan.ts';

/**
 * The effect of a task on the world. `read` changes nothing; `idempotent` may be repeated under the same key;
 * `at-most-once` must never be repeated unless a person says so.
 */
export type Effect = 'read' | 'idempotent' | 'at-most-once';

/** The capability or agent that carries out a task, in the version that the project has. */
export interface Executor {
  readonly kind: 'capability' | 'agent';
  readonly name: string;
  readonly version: string;
  readonly effect: Effect;
  /** The resource that its effect writes to, computed from its arguments. */
  readonly resource?: string;
  /** It does not receive the goal, so its result stays valid if the goal changes. */
  readonly usesGoal?: false;
}

/** The resource that a task writes to, if any; or a sentence that says why it is unknown. */
export type ResourceFound =
  | { readonly ok: true; readonly resource?: string }
  | { readonly ok: false; readonly reason: string };

/** A problem with the arguments of a task. `path` holds the keys below `arguments`; `[]` is the whole. */
export interface ArgumentProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /**
   * The code of the issue. Default `invalid-arguments`. `unknown-argument`: the executor would never see the key.
   * `repaired-syntax`: a warning, with `meant`.
   */
  readonly code?: 'invalid-arguments' | 'unknown-argument' | 'repaired-syntax';
  readonly expected?: string | readonly string[];
  readonly got?: string;
  /** All arguments as they were meant; the plan has them in this form. */
  readonly meant?: JsonValue;
}

/**
 * The executors of a project, as the compiler sees them: names, the check of arguments, and the resources that they
 * write to.
 */
export interface Catalogue {
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  /** Names that exist but are not offered, with the reason. The name of an MCP server covers all its tools. */
  readonly withheld?: readonly { readonly name: string; readonly why: string }[];
  /** The executor of a task that names neither a capability nor an agent. */
  readonly defaultExecutor?: Executor;
  executor(kind: 'capability' | 'agent', name: string): Executor | undefined;
  /** All problems of these arguments; empty if they fit. */
  checkArguments(executor: Executor, args: JsonValue | undefined): readonly ArgumentProblem[];
  /** The kind of result that tasks of this executor give. If unknown, it may be a set. */
  outputOf?(executor: Executor): 'set' | 'text' | 'value' | undefined;
  /**
   * The resource that a task with these arguments writes to, if known.
   * @param isWhole false if the arguments still lack the result of another step
   */
  resourceOf?(executor: Executor, args: JsonValue | undefined, isWhole: boolean): ResourceFound;
}

/** One form for all spellings of an agent's name (Calute: XML plans): trimmed, in lower case. */
export function foldAgentName(name: string): string {
  return name.trim().toLowerCase();
}
