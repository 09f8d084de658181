/** The audit of a run in the query `trace`: the messages that the run received, and what it did. */

import { DECISION_KINDS, CONTROL_ACTIONS, RESOLVE_OUTCOMES } from './decision.ts';
import { REFUSALS } from './refusal.ts';
import { byKey, maybe, oneOf, typed, type Of, type Shape } from './shape.ts';

const SAID_TO_PLAN = {
  by: 'text',
  role: 'text?',
  comment: 'text?',
  /** The whole digest of the open plan, and its revision. */
  digest: 'text',
  revision: 'count',
  verified: 'flag',
  /** True if the signature is from a key that is marked as a person's. */
  personKey: 'true?',
  token: 'text?',
} as const;

const SAID_DECISION = {
  ...SAID_TO_PLAN,
  kind: oneOf(DECISION_KINDS),
  /** For `approve-part`: ids of nodes. The nodes on which they depend are approved too. */
  nodes: maybe(['text']),
  /** For `revise`: what the person wants changed in the next plan. */
  feedback: 'text?',
  /** For an edit whose document is in the result store: its reference. */
  ref: 'text?',
  /** For an approval by a grant: the grant's id, and the number of its use. */
  grant: maybe({ id: 'text', use: 'count' }),
} as const;

export interface TracedDecision extends Of<typeof SAID_DECISION> {}

const SAID_CONTROL = {
  ...SAID_TO_PLAN,
  action: oneOf(CONTROL_ACTIONS),
  /** The node's id; absent for an action on the whole run. */
  node: 'text?',
  outcome: maybe(oneOf(RESOLVE_OUTCOMES)),
  /** For `resolve` with a value: the reference of the result. */
  ref: 'text?',
} as const;

/** An accepted control action in the trace. */
export interface TracedControl extends Of<typeof SAID_CONTROL> {}

const SAID_ANSWER = {
  question: 'text',
  digest: 'text?',
  by: 'text',
  role: 'text?',
  comment: 'text?',
  /** The reference of the answer in the result store. */
  ref: 'text',
  verified: 'flag?',
  token: 'text?',
} as const;

/** An answer in the trace. For a default answer, `by` says so and `verified` is absent. */
export interface TracedAnswer extends Of<typeof SAID_ANSWER> {}

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

/** A rejected message. Only claims that are texts are recorded. */
export interface TracedRefusal extends Of<typeof SAID_IN_VAIN> {}

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

/** The kind of a trace entry: a person's message (`decision`, `answer`, `control`, `refused`), or a run's action. */
export type TraceKind = (typeof TRACE_KINDS)[number];

const ENTRY = {
  seq: 'count',
  at: 'time',
  text: 'text',
} as const;

/** The message data of an entry, by the entry's kind. Other kinds have only text. */
const SHAPES = {
  decision: typed<TracedDecision>(SAID_DECISION),
  answer: typed<TracedAnswer>(SAID_ANSWER),
  control: typed<TracedControl>(SAID_CONTROL),
  refused: typed<TracedRefusal>(SAID_IN_VAIN),
} as const;

export type TracedMessage<What extends TraceKind = TraceKind> = What extends keyof typeof SHAPES
  ? Of<(typeof SHAPES)[What]>
  : never;

interface EntryOf<What extends TraceKind> extends Of<typeof ENTRY> {
  readonly what: What;
  readonly said?: TracedMessage<What>;
}

/** One entry of a trace. Its kind, `what`, determines the type of `said`. */
export type TraceEntry = { [What in TraceKind]: EntryOf<What> }[TraceKind];

const shapeOfMessage = (what: TraceKind): Shape =>
  what in SHAPES ? maybe(SHAPES[what as keyof typeof SHAPES]) : 'any?';
const BY_KIND = Object.fromEntries(TRACE_KINDS.map((what) => [what, { ...ENTRY, said: shapeOfMessage(what) }]));
export const ENTRIES = [typed<TraceEntry>(byKey('what', BY_KIND))] as const;

export const TRACE_PAGE = {
  entries: ENTRIES,
  dropped: 'count',
  /** The value of `after` for the next page; absent on the last page. */
  next: 'count?',
  /** Reference of a stored JSON list with these entries. The last of them has the number `next`. */
  stored: 'ref?',
} as const;

export interface TracePage extends Of<typeof TRACE_PAGE> {}
