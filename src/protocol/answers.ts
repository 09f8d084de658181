/** The shapes of all query answers. Answers are validated by them, since anyone may pretend to be a worker. */

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

export const FROM_PARENT = {
  key: 'text',
  paused: 'flag?',
  killed: maybe({ by: 'text', comment: 'text' }),
  /** Set after a reset of the parent run, so that the agent sends its state again. */
  asks: 'flag?',
} as const;
export type FromParent = Of<typeof FROM_PARENT>;

export const FROM_AGENT = {
  key: 'text',
  /** The run id of the parent's first execution. Other runs with the same workflow id ignore the message. */
  firstRunId: 'text',
  /** The number of items that wait for a person. The message contains the first ones, up to 8 KiB. */
  waitingFor: 'count?',
  items: 'any?',
  /** What the agent waits for, other than people; absent if nothing. */
  waits: 'text?',
  spent: maybe(typed<Spending>(SPENDING)),
  isDone: 'flag?',
} as const;
export type FromAgent = Omit<Of<typeof FROM_AGENT>, 'items'> & { readonly items?: readonly OpenItem[] };

export const VIEW_PARTS = {
  status: typed<RunStatus>(STATUS),
  plan: typed<PlanView>(PLAN_VIEW),
  nodes: typed<NodesPage>(NODES_PAGE),
  questions: [whereHas('run', typed<WaitingRun>(WAITING_RUN), typed<OpenItem>(OPEN_ITEM))],
  trace: typed<TracePage>(TRACE_PAGE),
} as const satisfies Record<OwnPart, Shape>;

const PAGE = maybe(typed<PageRequest>('record'));
export const VIEW_REQUEST = {
  parts: maybe([oneOf(OWN_PARTS)]),
  status: PAGE,
  plan: PAGE,
  nodes: PAGE,
  questions: PAGE,
  trace: PAGE,
  /** If the run has ended: its number of history events. Without it the run may not answer. */
  ended: 'any?',
} as const;

/** The input of the query `view`. Default: all parts, each from its beginning. */
export interface ViewRequest extends Of<typeof VIEW_REQUEST> {}

const VIEW_PAGE = {
  status: maybe(VIEW_PARTS.status),
  plan: maybe(VIEW_PARTS.plan),
  nodes: maybe(VIEW_PARTS.nodes),
  questions: maybe(VIEW_PARTS.questions),
  trace: maybe(VIEW_PARTS.trace),
  /** The request for the parts that did not fit into this answer; absent if the answer is complete. */
  rest: maybe(typed<ViewRequest>(VIEW_REQUEST)),
} as const;

/** The answer to the query `view`: the requested parts at one moment, as many as fit. */
export interface ViewPage extends Of<typeof VIEW_PAGE> {}

/** The shapes of answers to the queries that programs use. Other queries give people one part of `view`. */
export const ANSWERS = {
  view: typed<ViewPage>(VIEW_PAGE),
  mayBegin: typed<MayBeginReply>(MAY_BEGIN),
  reply: typed<Reply | null>((value, path) => (value === null ? undefined : problemOf(REPLY, value, path))),
} as const satisfies Partial<Record<QueryName, Shape>>;
