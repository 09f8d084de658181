/** The notes of a loop between rounds: plain JSON, which the caller stores. Older rounds are a line each. */

import type { AnyDecision } from '../../capabilities/policy/index.ts';
import type { JsonValue } from '../../plan/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';

export interface LoopNotes {
  /** The last rounds in full, in order. */
  readonly recent: readonly NotedRound[];
  /** The earlier rounds, a line each; the oldest are dropped and counted. */
  readonly lines: readonly string[];
  readonly left: number;
  /** References of the steps' results, by key. */
  readonly results: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Results of earlier runs of the conversation, a line each: among `results` by key. */
  readonly earlier?: readonly string[];
  /** The policy's state between rounds. */
  readonly policy?: KeptPolicy;
  /** Reference of the last round's record; each names the one before it. */
  readonly record?: string;
}

export interface KeptPolicy {
  readonly name: string;
  readonly state: object;
  readonly decision?: { readonly round: number; readonly decision: AnyDecision };
}

/**
 * A call of a round as later decisions see it: the decision, and its result. Several reads of one round are
 * consecutive.
 */
export interface NotedRound {
  readonly round: number;
  /** The key of one read among several. */
  readonly key?: string;
  /** The called tool, and its arguments as JSON text; absent if the reply was no step. */
  readonly call?: { readonly name: string; readonly arguments: string };
  readonly said: string;
  /** The capability of the step, and the type of its result. */
  readonly does?: string;
  readonly gives?: string;
  /** The result of the step for the model: with the texts of results, bounded. Absent while it runs. */
  readonly observed?: string;
  /** The compiler's warnings about its plan, shown with its result. */
  readonly warned?: string;
  /** Further calls of the reply, which were ignored. */
  readonly ignored?: number;
  /** The thoughts of the reply, on its first call: they are sent back with it. */
  readonly thoughts?: Thoughts;
  /** Consecutive replies, including this one, with text and no call. */
  readonly unclear?: number;
  readonly step?: string;
  /** The refused step as a hash, and how often in a row it was decided. */
  readonly refused?: { readonly step: string; readonly times: number };
  /** `step_3 (search): SUCCESS - what it was for` (Osprey: execution history lines). */
  readonly line: string;
}

export interface Thoughts {
  /** The model that had them; only it receives them. */
  readonly model: string;
  readonly items: readonly JsonValue[];
}

/** Characters, as JSON, of the thoughts of one round. More are dropped, since a part of a sealed thought is invalid. */
const THOUGHTS = 200_000;

/** The calls of a round with their thoughts; a round without a call has none to send back. */
export function thinking(calls: readonly NotedRound[], thoughts: Thoughts | undefined): readonly NotedRound[] {
  const [first, ...others] = calls;
  if (first?.call === undefined || thoughts === undefined) return calls;
  if (JSON.stringify(thoughts.items).length > THOUGHTS) return calls;
  return [{ ...first, thoughts }, ...others];
}

/** Rounds that a prompt has in full at least (Osprey: execution history). */
const WHOLE = 10;
/**
 * Rounds that become lines at once: until then a request begins with the bytes of the one before, which servers cache.
 */
const MOVED = 10;
/** Older rounds that a prompt has as lines. */
const LINES = 200;
const MAX_LINE = 200;
const RESULTS = 500;

export const NO_NOTES: LoopNotes = { recent: [], lines: [], left: 0, results: {}, types: {} };

export function withRound(notes: LoopNotes, ...calls: readonly NotedRound[]): LoopNotes {
  const all = [...notes.recent, ...calls.map((one) => ({ ...one, line: cutCharacters(one.line, MAX_LINE) }))];
  const rounds = [...new Set(all.map(({ round }) => round))];
  const first = rounds.length < WHOLE + MOVED ? rounds[0]! : rounds[MOVED]!;
  const old = all.filter(({ round }) => round < first);
  const lines = [...notes.lines, ...old.map(({ line }) => line)];
  const dropped = lines.splice(0, Math.max(0, lines.length - LINES));
  return { ...notes, recent: all.slice(old.length), lines, left: notes.left + dropped.length };
}

export function lastRound({ recent }: LoopNotes): readonly NotedRound[] {
  const round = recent.at(-1)?.round;
  return recent.filter((one) => one.round === round);
}

/** The notes with the results of the last round. */
export function withObservation(
  notes: LoopNotes,
  {
    observed,
    results,
    types,
  }: Pick<LoopNotes, 'results' | 'types'> & {
    readonly observed: (call: NotedRound) => Pick<NotedRound, 'observed' | 'line' | 'refused'>;
  },
): LoopNotes {
  const last = lastRound(notes);
  const seen = last.map((call) => {
    const { refused: _, ...remembered } = call;
    const { line, ...rest } = observed(call);
    return { ...remembered, ...rest, line: cutCharacters(line, MAX_LINE) };
  });
  const recent = [...notes.recent.slice(0, notes.recent.length - last.length), ...seen];
  const latest = Object.fromEntries(Object.entries({ ...notes.results, ...results }).slice(-RESULTS));
  const known = Object.entries({ ...notes.types, ...types }).filter(
    ([key, of]) => of.length > 0 && Object.hasOwn(latest, key),
  );
  return { ...notes, recent, results: latest, types: Object.fromEntries(known) };
}
