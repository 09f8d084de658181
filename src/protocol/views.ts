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
  /** The hash of the costs and states that this view shows. */
  shown: 'text?',
  ref: 'text',
  text: 'text',
  /** Upper limits of what the plan does, asks and costs, and what they omit. Also the first line of `text`. */
  bounds: 'text?',
  /** For a run that reuses a closed run: what is reused, and why other results are not. */
  reuse: 'text?',
  /** The signed start, and the workflow id in it. An agent's run has those of its root run. */
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
  /** If untrusted values reach the node: their sources. Only effects have lines. */
  untrusted: maybe(['text']),
  /** Ids of the nodes whose results this node uses, in order (at most 20), and the number of all. */
  inputs: maybe(['node']),
  inputCount: 'count?',
  result: maybe(typed<ResultHandle>(HANDLE)),
  failure: maybe(typed<NodeFailure>(NODE_FAILURE)),
  /** Why a node that is otherwise ready waits, such as `waits for magnet-12, which node_2 writes`. */
  waits: 'text?',
  /** While the node waits for people: missing approvals (at most 5 kinds), and who has approved (at most 8). */
  missing: maybe([typed<MissingApproval>(MISSING)]),
  approvedBy: maybe(['text']),
  part: 'name?',
  cause: 'node?',
  /** For a node that a closed run had finished: the run, and when the node ended there (ISO 8601). */
  reusedFrom: maybe({ run: 'text', at: 'time' }),
  /** Notes on the result, such as the number of dropped lines. At most 3; the trace has all. */
  notes: maybe(['text']),
  /** When the node's last activity was scheduled and ended; ISO 8601. */
  scheduledAt: 'time?',
  /** Attempts at the node since it was last repeated; absent if there was one, or no worker reported any. */
  attempts: 'count?',
  endedAt: 'time?',
} as const;

export interface NodeView extends Of<typeof NODE_VIEW> {}

export const NODES_PAGE = {
  nodes: [typed<NodeView>(NODE_VIEW)],
  /** The value of `after` for the next page; absent on the last page. */
  next: 'node?',
} as const;

export interface NodesPage extends Of<typeof NODES_PAGE> {}

export const OPEN_ITEM_KINDS = ['approval', 'question', 'uncertain', 'failed', 'fault', 'budget'] as const;

const ASKED_EFFECT = {
  node: 'node',
  key: 'text?',
  /** The executor, which a plan cannot disguise, and the plan's text, such as `transfer: Look up the balance`. */
  title: 'text',
  effect: oneOf(EFFECTS),
  cost: 'number?',
  resource: 'text?',
  values: maybe([typed<ShownValue>(SHOWN_VALUE)]),
  /** What the effect would change, such as `magnet-12  43.9 A -> 46 A`; at most 20 rows. */
  shows: maybe(['text']),
  /** Sources of the untrusted values that the effect gets, such as `amount comes from node_4 (web page)`. */
  untrusted: maybe(['text']),
  /** An earlier effect that this one may repeat, with place, time and values, and whether it certainly happened. */
  before: 'text?',
} as const;

/** An effect that an approval would allow, with the input values of its node. */
export interface AskedEffect extends Of<typeof ASKED_EFFECT> {}

/** Words before the reason for a replan, in the text of an approval. */
export const REPLANNED_SINCE = ' It was replanned, since ';

export const OPEN_ITEM = {
  /** The id for the answer: `approval` for the plan, the node's id if it must be settled, `fault` for an outage. */
  id: 'text',
  kind: oneOf(OPEN_ITEM_KINDS),
  workflowId: 'text',
  digest: 'text',
  revision: 'count',
  text: 'text',
  /** For an approval: the versions of everything that the plan calls. The plan's digest does not cover them. */
  versions: 'text?',
  /**
   * For an approval: the hash of the costs and states that the person sees, since the plan's digest does not cover
   * them.
   */
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
  /** What `effects` omits, and the command that shows everything; absent if nothing is omitted. */
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
  nodes: ['node'],
  nodeCount: 'count',
  signed: 'true?',
  schema: maybe(eachOf(ANY_JSON)),
  default: maybe(ANY_JSON),
  suggestions: maybe([ANY_JSON]),
  /** The message to send, as a signal or an update. A person must replace the parts in capitals. */
  send: { name: oneOf(['approve', 'decide', 'answer', 'control']), input: eachOf(ANY_JSON) },
} as const;

/** Whether an item is about a node that the open plan no longer has. Its id is like `3fa9c1d2.node_1`. */
export function isOfRemoved({ kind, id }: Pick<OpenItem, 'kind' | 'id'>): boolean {
  return kind === 'uncertain' && id.includes('.');
}

/** Something that waits for a person, with the exact message that answers it. */
export interface OpenItem extends Of<typeof OPEN_ITEM> {}

/** An event of the stream `GET /runs/ID/live` of `planwright serve` (docs/following.md). */
export interface LiveEvent {
  /** `over`: the run has ended, and no event follows. Absent: something in the run has changed. */
  readonly event?: 'over';
  /** Identifies the state that the page shows now. After a broken connection, the page continues from it. */
  readonly id?: string;
  /** The same text as `id`, so it differs whenever the state differs. It is '' at the end. */
  readonly data: string;
}
