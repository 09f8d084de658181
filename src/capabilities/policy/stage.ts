/** The stages of a policy. A stage's kind determines what the stage may read, write and decide. */

import type { Origin, StageKind } from '../../protocol/index.ts';

/** The decision of a round: the name of an action, and its fields, as plain JSON. */
export interface AnyDecision {
  readonly action: string;
}

/** A field of the state, or any name if the type of the state is unknown. */
export type Key<State> = [keyof State] extends [never] ? string : keyof State & string;

/** New values of the declared fields. Types and the code at run time reject all other fields. */
export type Patch<State, Writes extends Key<State>> = { readonly [K in Writes]?: State[K & keyof State] } & {
  readonly [K in Exclude<Key<State>, Writes>]?: never;
};

interface Named {
  /** The name in the picture and the trace: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly about?: string;
  readonly writes?: readonly string[];
}

type Soon<T> = T | Promise<T>;

/** A stage that decides without the model if its condition holds. Then dispatch or a corrector follows. */
interface Gate<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'gate';
  when(state: State, around: Around): boolean;
  decide(state: State, around: Around): Decision;
  write?(state: State, around: Around): Wrote;
}

/** A stage that adds to the state and decides nothing. In a run, the signal is aborted if the stage takes too long. */
interface Enrich<State, Around, Wrote> extends Named {
  readonly kind: 'enrich';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Wrote | undefined>;
}

export interface Chosen<State, Decision, Wrote = Partial<State>> {
  /** The decision. If it is absent, the next stage runs. */
  readonly decision?: Decision;
  readonly state?: Wrote;
}

/** A stage that looks for a step without asking the model, and decides if it finds one. */
interface Select<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'select';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Chosen<State, Decision, Wrote> | undefined>;
}

/** A stage that decides if no earlier stage did, usually with the model. Each policy has exactly one such stage. */
interface Decide<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'decide';
  run(
    state: State,
    around: Around,
    signal?: AbortSignal,
  ): Soon<Chosen<State, Decision, Wrote> & { readonly decision: Decision }>;
}

interface Correct<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'correct';
  readonly origins: readonly Origin[];
  /** Accepts several reads as one decision. By default the loop decides one step at a time. */
  readonly reads?: true;
  /** Corrects a decision. If it returns none, the decision stays. */
  run(
    state: State,
    decision: Decision,
    around: Around,
    signal?: AbortSignal,
  ): Soon<Chosen<State, Decision, Wrote> | undefined>;
}

interface StageOf<State, Decision, Around, Wrote> {
  readonly gate: Gate<State, Decision, Around, Wrote>;
  readonly enrich: Enrich<State, Around, Wrote>;
  readonly select: Select<State, Decision, Around, Wrote>;
  readonly decide: Decide<State, Decision, Around, Wrote>;
  readonly correct: Correct<State, Decision, Around, Wrote>;
}

/**
 * A stage of a policy, by `kind`. A gate or a selector decides without the model, an enrichment only adds to the state,
 * `decide` decides if no other stage has, and a corrector rewrites a decision.
 */
export type Stage<State, Decision extends AnyDecision, Around = unknown> = StageOf<
  State,
  Decision,
  Around,
  Partial<State>
>[StageKind];

interface KindRow {
  /** Where the decisions of this kind come from; absent if the kind decides nothing. */
  readonly origin?: Origin;
  readonly box: readonly [open: string, close: string];
  readonly defaults?: object;
}

/** By kind of stage: the source of its decisions, its box in the diagram of the policy, and its default options. */
export const STAGE_KINDS: { readonly [Kind in StageKind]: KindRow } = {
  gate: { origin: 'gate', box: ['{{', '}}'] },
  enrich: { box: ['[', ']'] },
  select: { origin: 'select', box: ['{{', '}}'] },
  decide: { origin: 'model', box: ['[[', ']]'] },
  correct: { box: ['[', ']'], defaults: { origins: ['model'] } },
};

export const ORIGINS: readonly Origin[] = Object.values(STAGE_KINDS).flatMap(({ origin }) => origin ?? []);

type Written<Of extends Named, Writes extends string> = Omit<Of, 'kind' | 'writes' | 'origins'> &
  Partial<Pick<Of, keyof Of & 'origins'>> & { readonly writes?: readonly Writes[] };

/**
 * Functions that build the stages of one policy, typed for its state, decisions and surroundings. A `gate` has `when`,
 * `decide` and optionally `write`, each called with `(state, around)`. Every other stage has `run(state, around,
 * signal)`, which returns fields of the state (`enrich`) or `{ decision, state }`, or a promise. The `run` of `correct`
 * gets the decision after the state; by default it corrects decisions of the model.
 */
export type Stages<State, Decision extends AnyDecision, Around> = {
  readonly [Kind in StageKind]: <Writes extends Key<State> = never>(
    stage: Written<StageOf<State, Decision, Around, Patch<State, NoInfer<Writes>>>[Kind], Writes>,
  ) => StageOf<State, Decision, Around, Partial<State>>[Kind];
};

/**
 * The functions that build the stages of one policy.
 * @example
 * const on = stagesOf<{ region?: string }, { action: 'ask' | 'finish' }>();
 * const region = on.gate({ name: 'g_region', when: (s) => s.region === undefined, decide: () => ({ action: 'ask' }) });
 */
export function stagesOf<State, Decision extends AnyDecision, Around = unknown>(): Stages<State, Decision, Around> {
  // The types have checked each stage already, so the code that runs stages accepts any patch.
  return BUILDERS as unknown as Stages<State, Decision, Around>;
}

const BUILDERS = Object.fromEntries(
  Object.entries(STAGE_KINDS).map(([kind, { defaults }]) => [
    kind,
    (stage: object) => ({ ...defaults, ...stage, kind }),
  ]),
);
