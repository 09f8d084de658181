/** A policy decides the next step of a loop, in stages that can be drawn, traced and tested separately. */

import type { JsonValue } from '../../plan/index.ts';
import { describeValue, listNames, quote } from '../../plan/text/index.ts';
import type { Origin, StageVisit, VisibleOrigin } from '../../protocol/index.ts';
import { ORIGINS, type AnyDecision, type Key, type Stage } from './stage.ts';

/**
 * The stable code of a `PolicyError`. `invalid` is for a definition. The others are for a round: `stage-threw`,
 * `stage-late`, `undeclared-write`, `unknown-action`, `no-decision`, `not-json` and `too-large`.
 */
export type PolicyErrorCode =
  | 'invalid'
  | 'stage-threw'
  | 'stage-late'
  | 'undeclared-write'
  | 'unknown-action'
  | 'no-decision'
  | 'not-json'
  | 'too-large';

/**
 * An error in the code of a policy, with its stage. No step was started.
 * @example if (error instanceof PolicyError && error.code === 'undeclared-write') show(error.stage);
 */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly code: PolicyErrorCode;
  readonly stage?: string;
  constructor(code: PolicyErrorCode, message: string, options: ErrorOptions & { readonly stage?: string } = {}) {
    super(message, options);
    this.code = code;
    if (options.stage !== undefined) this.stage = options.stage;
  }
}

/** The outcome of the last round. */
export interface Happened<Decision extends AnyDecision = AnyDecision> {
  readonly round: number;
  readonly decision: Decision;
  /** `succeeded`, `reused`, or why there is no result: `failed`, `rejected`, `skipped`, `cancelled`, `uncertain`. */
  readonly status: string;
  readonly message?: string;
  /** The results by key: a text, a list of ids, or any JSON value. */
  readonly results: Readonly<Record<string, JsonValue>>;
}

/** Processes the outcome of the last round before the stages of the next round. */
export interface Observer<State, Decision extends AnyDecision> {
  readonly name: string;
  readonly about?: string;
  /** The actions whose outcome the observer processes. */
  readonly after: readonly Decision['action'][];
  readonly writes: readonly Key<State>[];
  /** Whether the observer runs. Default: always. */
  when?(happened: Happened<Decision>, state: State): boolean;
  run(state: State, happened: Happened<Decision>): Partial<State>;
}

export interface Action<State, Decision> {
  readonly about?: string;
  /** Whether the loop ends with this action. Default: false. */
  readonly ends?: boolean;
  dispatch(decision: Decision, state: State): Step;
}

/** A policy for `definePolicy`: the first state, the stages of a round, and the step for each decision. */
export interface PolicyDefinition<State extends object, Decision extends AnyDecision, Around> {
  /** The name in the trace: letters, digits, `_` and `-`. */
  readonly name: string;
  /** The state of the first round, as plain JSON. */
  initial(around: Around): State;
  /** Runs first in each round, for example to count rounds or to clear fields that belong to one round. */
  readonly tick?: {
    readonly writes: readonly Key<State>[];
    run(state: State, round: number): Partial<State>;
  };
  readonly observers?: readonly Observer<State, Decision>[];
  readonly stages: readonly Stage<State, Decision, Around>[];
  readonly actions: { readonly [Name in Decision['action']]: Action<State, Extract<Decision, { action: Name }>> };
}

/**
 * A policy that `definePolicy` has checked. Its types leave out the fields that stages write, so that policies with any
 * state have one type.
 */
export interface Policy<State extends object = object, Decision extends AnyDecision = AnyDecision, Around = unknown> {
  readonly name: string;
  initial(around: Around): State;
  readonly tick?: { readonly writes: readonly string[]; run(state: State, round: number): Partial<State> };
  readonly observers: readonly Observer<State, Decision>[];
  readonly stages: readonly Stage<State, Decision, Around>[];
  readonly actions: ReadonlyMap<string, Action<State, Decision>>;
}

const NAME = /^[A-Za-z][\w-]{0,63}$/;
const RESERVED = ['START', 'END', 'tick', 'dispatch'];
const MAX_STAGES = 200;

/**
 * Checks a policy: its names, the order of its stages, its one decider, and its origins.
 * @throws PolicyError `invalid` with every problem
 * @example
 * definePolicy({ name: 'greeter', initial: () => ({}), stages: [on.decide({ name: 'greet', run: () => ({ decision: HELLO }) })],
 *   actions: { finish: { ends: true, dispatch: () => ({ is: 'finish', answer: 'Hello' }) } } });
 */
export function definePolicy<State extends object, Decision extends AnyDecision, Around = unknown>(
  definition: PolicyDefinition<State, Decision, Around>,
): Policy<State, Decision, Around> {
  const problems = policyProblems(definition);
  if (problems.length > 0) {
    throw new PolicyError('invalid', `policy ${quote(definition.name)} is not valid:\n- ${problems.join('\n- ')}`);
  }
  const actions = new Map<string, Action<State, Decision>>();
  for (const [name, action] of Object.entries(definition.actions)) {
    actions.set(name, action as Action<State, Decision>);
  }
  return Object.freeze({ ...definition, observers: definition.observers ?? [], actions });
}

function policyProblems({
  name,
  stages,
  observers = [],
  actions,
}: PolicyDefinition<object, AnyDecision, unknown>): readonly string[] {
  const problems: string[] = [];
  const badName = (what: string, one: unknown) =>
    `${what}: expected letters, digits, "_" and "-", at most 64 and a letter first, got ${describeValue(one)}`;
  if (!NAME.test(name)) problems.push(badName('name', name));
  if (stages.length > MAX_STAGES) problems.push(`stages: ${stages.length} are more than the ${MAX_STAGES} allowed`);
  const named = [
    ...stages.map((stage, at) => [`stages[${at}].name`, stage.name] as const),
    ...observers.map((one, at) => [`observers[${at}].name`, one.name] as const),
    ...Object.keys(actions).map((action) => [`actions.${action}`, action] as const),
  ];
  const seen = new Map<string, string>(RESERVED.map((one) => [one, 'the picture']));
  for (const [where, one] of named) {
    if (!NAME.test(one)) problems.push(badName(where, one));
    const before = seen.get(one);
    if (before !== undefined) problems.push(`${where}: ${quote(one)} is the name of ${before} already`);
    seen.set(one, where);
  }
  const deciders = stages.filter(({ kind }) => kind === 'decide');
  if (deciders.length !== 1) {
    problems.push(
      deciders.length === 0
        ? 'stages: there is no decider; add one stage of kind "decide", which decides what no gate and no selector did'
        : `stages: there are ${deciders.length} deciders (${deciders.map((one) => quote(one.name)).join(', ')}); one of them would never be asked`,
    );
  }
  const decider = stages.findIndex(({ kind }) => kind === 'decide');
  stages.forEach((stage, at) => {
    const isCorrector = stage.kind === 'correct';
    if (isCorrector && at < decider) problems.push(`stages[${at}] ${stage.name}: a corrector comes after the decider`);
    if (!isCorrector && decider >= 0 && at > decider) {
      problems.push(`stages[${at}] ${stage.name}: a stage of kind "${stage.kind}" comes before the decider`);
    }
    const origins: readonly Origin[] | undefined = stage.kind === 'correct' ? stage.origins : undefined;
    if (isCorrector && (!origins?.length || origins.some((origin) => !ORIGINS.includes(origin)))) {
      problems.push(`stages[${at}] ${stage.name}: origins: expected some of ${listNames(ORIGINS)}`);
    }
  });
  observers.forEach(({ name: observer, after }) => {
    for (const action of after) {
      if (!Object.hasOwn(actions, action)) {
        problems.push(
          `observer ${observer}: there is no action ${quote(action)}; there are ${listNames(Object.keys(actions))}`,
        );
      }
    }
  });
  if (!Object.values(actions).some(({ ends }) => ends === true)) {
    problems.push('actions: none of them ends the loop; give one of them "ends: true"');
  }
  return problems;
}

/** A stored visit of a stage, with decisions in the type of the policy. */
export interface Visit<Decision extends AnyDecision = AnyDecision> extends Omit<StageVisit, 'before' | 'after'> {
  readonly before?: Decision;
  readonly after?: Decision;
}

/** The end of a round of a policy: its state, its decision and its visits of stages. */
export interface Round<State, Decision extends AnyDecision> {
  readonly state: State;
  readonly decision: Decision;
  /** The source of the decision. It is `decide` if the `decide` stage asked no model. */
  readonly origin: VisibleOrigin;
  /** The stage that made the decision, before any corrector. */
  readonly decider: string;
  readonly visits: readonly Visit<Decision>[];
}

type JsonObject = Readonly<Record<string, JsonValue>>;

/** The step that a loop takes for a decision: a capability, reads, an agent, a plan, the end, or no step. */
export type Step =
  | {
      readonly is: 'capability';
      readonly name: string;
      readonly arguments: JsonObject;
      /** What the step is for, in a sentence. People approve the step by it. */
      readonly objective: string;
      /** The keys of earlier results for this step. Results that the step requires by type are added. */
      readonly inputs?: readonly string[];
      /** The type of the result, for later steps that require the type. */
      readonly expectedOutput?: string;
      /** True if the step's result ends the loop, as its result. Default: false, so that the loop continues. */
      readonly ends?: boolean;
    }
  /** Several reads at the same time, each with its own result. If one fails, the others continue. */
  | { readonly is: 'reads'; readonly calls: readonly ReadStep[] }
  | { readonly is: 'agent'; readonly name: string; readonly arguments: JsonObject; readonly objective: string }
  | { readonly is: 'plan'; readonly goal: string; readonly plan: JsonValue; readonly objective: string }
  /** The end of the loop. The outcome is `aborted` if the loop reached a limit of the policy. */
  | { readonly is: 'finish'; readonly answer: JsonValue; readonly outcome?: 'done' | 'aborted' }
  /** No step. The next round sees the reason. */
  | { readonly is: 'none'; readonly problem: string };

/** One of several reads of a decision. Its result has its own key, such as `step_3_1`. */
export interface ReadStep {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly objective: string;
  readonly inputs?: readonly string[];
  /** Why this read does not run. The other reads do. */
  readonly problem?: string;
}
