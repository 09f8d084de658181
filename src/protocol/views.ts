/** The answers of a run to queries about its plan, its nodes, and what it waits for. */

import type { ShownValue } from '../plan/outline/index.ts';
import { CONTROL_ACTIONS } from './decision.ts';
import { MISSING, type MissingApproval } from './bounds.ts';
import { HANDLE, NODE_FAILURE, NODE_STATUSES, type NodeFailure, type ResultHandle } from './nodes.ts';
import { EFFECTS } from './project.ts';
import { ANY_JSON, eachOf, maybe, oneOf, typed, type Of } from './shape.ts';
import { SHOWN_VALUE } from './plan-shape.ts';

export const PLAN_VIEW = {
  revision: 'count',
  digest: 'text',
  /** The hash of the costs and states in this view. */
  shown: 'text?',
  ref: 'text',
  text: 'text',
  /** Upper limits of what the plan does, asks and costs, and what they omit. Also the first line of `text`. */
  bounds: 'text?',
  /** For a run that reuses a closed run: what is reused, and why the rest is not. */
  reuse: 'text?',
  /** The signed start, and the workflow id that it names; for an agent's run that of its root. */
  start: maybe({ token: 'text', run: 'text' }),
} as const;

/** The open plan of a run as text, with its digest, revision and reference. */
export interface PlanView extends Of<typeof PLAN_VIEW> {}

const NODE_VIEW = {
  id: 'node',
  status: oneOf(NODE_STATUSES),
  summary: 'text',
  /** The context key of a step, its name for people. */
  key: 'text?',
  executor: 'text',
  effect: maybe(oneOf(EFFECTS)),
  cost: 'number?',
  resource: 'text?',
  /** If untrusted values reach the node: where they come from. Only effects have lines. */
  untrusted: maybe(['text']),
  /** Ids of the nodes whose results this node uses, in order (at most 20), and the number of all. */
  inputs: maybe(['node']),
  inputCount: 'count?',
  result: maybe(typed<ResultHandle>(HANDLE)),
  failure: maybe(typed<NodeFailure>(NODE_FAILURE)),
  /** Why a node that is otherwise ready waits, such as `waits for magnet-12, which node_2 writes`. */
  waits: 'text?',
  /** While the node waits for people: missing approvals (at most 5 kinds), and people who approved (at most 8). */
  missing: maybe([typed<MissingApproval>(MISSING)]),
  approvedBy: maybe(['text']),
  /** The part that executes the node together with others. */
  part: 'name?',
  cause: 'node?',
  /** For a node that a closed run had finished: the run, and when the node ended there (ISO 8601). */
  reusedFrom: maybe({ run: 'text', at: 'time' }),
  /** Notes on the result, such as the number of dropped lines. At most 3; the trace has all. */
  notes: maybe(['text']),
  /** When the node's last activity was scheduled and ended; ISO 8601. */
  scheduledAt: 'time?',
  /** Attempts at the node since it was last repeated; absent for a single one, or if no worker reports them. */
  attempts: 'count?',
  endedAt: 'time?',
} as const;

/** A node of a run: its state, its executor, and its result or failure. */
export interface NodeView extends Of<typeof NODE_VIEW> {}

export const NODES_PAGE = {
  nodes: [typed<NodeView>(NODE_VIEW)],
  /** The value of `after` for the next page; absent on the last page. */
  next: 'node?',
} as const;

/** One page of the nodes of a run, in the order of the plan. */
export interface NodesPage extends Of<typeof NODES_PAGE> {}

export const OPEN_ITEM_KINDS = ['approval', 'question', 'uncertain', 'failed', 'fault', 'budget'] as const;

const ASKED_EFFECT = {
  node: 'node',
  key: 'text?',
  /** The executor, which a plan cannot disguise, and the text of the plan, such as `transfer: Look up the balance`. */
  title: 'text',
  effect: oneOf(EFFECTS),
  cost: 'number?',
  resource: 'text?',
  values: maybe([typed<ShownValue>(SHOWN_VALUE)]),
  /** What the effect would change, such as `magnet-12  43.9 A -> 46 A`; at most 20 rows. */
  shows: maybe(['text']),
  /** Where untrusted values that it gets come from, such as `amount comes from node_4 (web page)`. */
  untrusted: maybe(['text']),
  /** An earlier effect that this one would repeat and that has or may have happened, with place, time and values. */
  before: 'text?',
} as const;

/** An effect that an approval would allow, with the input values of its node. */
export interface AskedEffect extends Of<typeof ASKED_EFFECT> {}

/** In the text of an approval, the words before the reason for a replan. */
export const MADE_ANEW = ' It was made anew, since ';

export const OPEN_ITEM = {
  /** The id to answer with: `approval` for the plan, the node's id if it must be settled, `fault` for an outage. */
  id: 'text',
  kind: oneOf(OPEN_ITEM_KINDS),
  workflowId: 'text',
  digest: 'text',
  revision: 'count',
  text: 'text',
  /** For an approval: the versions of everything that the plan calls, which its digest does not cover. */
  versions: 'text?',
  /** For an approval: the hash of the visible costs and states, which the plan's digest does not cover. */
  shown: 'text?',
  /** For an approval: the effect that it would repeat, and warnings. Also the first lines of `text`. */
  warning: 'text?',
  /** For an approval: a summary of its effects, such as `3 reads, 1 at-most-once: pay (cost 10)`. */
  asks: 'text?',
  /** For an approval: upper limits of what the plan does, asks and costs, and what they do not include. */
  bounds: 'text?',
  /** For an approval: the first 100 effects, with their values. For an uncertain node: its effect. */
  effects: maybe([typed<AskedEffect>(ASKED_EFFECT)]),
  effectCount: 'count?',
  /** What is missing in `effects`, and the command that shows all; absent if nothing is missing. */
  leftOut: 'text?',
  /** For an approval: what its tasks read from outside, such as `context account: "shop" (6 bytes, K7gN...)`. */
  context: maybe(['text']),
  /** For an approval: the missing approvals, at most 5 kinds. */
  missing: maybe([typed<MissingApproval>(MISSING)]),
  /** For an approval: the people who have approved so far, at most 8; absent if nobody has. */
  approvedBy: maybe(['text']),
  /** For an outage or a used budget: the control actions that end the wait. */
  ways: maybe([oneOf(CONTROL_ACTIONS)]),
  since: 'time',
  deadline: 'time',
  /** The roles that may answer; absent if everybody may. */
  roles: maybe(['text']),
  /** The ids of the nodes in question, at most 20. */
  nodes: ['node'],
  nodeCount: 'count',
  signed: 'true?',
  schema: maybe(eachOf(ANY_JSON)),
  default: maybe(ANY_JSON),
  suggestions: maybe([ANY_JSON]),
  /** The message to send, as a signal or an update. A person must replace the parts in capitals. */
  send: { name: oneOf(['approve', 'decide', 'answer', 'control']), input: eachOf(ANY_JSON) },
} as const;

/** Whether an item is about a node that the open plan no longer has, such as `3fa9c1d2.node_1`. */
export function isOfRemoved({ kind, id }: Pick<OpenItem, 'kind' | 'id'>): boolean {
  return kind === 'uncertain' && id.includes('.');
}

/** Something that waits for a person, with the exact message that answers it. */
export interface OpenItem extends Of<typeof OPEN_ITEM> {}

/** An event of the stream `GET /runs/ID/live` of `planwright serve` (docs/following.md). */
export interface LiveEvent {
  /** `over`: the run has ended, and no event follows. Absent: something of the run has changed. */
  readonly event?: 'over';
  /** The mark of what the page shows now, to go on from after a broken connection. */
  readonly id?: string;
  /** The same mark: another mark is another state. It is '' at the end. */
  readonly data: string;
}
