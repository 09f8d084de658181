/**
 * The stages of a policy: what each may read, write and decide. A policy is one ordered list of them, and what a stage is
 * allowed to do follows from its kind.
 */

/** The source of a decision: a rule before the model, a rule that looks for work, or the `decide` stage. */
export type Origin = 'gate' | 'select' | 'model';
export const ORIGINS = ['gate', 'select', 'model'] as const satisfies readonly Origin[];

/** The decision of a round: an action by name, and the fields that belong to it. Plain JSON. */
export interface AnyDecision {
  readonly action: string;
}

export type Key<State> = keyof State & string;

/** New values of the declared fields; every other field is refused, by type and at run time. */
export type Patch<State, Writes extends Key<State>> = { readonly [K in Writes]?: State[K] } & {
  readonly [K in Exclude<Key<State>, Writes>]?: never;
};

interface Named {
  /** The name in the picture and the trace: letters, digits, `_` and `-`. */
  readonly name: string;
  /** The picture says this beside the name. */
  readonly about?: string;
  /** The fields of the state that it may write. Default: none. */
  readonly writes?: readonly string[];
}

type Soon<T> = T | Promise<T>;

/** Decides without the model where its predicate holds: the round goes to dispatch, or to a corrector of gates. */
export interface Gate<State, Decision, Around = unknown> extends Named {
  readonly kind: 'gate';
  /** The predicate alone, so that a table can test it. */
  when(state: State, around: Around): boolean;
  decide(state: State, around: Around): Decision;
  /** Written where it decides. */
  write?(state: State, around: Around): Partial<State>;
}

/** Makes the state richer and decides nothing. A run always gives a signal: it is aborted when the stage is given up. */
export interface Enrich<State, Around = unknown> extends Named {
  readonly kind: 'enrich';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Partial<State> | undefined>;
}

export interface Chosen<State, Decision> {
  /** Absent: nothing to do, the next stage is asked. */
  readonly decision?: Decision;
  readonly state?: Partial<State>;
}

/** Looks for work that needs no model; decides where it finds some. */
export interface Select<State, Decision, Around = unknown> extends Named {
  readonly kind: 'select';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Chosen<State, Decision> | undefined>;
}

/** Decides when no stage before it did; most ask the model. Exactly one, behind every gate, enrichment and selector. */
export interface Decide<State, Decision, Around = unknown> extends Named {
  readonly kind: 'decide';
  run(
    state: State,
    around: Around,
    signal?: AbortSignal,
  ): Soon<Chosen<State, Decision> & { readonly decision: Decision }>;
}

/** Rewrites decisions of its origins. */
export interface Correct<State, Decision, Around = unknown> extends Named {
  readonly kind: 'correct';
  readonly origins: readonly Origin[];
  /** Undefined, or no decision in it: the decision stays. */
  run(
    state: State,
    decision: Decision,
    around: Around,
    signal?: AbortSignal,
  ): Soon<Chosen<State, Decision> | undefined>;
}

/**
 * A stage of a policy, told apart by `kind`. A gate or a selector decides without the model, an enrichment only adds to
 * the state, the `decide` stage decides when no other has, and a corrector rewrites a decision.
 */
export type Stage<State, Decision extends AnyDecision, Around = unknown> =
  | Gate<State, Decision, Around>
  | Enrich<State, Around>
  | Select<State, Decision, Around>
  | Decide<State, Decision, Around>
  | Correct<State, Decision, Around>;

/** The kind of a stage: `gate`, `enrich`, `select`, `decide` or `correct`. It says what the stage may do. */
export type StageKind = Stage<unknown, AnyDecision>['kind'];

/** A stage as it is written: its writes and what it returns are checked against each other. */
type Written<Of extends Named, Writes extends string> = Omit<Of, 'kind' | 'writes' | 'run' | 'write'> & {
  readonly writes?: readonly Writes[];
};
type Choice<State, Decision, Writes extends Key<State>> = {
  readonly decision?: Decision;
  readonly state?: Patch<State, Writes>;
};

/** Builders whose types know the state, the decisions and the surroundings of one policy. */
export interface Stages<State, Decision extends AnyDecision, Around> {
  gate<Writes extends Key<State> = never>(
    stage: Written<Gate<State, Decision, Around>, Writes> & {
      write?(state: State, around: Around): Patch<State, NoInfer<Writes>>;
    },
  ): Gate<State, Decision, Around>;
  enrich<Writes extends Key<State> = never>(
    stage: Written<Enrich<State, Around>, Writes> & {
      run(state: State, around: Around, signal?: AbortSignal): Soon<Patch<State, NoInfer<Writes>> | undefined>;
    },
  ): Enrich<State, Around>;
  select<Writes extends Key<State> = never>(
    stage: Written<Select<State, Decision, Around>, Writes> & {
      run(
        state: State,
        around: Around,
        signal?: AbortSignal,
      ): Soon<Choice<State, Decision, NoInfer<Writes>> | undefined>;
    },
  ): Select<State, Decision, Around>;
  decide<Writes extends Key<State> = never>(
    stage: Written<Decide<State, Decision, Around>, Writes> & {
      run(
        state: State,
        around: Around,
        signal?: AbortSignal,
      ): Soon<Choice<State, Decision, NoInfer<Writes>> & { readonly decision: Decision }>;
    },
  ): Decide<State, Decision, Around>;
  /** `origins` is by default what the model decided. */
  correct<Writes extends Key<State> = never>(
    stage: Omit<Written<Correct<State, Decision, Around>, Writes>, 'origins'> & {
      readonly origins?: readonly Origin[];
      run(
        state: State,
        decision: Decision,
        around: Around,
        signal?: AbortSignal,
      ): Soon<Choice<State, Decision, NoInfer<Writes>> | undefined>;
    },
  ): Correct<State, Decision, Around>;
}

/**
 * The builders of the stages of one policy.
 * @example
 * const on = stagesOf<{ region?: string }, { action: 'ask' | 'finish' }>();
 * const region = on.gate({ name: 'g_region', when: (s) => s.region === undefined, decide: () => ({ action: 'ask' }) });
 */
export function stagesOf<State, Decision extends AnyDecision, Around = unknown>(): Stages<State, Decision, Around> {
  // The types have checked what a stage returns against what it declares; for the one that runs it, it is any patch.
  return BUILDERS as unknown as Stages<State, Decision, Around>;
}

const BUILDERS = {
  gate: (stage: object) => ({ ...stage, kind: 'gate' }),
  enrich: (stage: object) => ({ ...stage, kind: 'enrich' }),
  select: (stage: object) => ({ ...stage, kind: 'select' }),
  decide: (stage: object) => ({ ...stage, kind: 'decide' }),
  correct: (stage: object) => ({ origins: ['model'], ...stage, kind: 'correct' }),
};
