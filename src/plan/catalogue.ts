import type { JsonValue } from './compiled-plan.ts';

/**
 * The effect of a task on the outside world. A `read` changes nothing. An `idempotent` task may be repeated under the
 * same key. An `at-most-once` task must never be repeated unless a person says so.
 */
export type Effect = 'read' | 'idempotent' | 'at-most-once';

/** The capability or agent that executes a task, in the version that the project has. */
export interface Executor {
  readonly kind: 'capability' | 'agent';
  readonly name: string;
  readonly version: string;
  readonly effect: Effect;
  /** The name of the resource that the task writes to, computed from its arguments. */
  readonly resource?: string;
  /** Set if the executor does not get the goal of the plan. Its result then stays valid if the goal changes. */
  readonly usesGoal?: false;
  /** What kind of source the executor's results have, such as `web page`, if they are untrusted. */
  readonly untrusted?: string;
}

/** The facts about an executor that the arguments decide, or a sentence that says why its resource is unknown. */
export type ResourceFound =
  | ({ readonly ok: true } & Pick<Executor, 'resource' | 'untrusted'>)
  | { readonly ok: false; readonly reason: string };

/** A problem with the arguments of a task. `path` has the keys below `arguments`; it is empty for all arguments. */
export interface ArgumentProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The issue code, by default `invalid-arguments`. `unknown-argument`: the executor would never see the key. */
  readonly code?: 'invalid-arguments' | 'unknown-argument' | 'repaired-syntax';
  readonly expected?: string | readonly string[];
  readonly got?: string;
  readonly meant?: JsonValue;
}

/** The executors of a project, for the compiler. The capability registry implements this interface. */
export interface Catalogue {
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  /** Names that plans may not use, each with the reason. The name of an MCP server covers all its tools. */
  readonly withheld?: readonly { readonly name: string; readonly why: string }[];
  /** The executor of a task that names neither a capability nor an agent. */
  readonly defaultExecutor?: Executor;
  executor(kind: 'capability' | 'agent', name: string): Executor | undefined;
  /** Returns all problems of these arguments; the list is empty if the arguments fit. */
  checkArguments(executor: Executor, args: JsonValue | undefined): readonly ArgumentProblem[];
  /** The kind of result that a task of this executor returns. If it is unknown, the result may be a set. */
  outputOf?(executor: Executor): 'set' | 'text' | 'value' | undefined;
  /** @param isWhole false if the arguments still lack the result of another step */
  resourceOf?(executor: Executor, args: JsonValue | undefined, isWhole: boolean): ResourceFound;
}

/** Agent names are compared trimmed and in lower case, as in Calute's XML plans. */
export function foldAgentName(name: string): string {
  return name.trim().toLowerCase();
}
