/** The audit of a run: what was said to it and what it did, as the query `trace` tells it. */

import { CONTROL_ACTIONS, RESOLVE_OUTCOMES } from './control.ts';
import { DECISION_KINDS } from './decision.ts';
import { REFUSALS } from './refusal.ts';
import { byKey, maybe, oneOf, typed, type Of, type Shape } from './shape.ts';

const SAID_TO_PLAN = {
  by: 'text',
  role: 'text?',
  comment: 'text?',
  /** The whole digest of the plan that was open, and its revision. */
  digest: 'text',
  revision: 'count',
  /** Whether its sender was proved by a signature. */
  verified: 'flag',
  /** With a person's key. */
  personKey: 'true?',
} as const;

const SAID_DECISION = {
  ...SAID_TO_PLAN,
  kind: oneOf(DECISION_KINDS),
  /** For `approve-part`: ids of nodes; the nodes that they depend on are approved with them. */
  nodes: maybe(['text']),
  /** For `revise`: the wishes for another plan. */
  feedback: 'text?',
  /** For an edit whose document is in the result store: its reference. */
  ref: 'text?',
} as const;

/** An accepted decision, as the trace keeps it. The plan of an edit is not repeated. */
export interface SaidDecision extends Of<typeof SAID_DECISION> {}

const SAID_CONTROL = {
  ...SAID_TO_PLAN,
  action: oneOf(CONTROL_ACTIONS),
  /** The node's id; absent where the action is about the whole run. */
  node: 'text?',
  outcome: maybe(oneOf(RESOLVE_OUTCOMES)),
  /** For `resolve` with a value: the reference of the result. */
  ref: 'text?',
} as const;

/** An accepted control action, as the trace keeps it. */
export interface SaidControl extends Of<typeof SAID_CONTROL> {}

const SAID_ANSWER = {
  question: 'text',
  digest: 'text?',
  by: 'text',
  role: 'text?',
  comment: 'text?',
  /** The reference of the answer, as a result. */
  ref: 'text',
  verified: 'flag?',
} as const;

/** An answer. If the default was taken, `by` says so, and there is no `verified`. */
export interface SaidAnswer extends Of<typeof SAID_ANSWER> {}

const SAID_IN_VAIN = {
  refusal: oneOf(REFUSALS),
  by: 'text?',
  role: 'text?',
  kind: 'text?',
  digest: 'text?',
  question: 'text?',
  action: 'text?',
  node: 'text?',
} as const;

/** A message that was refused: its own claims, as far as they were text. */
export interface SaidInVain extends Of<typeof SAID_IN_VAIN> {}

export const TRACE_KINDS = [
  'planned',
  'compiled',
  'decision',
  'answer',
  'control',
  'refused',
  'asked',
  'node',
  'held',
  'closed',
] as const;

/**
 * The kind of a trace entry: a message of a person (`decision`, `answer`, `control`, `refused`), or something that the
 * run did (`planned`, `compiled`, `asked`, `node`, `held`, `closed`).
 */
export type TraceKind = (typeof TRACE_KINDS)[number];

const ENTRY = {
  /** Counts from 1. */
  seq: 'count',
  /** ISO 8601: when the run heard or did it. */
  at: 'time',
  text: 'text',
} as const;

/** By the kind of the entry: the message, as data. Entries of other kinds tell what the run did. */
const SAID = {
  decision: typed<SaidDecision>(SAID_DECISION),
  answer: typed<SaidAnswer>(SAID_ANSWER),
  control: typed<SaidControl>(SAID_CONTROL),
  refused: typed<SaidInVain>(SAID_IN_VAIN),
} as const;

export type Said<What extends TraceKind = TraceKind> = What extends keyof typeof SAID ? Of<(typeof SAID)[What]> : never;

interface EntryOf<What extends TraceKind> extends Of<typeof ENTRY> {
  readonly what: What;
  readonly said?: Said<What>;
}

/** One entry of the audit; `what` tells which kind of thing was `said`. */
export type TraceEntry = { [What in TraceKind]: EntryOf<What> }[TraceKind];

const saidOf = (what: TraceKind): Shape => (what in SAID ? maybe(SAID[what as keyof typeof SAID]) : 'any?');
const BY_KIND = Object.fromEntries(TRACE_KINDS.map((what) => [what, { ...ENTRY, said: saidOf(what) }]));
/** Entries of a trace, as they are in the result store. */
export const ENTRIES = [typed<TraceEntry>(byKey('what', BY_KIND))] as const;

export const TRACE_PAGE = {
  entries: ENTRIES,
  /** Entries that were not kept. */
  dropped: 'count',
  /** Give it as `after` to read on; absent on the last page. */
  next: 'count?',
  /** These entries are in the result store, under this reference: a JSON list of entries, the last of which is `next`. */
  stored: 'ref?',
} as const;

/** One page of the trace of a run, in order. */
export interface TracePage extends Of<typeof TRACE_PAGE> {}
