/** The notes of a loop from round to round: plain JSON, which the caller stores. Older rounds are a line each. */

import type { AnyDecision } from '../../capabilities/policy/index.ts';
import type { JsonValue } from '../../plan/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';

export interface LoopNotes {
  /** The last rounds whole, in order. */
  readonly recent: readonly NotedRound[];
  /** The rounds before, a line each; the oldest are left out, and counted. */
  readonly lines: readonly string[];
  readonly left: number;
  /** References of the steps' results, by the step's key. */
  readonly results: Readonly<Record<string, string>>;
  /** Their types, where something says them. */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Results of earlier runs of the conversation, a line each: among `results` by their keys. */
  readonly earlier?: readonly string[];
  /** The state that the policy keeps from round to round. */
  readonly policy?: KeptPolicy;
  /** Reference of the record of the last round; each names the one before it. */
  readonly record?: string;
}

export interface KeptPolicy {
  readonly name: string;
  readonly state: object;
  /** The last step that it decided. */
  readonly decision?: { readonly round: number; readonly decision: AnyDecision };
}

/** A call of a round as later decisions are told it: the decision, and its result. Several reads of one round stand in a row. */
export interface NotedRound {
  readonly round: number;
  /** The key of one read among several. */
  readonly key?: string;
  /** The tool that was called, and its arguments as JSON text; absent where the reply was no step. */
  readonly call?: { readonly name: string; readonly arguments: string };
  readonly said: string;
  /** The capability that carries the step out, and the type of what it is to give. */
  readonly does?: string;
  readonly gives?: string;
  /** The result of the step, for the model: with the texts of results, bounded. Absent while it is carried out. */
  readonly observed?: string;
  /** How its plan was read that was carried out all the same; told with its result. */
  readonly warned?: string;
  /** Further calls of the reply, which were not carried out. */
  readonly ignored?: number;
  /** The thoughts of the reply, on its first call: they go back with it. */
  readonly thoughts?: Thoughts;
  /** Replies in a row, with this one, that said something and called nothing. */
  readonly unclear?: number;
  /** The step, as a hash. */
  readonly step?: string;
  /** The step that was refused, as a hash, and how often in a row it was decided. */
  readonly refused?: { readonly step: string; readonly times: number };
  /** `step_3 (search): SUCCESS - what it was for` (Osprey: execution history lines). */
  readonly line: string;
}

export interface Thoughts {
  /** The model that had them; no other one is given them. */
  readonly model: string;
  readonly items: readonly JsonValue[];
}

/** Characters, as JSON, of the thoughts of one round. More are left out, since a part of a sealed thought is none. */
const THOUGHTS = 200_000;

/** The calls of a round with the thoughts that belong to them; a round without a call has none to give back. */
export function thinking(calls: readonly NotedRound[], thoughts: Thoughts | undefined): readonly NotedRound[] {
  const [first, ...others] = calls;
  if (first?.call === undefined || thoughts === undefined) return calls;
  if (JSON.stringify(thoughts.items).length > THOUGHTS) return calls;
  return [{ ...first, thoughts }, ...others];
}

/** Rounds that a prompt has whole at least (Osprey: execution history). */
const WHOLE = 10;
/** Rounds that become lines at once: until then a request begins with the bytes of the one before, which servers keep. */
const MOVED = 10;
/** Older rounds that a prompt tells in a line each. */
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
  const gone = lines.splice(0, Math.max(0, lines.length - LINES));
  return { ...notes, recent: all.slice(old.length), lines, left: notes.left + gone.length };
}

/** The calls of the last round. */
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
    const { refused: _, ...kept } = call;
    const { line, ...rest } = observed(call);
    return { ...kept, ...rest, line: cutCharacters(line, MAX_LINE) };
  });
  const recent = [...notes.recent.slice(0, notes.recent.length - last.length), ...seen];
  const kept = Object.fromEntries(Object.entries({ ...notes.results, ...results }).slice(-RESULTS));
  const known = Object.entries({ ...notes.types, ...types }).filter(
    ([key, of]) => of.length > 0 && Object.hasOwn(kept, key),
  );
  return { ...notes, recent, results: kept, types: Object.fromEntries(known) };
}
