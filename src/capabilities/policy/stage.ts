/** The stages of a policy: what each may read, write and decide, by its kind. */

import type { Origin, StageKind } from '../../protocol/index.ts';

/** The decision of a round: an action by name, and its fields. Plain JSON. */
export interface AnyDecision {
  readonly action: string;
}

/** Any name if the state is unknown. */
export type Key<State> = [keyof State] extends [never] ? string : keyof State & string;

/** New values of the declared fields; types and run time refuse all others. */
export type Patch<State, Writes extends Key<State>> = { readonly [K in Writes]?: State[K & keyof State] } & {
  readonly [K in Exclude<Key<State>, Writes>]?: never;
};

interface Named {
  /** The name in the picture and the trace: letters, digits, `_` and `-`. */
  readonly name: string;
  /** The picture shows this beside the name. */
  readonly about?: string;
  readonly writes?: readonly string[];
}

type Soon<T> = T | Promise<T>;

/** Decides without the model if its predicate holds: the round goes to dispatch, or to a corrector of gates. */
interface Gate<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'gate';
  /** The predicate alone, so that a table can test it. */
  when(state: State, around: Around): boolean;
  decide(state: State, around: Around): Decision;
  write?(state: State, around: Around): Wrote;
}

/**
 * Adds to the state and decides nothing. A run always passes a signal, which is aborted if the stage takes too long.
 */
interface Enrich<State, Around, Wrote> extends Named {
  readonly kind: 'enrich';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Wrote | undefined>;
}

export interface Chosen<State, Decision, Wrote = Partial<State>> {
  /** Absent: the next stage runs. */
  readonly decision?: Decision;
  readonly state?: Wrote;
}

/** Looks for a step that needs no model; decides if it finds one. */
interface Select<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'select';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Chosen<State, Decision, Wrote> | undefined>;
}

/**
 * Decides if no earlier stage did; usually asks the model. There is exactly one, after every gate, enrichment and
 * selector.
 */
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
  /**
   * It accepts several reads as one decision; a loop with a corrector that does not decides one step at a time.
   * Default: false.
   */
  readonly reads?: true;
  /** Without a decision in the result, the decision stays. */
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
 * the `decide` stage decides if no other has, and a corrector rewrites a decision.
 */
export type Stage<State, Decision extends AnyDecision, Around = unknown> = StageOf<
  State,
  Decision,
  Around,
  Partial<State>
>[StageKind];

interface KindRow {
  /** The origin of its decisions; a kind without one decides nothing. */
  readonly origin?: Origin;
  readonly box: readonly [open: string, close: string];
  readonly defaults?: object;
}

/** The powers of each kind, for the picture and for the round. */
export const STAGE_KINDS: { readonly [Kind in StageKind]: KindRow } = {
  gate: { origin: 'gate', box: ['{{', '}}'] },
  enrich: { box: ['[', ']'] },
  select: { origin: 'select', box: ['{{', '}}'] },
  decide: { origin: 'model', box: ['[[', ']]'] },
  correct: { box: ['[', ']'], defaults: { origins: ['model'] } },
};

export const ORIGINS: readonly Origin[] = Object.values(STAGE_KINDS).flatMap(({ origin }) => origin ?? []);

/** A stage as written: its writes and its result are checked against each other. */
type Written<Of extends Named, Writes extends string> = Omit<Of, 'kind' | 'writes' | 'origins'> &
  Partial<Pick<Of, keyof Of & 'origins'>> & { readonly writes?: readonly Writes[] };

/**
 * Builders whose types know the state, the decisions and the surroundings of one policy. `gate` takes `when`, `decide`
 * and optionally `write`, each called with `(state, around)`; the others take `run(state, around, signal)`. It returns
 * fields of the state (`enrich`), or `{ decision, state }` (`select`, `decide`, `correct`), or a promise. The `run` of
 * `correct` receives the decision after the state; by default its `origins` are the model's decisions.
 */
export type Stages<State, Decision extends AnyDecision, Around> = {
  readonly [Kind in StageKind]: <Writes extends Key<State> = never>(
    stage: Written<StageOf<State, Decision, Around, Patch<State, NoInfer<Writes>>>[Kind], Writes>,
  ) => StageOf<State, Decision, Around, Partial<State>>[Kind];
};

/**
 * The builders of the stages of one policy.
 * @example
 * const on = stagesOf<{ region?: string }, { action: 'ask' | 'finish' }>();
 * const region = on.gate({ name: 'g_region', when: (s) => s.region === undefined, decide: () => ({ action: 'ask' }) });
 */
export function stagesOf<State, Decision extends AnyDecision, Around = unknown>(): Stages<State, Decision, Around> {
  // The types have checked the result of a stage against its declaration; the code that runs it accepts any patch.
  return BUILDERS as unknown as Stages<State, Decision, Around>;
}

const BUILDERS = Object.fromEntries(
  Object.entries(STAGE_KINDS).map(([kind, { defaults }]) => [
    kind,
    (stage: object) => ({ ...defaults, ...stage, kind }),
  ]),
);
