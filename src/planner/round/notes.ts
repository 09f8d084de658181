/** The notes of a loop between rounds, as plain JSON that the caller stores. Older rounds are only a line each. */

import type { AnyDecision } from '../../capabilities/policy/index.ts';
import type { JsonValue } from '../../plan/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';

export interface LoopNotes {
  /** The last rounds in full, in order. */
  readonly recent: readonly NotedRound[];
  /** A line for each earlier round. The oldest lines are dropped, and `left` counts them. */
  readonly lines: readonly string[];
  readonly left: number;
  readonly results: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** A line for each result of the conversation's earlier runs. The results themselves are in `results`. */
  readonly earlier?: readonly string[];
  readonly policy?: KeptPolicy;
  /** The reference of the last round's record. Each record has the reference of the previous one. */
  readonly record?: string;
}

export interface KeptPolicy {
  readonly name: string;
  readonly state: object;
  readonly decision?: { readonly round: number; readonly decision: AnyDecision };
}

/** A call of a round, for later decisions. If a round has several reads, each is a call. */
export interface NotedRound {
  readonly round: number;
  readonly key?: string;
  /** The called tool, with its arguments as JSON text; absent if the reply was not a step. */
  readonly call?: { readonly name: string; readonly arguments: string };
  readonly said: string;
  /** The capability of the step; `gives` is the type of its result. */
  readonly does?: string;
  readonly gives?: string;
  /** The result for the model, with shortened texts; absent while the step runs. */
  readonly observed?: string;
  /** The compiler's warnings about the step's plan. The model sees them with the result. */
  readonly warned?: string;
  readonly ignored?: number;
  /**
   * The reasoning in the model's reply, which later requests send back with this call. Set only for a round's first
   * call.
   */
  readonly thoughts?: Thoughts;
  /** The number of consecutive replies with text but no call, including this one. */
  readonly unclear?: number;
  readonly step?: string;
  /** The hash of a rejected step, and how many times in a row the model chose it. */
  readonly refused?: { readonly step: string; readonly times: number };
  /** A line about the step (Osprey: execution history lines), such as `step_3 (search): SUCCESS - what it was for`. */
  readonly line: string;
}

export interface Thoughts {
  /** The name of the model that wrote the reasoning. No other model receives it. */
  readonly model: string;
  readonly items: readonly JsonValue[];
}

/** Maximum characters (of JSON) of a round's reasoning. Never cut: a part of encrypted reasoning is invalid. */
const THOUGHTS = 200_000;

/** Adds a reply's reasoning to the calls of its round. Without a call, reasoning is never sent back. */
export function thinking(calls: readonly NotedRound[], thoughts: Thoughts | undefined): readonly NotedRound[] {
  const [first, ...others] = calls;
  if (first?.call === undefined || thoughts === undefined) return calls;
  if (JSON.stringify(thoughts.items).length > THOUGHTS) return calls;
  return [{ ...first, thoughts }, ...others];
}

/** Minimum number of rounds that a prompt contains in full (Osprey: execution history). */
const WHOLE = 10;
/**
 * Number of rounds that become lines at the same time. Requests in between begin with the same bytes, which servers
 * cache.
 */
const MOVED = 10;
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
