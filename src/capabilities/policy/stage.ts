/**
 * The stages of a policy: what each may read, write and decide. A policy is one ordered list of them, and what a stage is
 * allowed to do follows from its kind.
 */

import type { Origin, StageKind } from '../../protocol/index.ts';

/** The decision of a round: an action by name, and the fields that belong to it. Plain JSON. */
export interface AnyDecision {
  readonly action: string;
}

/** Of a state that is not known, any name. */
export type Key<State> = [keyof State] extends [never] ? string : keyof State & string;

/** New values of the declared fields; every other field is refused, by type and at run time. */
export type Patch<State, Writes extends Key<State>> = { readonly [K in Writes]?: State[K & keyof State] } & {
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
interface Gate<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'gate';
  /** The predicate alone, so that a table can test it. */
  when(state: State, around: Around): boolean;
  decide(state: State, around: Around): Decision;
  /** Written where it decides. */
  write?(state: State, around: Around): Wrote;
}

/** Makes the state richer and decides nothing. A run always gives a signal: it is aborted when the stage is given up. */
interface Enrich<State, Around, Wrote> extends Named {
  readonly kind: 'enrich';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Wrote | undefined>;
}

export interface Chosen<State, Decision, Wrote = Partial<State>> {
  /** Absent: nothing to do, the next stage is asked. */
  readonly decision?: Decision;
  readonly state?: Wrote;
}

/** Looks for work that needs no model; decides where it finds some. */
interface Select<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'select';
  run(state: State, around: Around, signal?: AbortSignal): Soon<Chosen<State, Decision, Wrote> | undefined>;
}

/** Decides when no stage before it did; most ask the model. Exactly one, behind every gate, enrichment and selector. */
interface Decide<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'decide';
  run(
    state: State,
    around: Around,
    signal?: AbortSignal,
  ): Soon<Chosen<State, Decision, Wrote> & { readonly decision: Decision }>;
}

/** Rewrites decisions of its origins. */
interface Correct<State, Decision, Around, Wrote> extends Named {
  readonly kind: 'correct';
  readonly origins: readonly Origin[];
  /** It takes several reads as one decision; a loop with a corrector that does not decides one step at a time. Default: false. */
  readonly reads?: true;
  /** Undefined, or no decision in it: the decision stays. */
  run(
    state: State,
    decision: Decision,
    around: Around,
    signal?: AbortSignal,
  ): Soon<Chosen<State, Decision, Wrote> | undefined>;
}

/** The stages by their kinds; `Wrote` is what they may give for the state. */
interface StageOf<State, Decision, Around, Wrote> {
  readonly gate: Gate<State, Decision, Around, Wrote>;
  readonly enrich: Enrich<State, Around, Wrote>;
  readonly select: Select<State, Decision, Around, Wrote>;
  readonly decide: Decide<State, Decision, Around, Wrote>;
  readonly correct: Correct<State, Decision, Around, Wrote>;
}

/**
 * A stage of a policy, told apart by `kind`. A gate or a selector decides without the model, an enrichment only adds to
 * the state, the `decide` stage decides when no other has, and a corrector rewrites a decision.
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
  /** The marks of its box in the picture. */
  readonly box: readonly [open: string, close: string];
  /** The fields that may be left out of its declaration. */
  readonly defaults?: object;
}

/** The powers of each kind, as the picture draws them and the round keeps to them. */
export const STAGE_KINDS: { readonly [Kind in StageKind]: KindRow } = {
  gate: { origin: 'gate', box: ['{{', '}}'] },
  enrich: { box: ['[', ']'] },
  select: { origin: 'select', box: ['{{', '}}'] },
  decide: { origin: 'model', box: ['[[', ']]'] },
  correct: { box: ['[', ']'], defaults: { origins: ['model'] } },
};

export const ORIGINS: readonly Origin[] = Object.values(STAGE_KINDS).flatMap(({ origin }) => origin ?? []);

/** A stage as it is written: its writes and what it returns are checked against each other. */
type Written<Of extends Named, Writes extends string> = Omit<Of, 'kind' | 'writes' | 'origins'> &
  Partial<Pick<Of, keyof Of & 'origins'>> & { readonly writes?: readonly Writes[] };

/**
 * Builders whose types know the state, the decisions and the surroundings of one policy. `gate` takes `when`, `decide` and
 * perhaps `write`, each called with `(state, around)`; the others take `run(state, around, signal)`. It gives fields of the
 * state (`enrich`), or `{ decision, state }` (`select`, `decide`, `correct`), now or later. The `run` of `correct` is given
 * the decision behind the state; its `origins` are by default what the model decided.
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
  // The types have checked what a stage returns against what it declares; for the one that runs it, it is any patch.
  return BUILDERS as unknown as Stages<State, Decision, Around>;
}

const BUILDERS = Object.fromEntries(
  Object.entries(STAGE_KINDS).map(([kind, { defaults }]) => [
    kind,
    (stage: object) => ({ ...defaults, ...stage, kind }),
  ]),
);
