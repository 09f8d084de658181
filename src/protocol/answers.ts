/**
 * The shapes of the answers to queries, as a table: anybody who poses as a run, or as its worker, can answer with
 * anything.
 */

import {
  MAY_BEGIN,
  OWN_PARTS,
  type MayBeginReply,
  type OwnPart,
  type PageRequest,
  type QueryName,
} from './messages.ts';
import { REPLY, type Reply } from './refusal.ts';
import { maybe, oneOf, problemOf, typed, whereHas, type Of, type Shape } from './shape.ts';
import { SPENDING, type Spending } from './spending.ts';
import { STATUS, WAITING_RUN, type RunStatus, type WaitingRun } from './status.ts';
import { TRACE_PAGE, type TracePage } from './trace.ts';
import { NODES_PAGE, OPEN_ITEM, PLAN_VIEW, type NodesPage, type OpenItem, type PlanView } from './views.ts';

export const OPEN_ITEMS = [typed<OpenItem>(OPEN_ITEM)] as const;

/** The message of a run to its agent's run: everything that the agent has to know. */
export const FROM_PARENT = {
  /** A message without it is ignored. */
  key: 'text',
  paused: 'flag?',
  killed: maybe({ by: 'text', comment: 'text' }),
  /** After a reset: the agent sends its state again. */
  asks: 'flag?',
} as const;
export type FromParent = Of<typeof FROM_PARENT>;

/** The message of an agent's run to its parent. */
export const FROM_AGENT = {
  key: 'text',
  /** The chain of its parent: another run of the same id is not meant. */
  chain: 'text',
  /**
   * The number of things that wait for a person there. Of the first, in at most 8 KiB, its own come before those of its
   * agents.
   */
  waitingFor: 'count?',
  items: 'any?',
  /** What it waits for besides people; absent if it waits for nothing. */
  waits: 'text?',
  /** What it has spent, with its own agents. */
  spent: maybe(typed<Spending>(SPENDING)),
  isDone: 'flag?',
} as const;
export type FromAgent = Omit<Of<typeof FROM_AGENT>, 'items'> & { readonly items?: readonly OpenItem[] };

/** The parts of a view that a run computes. */
export const TOLD = {
  status: typed<RunStatus>(STATUS),
  plan: typed<PlanView>(PLAN_VIEW),
  nodes: typed<NodesPage>(NODES_PAGE),
  /** The items that are open here and, behind the last, the agents that wait for a person. */
  questions: [whereHas('run', typed<WaitingRun>(WAITING_RUN), typed<OpenItem>(OPEN_ITEM))],
  trace: typed<TracePage>(TRACE_PAGE),
} as const satisfies Record<OwnPart, Shape>;

const PAGE = maybe(typed<PageRequest>('record'));
export const VIEW_REQUEST = {
  /** In the order of the answer. */
  parts: maybe([oneOf(OWN_PARTS)]),
  status: PAGE,
  plan: PAGE,
  nodes: PAGE,
  questions: PAGE,
  trace: PAGE,
  /** For a run that ended with events without a workflow task: the number of events of its history. */
  ended: 'any?',
} as const;

/** What the query `view` is asked for. Default: all parts, each from its beginning. */
export interface ViewRequest extends Of<typeof VIEW_REQUEST> {}

const VIEW_PAGE = {
  status: maybe(TOLD.status),
  plan: maybe(TOLD.plan),
  nodes: maybe(TOLD.nodes),
  /** The items that are open here and, behind the last, the agents that wait for a person. */
  questions: maybe(TOLD.questions),
  trace: maybe(TOLD.trace),
  /** The request for what did not fit; absent if the answer is complete. */
  rest: maybe(typed<ViewRequest>(VIEW_REQUEST)),
} as const;

/** The answer to the query `view`: the parts that were asked for at one moment, as far as they fit. */
export interface ViewPage extends Of<typeof VIEW_PAGE> {}

/** The answers to queries of programs. Each other query gives people one part of `view`. */
export const ANSWERS = {
  view: typed<ViewPage>(VIEW_PAGE),
  mayBegin: typed<MayBeginReply>(MAY_BEGIN),
  reply: typed<Reply | null>((value, path) => (value === null ? undefined : problemOf(REPLY, value, path))),
} as const satisfies Partial<Record<QueryName, Shape>>;
