/**
 * The shapes of the answers to queries, as a table: anybody who poses as a run, or as its worker, can answer with
 * anything.
 */

import { OWN_PARTS, type MayBeginReply, type OwnPart, type QueryName } from './messages.ts';
import { HANDLE, NODE_STATUSES } from './nodes.ts';
import {
  OUTCOMES,
  PHASES,
  type ChildView,
  type LoopView,
  type PlanningView,
  type ReplannedView,
  type RunStatus,
  type WaitingRun,
} from './status.ts';
import { CONTROL_ACTIONS } from './control.ts';
import { TRACE_KINDS, type TraceEntry, type TracePage } from './trace.ts';
import { PLANNING_STAGES } from './planning.ts';
import { REFUSALS } from './refusal.ts';
import { OBSERVATION } from './requests.ts';
import type { RoundRecord, StageVisit } from './loop.ts';
import { EFFECTS } from './project.ts';
import { SHOWN_VALUE } from './slice.ts';
import { SPENDING, USAGE, type BudgetView } from './spending.ts';
import { allOf, byKey, oneOf, problemOf, whereHas, type Fields, type Of, type Shape } from './shape.ts';
import type { MissingApproval } from './missing-words.ts';
import {
  OPEN_ITEM_KINDS,
  type AskedEffect,
  type NodesPage,
  type NodeView,
  type OpenItem,
  type PlanView,
} from './views.ts';

const COUNTS = Object.fromEntries(['total', ...NODE_STATUSES].map((name) => [name, 'count'] as const));

const STATUS: Shape = {
  phase: oneOf(PHASES),
  'outcome?': oneOf(OUTCOMES),
  'reason?': 'text',
  'by?': 'text',
  'comment?': 'text',
  revision: 'count',
  digest: 'text',
  chain: 'name',
  startedAt: 'time',
  'planning?': {
    stage: oneOf(PLANNING_STAGES),
    plan: 'count',
    call: 'count',
    'why?': 'text',
    'trouble?': 'text',
  } satisfies Fields<PlanningView>,
  'replanned?': { times: 'count', revision: 'count', why: 'text' } satisfies Fields<ReplannedView>,
  'loop?': { round: 'count', maxRounds: 'count', 'step?': 'text', 'notes?': 'ref' } satisfies Fields<LoopView>,
  'children?': [
    { node: 'node', workflowId: 'text', waitingFor: 'count', 'waits?': 'text' } satisfies Fields<ChildView>,
  ],
  'fallback?': 'flag',
  'usage?': USAGE,
  'budget?': { limit: SPENDING, spent: SPENDING, 'reserved?': SPENDING } satisfies Fields<BudgetView>,
  'paused?': 'flag',
  waitingFor: 'count',
  'estimatedMinutes?': 'amount',
  counts: COUNTS,
  'waits?': 'text',
  'next?': 'text',
} satisfies Fields<RunStatus>;

const MISSING: Shape = {
  count: 'count',
  of: 'count',
  'roles?': ['text'],
  'person?': 'flag',
  'notStarter?': 'flag',
  'mayDecide?': ['text'],
  'anybody?': 'flag',
  'authors?': ['text'],
} satisfies Fields<MissingApproval>;

const NODE: Shape = {
  id: 'node',
  status: oneOf(NODE_STATUSES),
  summary: 'text',
  'key?': 'text',
  executor: 'text',
  'effect?': oneOf(EFFECTS),
  'cost?': 'number',
  'inputs?': ['node'],
  'inputCount?': 'count',
  'result?': HANDLE,
  'failure?': { type: 'text', message: 'text' },
  'waits?': 'text',
  'missing?': [MISSING],
  'approvedBy?': ['text'],
  'part?': 'name',
  'cause?': 'node',
  'scheduledAt?': 'time',
  'endedAt?': 'time',
  'reusedFrom?': { run: 'text', at: 'time' },
  'notes?': ['text'],
} satisfies Fields<NodeView>;

const EFFECT: Shape = {
  node: 'node',
  'key?': 'text',
  title: 'text',
  effect: oneOf(EFFECTS),
  'cost?': 'number',
  'resource?': 'text',
  'values?': [SHOWN_VALUE],
} satisfies Fields<AskedEffect>;

const ITEM: Shape = {
  id: 'text',
  kind: oneOf(OPEN_ITEM_KINDS),
  workflowId: 'text',
  digest: 'text',
  revision: 'count',
  text: 'text',
  'versions?': 'text',
  'warning?': 'text',
  'asks?': 'text',
  'effects?': [EFFECT],
  'effectCount?': 'count',
  'leftOut?': 'text',
  'context?': ['text'],
  'missing?': [MISSING],
  'approvedBy?': ['text'],
  'ways?': [oneOf(CONTROL_ACTIONS)],
  since: 'time',
  deadline: 'time',
  'roles?': ['text'],
  nodes: ['node'],
  nodeCount: 'count',
  'signed?': 'flag',
  'schema?': 'record',
  'default?': 'any',
  'suggestions?': ['any'],
  send: { name: 'name', input: 'record' },
} satisfies Fields<OpenItem>;

export const OPEN_ITEMS: Shape = [ITEM];

const ENTRY: Shape = {
  seq: 'count',
  at: 'time',
  what: oneOf(TRACE_KINDS),
  text: 'text',
  'said?': 'record',
} satisfies Fields<TraceEntry>;
/** Entries of a trace, as they are in the result store. */
export const ENTRIES: Shape = [ENTRY];

/** The message of a run to the run of an agent that works for it: all that it has to know. */
export const FROM_PARENT = {
  /** A sender who does not know it is not heard. */
  key: 'text',
  'paused?': 'flag',
  /** All that it may spend by now, or that nothing more is bought. */
  'granted?': SPENDING,
  'over?': 'flag',
  'killed?': { by: 'text', comment: 'text' },
  /** The first of this history, or after a reset: what waits at the agent is to be sent again. */
  'asks?': 'flag',
} as const;
export type FromParent = Of<typeof FROM_PARENT>;

/** The message of an agent's run to its parent. */
export const FROM_AGENT = {
  key: 'text',
  /** The chain of its parent: another run of the same id is not meant. */
  chain: 'text',
  /** How many things wait for a person there; the first of these, in at most 8 KiB, those of its own agents behind its own. */
  'waitingFor?': 'count',
  'items?': 'any',
  /** What it waits for beside people; absent where it waits for nothing. */
  'waits?': 'text',
  /** What it has spent, with its own agents, and the dearest call, by which its parent knows what others may take. */
  'spent?': SPENDING,
  'call?': SPENDING,
  /** It needs more, or is over. */
  'asksMore?': 'flag',
  'isDone?': 'flag',
} as const;
export type FromAgent = Omit<Of<typeof FROM_AGENT>, 'items'> & { readonly items?: readonly OpenItem[] };

const REPLY = byKey('ok', { true: { reply: 'text' }, false: { refusal: oneOf(REFUSALS), reason: 'text' } });

/** The parts that a run tells of itself. */
export const TOLD = {
  status: STATUS,
  plan: { revision: 'count', digest: 'text', ref: 'text', text: 'text', 'reuse?': 'text' } satisfies Fields<PlanView>,
  nodes: { nodes: [NODE], 'next?': 'node' } satisfies Fields<NodesPage>,
  questions: [
    whereHas('run', { run: 'text', waitingFor: 'count', 'items?': OPEN_ITEMS } satisfies Fields<WaitingRun>, ITEM),
  ],
  trace: { entries: ENTRIES, dropped: 'count', 'next?': 'count', 'stored?': 'ref' } satisfies Fields<TracePage>,
} as const satisfies Record<OwnPart, Shape>;

const anyPart = (shapeOf: (part: OwnPart) => Shape): Shape =>
  Object.fromEntries(OWN_PARTS.map((part) => [`${part}?`, shapeOf(part)]));

export const VIEW_REQUEST = allOf(
  { 'parts?': [oneOf(OWN_PARTS)] },
  anyPart(() => 'record'),
);

/** Of the queries that programs ask; the other ones tell people one part of `view`. */
export const ANSWERS = {
  view: allOf(
    anyPart((part) => TOLD[part]),
    { 'rest?': VIEW_REQUEST },
  ),
  mayBegin: {
    words: ['said'],
    'tokens?': ['text'],
    'proofs?': [['count']],
    'parent?': { workflowId: 'text', key: 'text' },
  } satisfies Fields<MayBeginReply>,
  reply: (value, path) => (value === null ? undefined : problemOf(REPLY, value, path)),
} as const satisfies Partial<Record<QueryName, Shape>>;

const VISIT = {
  stage: 'text',
  kind: 'text',
  did: 'text',
  'wrote?': ['text'],
  'before?': 'any',
  'after?': 'any',
} satisfies Fields<StageVisit>;

/** The record of a round, as it is in the result store. */
export const ROUND: Shape = {
  round: 'count',
  line: 'text',
  'policy?': 'text',
  'origin?': 'text',
  'decider?': 'text',
  'decision?': 'any',
  'visits?': [VISIT],
  'happened?': OBSERVATION,
  'trouble?': 'text',
  'before?': 'ref',
} satisfies Fields<RoundRecord>;
