/** The answers of a run to its queries about its plan, its nodes and what it waits for. */

import type { ShownValue } from '../plan/outline/index.ts';
import { CONTROL_ACTIONS } from './control.ts';
import { MISSING, type MissingApproval } from './missing-words.ts';
import { HANDLE, NODE_FAILURE, NODE_STATUSES, type NodeFailure, type ResultHandle } from './nodes.ts';
import { EFFECTS } from './project.ts';
import { ANY_JSON, eachOf, maybe, oneOf, typed, type Of } from './shape.ts';
import { SHOWN_VALUE } from './slice.ts';

export const PLAN_VIEW = {
  revision: 'count',
  digest: 'text',
  /** The plan's reference in the result store. */
  ref: 'text',
  text: 'text',
  /** Its first line: the most that the plan does, asks and costs, and what that leaves out. */
  bounds: 'text?',
  /** For a run that reuses a closed one: which work is reused, and why other work is not. */
  reuse: 'text?',
} as const;

/** The open plan of a run as text, with its digest, its revision and its place in the result store. */
export interface PlanView extends Of<typeof PLAN_VIEW> {}

const NODE_VIEW = {
  id: 'node',
  status: oneOf(NODE_STATUSES),
  summary: 'text',
  /** The context key of a step, its name for people. */
  key: 'text?',
  executor: 'text',
  /** The effect on the world when it is carried out. */
  effect: maybe(oneOf(EFFECTS)),
  /** The cost of one execution by its capability. */
  cost: 'number?',
  /** The resource that it writes to. */
  resource: 'text?',
  /** Ids of the nodes whose results it takes, in order, at most 20 of them, and how many there are. */
  inputs: maybe(['node']),
  inputCount: 'count?',
  result: maybe(typed<ResultHandle>(HANDLE)),
  failure: maybe(typed<NodeFailure>(NODE_FAILURE)),
  /**
   * Why a node that could otherwise start waits, such as `waits for magnet-12, which node_2 writes`, or for a worker
   * with the approved version.
   */
  waits: 'text?',
  /** While it waits for people: the approvals that are missing, at most 5 kinds, and who has approved it so far, at most 8. */
  missing: maybe([typed<MissingApproval>(MISSING)]),
  approvedBy: maybe(['text']),
  /** The part in which it is carried out with others; it waits there until its inputs are there. */
  part: 'name?',
  /** For a skipped node: the node whose failure caused it. */
  cause: 'node?',
  /** For a node that a closed run had finished: which run, and when it ended there (ISO 8601). */
  reusedFrom: maybe({ run: 'text', at: 'time' }),
  /** Notes on its result, such as the number of lines left out; at most 3. The trace has all. */
  notes: maybe(['text']),
  /** When its activity was scheduled last, and when it ended; ISO 8601. */
  scheduledAt: 'time?',
  endedAt: 'time?',
} as const;

/** A node of a run: its state, its executor, and its result or failure. */
export interface NodeView extends Of<typeof NODE_VIEW> {}

export const NODES_PAGE = {
  nodes: [typed<NodeView>(NODE_VIEW)],
  /** Give it as `after` to read on; absent on the last page. */
  next: 'node?',
} as const;

/** One page of the nodes of a run, in the order of the plan. */
export interface NodesPage extends Of<typeof NODES_PAGE> {}

export const OPEN_ITEM_KINDS = ['approval', 'question', 'uncertain', 'failed', 'fault', 'budget'] as const;

const ASKED_EFFECT = {
  node: 'node',
  key: 'text?',
  /** The executor, which a plan cannot choose, and the plan's text, such as `transfer: Look up the balance`. */
  title: 'text',
  effect: oneOf(EFFECTS),
  cost: 'number?',
  resource: 'text?',
  values: maybe([typed<ShownValue>(SHOWN_VALUE)]),
  /** What it would change, such as `magnet-12  43.9 A -> 46 A`, at most 20 rows. */
  shows: maybe(['text']),
  /** What it would repeat: an earlier effect that has or may have run, with place, time and values. */
  before: 'text?',
} as const;

/** An effect above read that an approval would allow, with the input values of its node. */
export interface AskedEffect extends Of<typeof ASKED_EFFECT> {}

/** In the text of an approval; what follows names results. */
export const MADE_ANEW = ' It was made anew, since ';

export const OPEN_ITEM = {
  /** The id for an answer: `approval` for the plan, a node's id for one to be settled, `fault` for an outage. */
  id: 'text',
  kind: oneOf(OPEN_ITEM_KINDS),
  /** The workflow to address. */
  workflowId: 'text',
  digest: 'text',
  revision: 'count',
  text: 'text',
  /** For an approval: the versions of everything that its plan calls; the digest does not cover them. */
  versions: 'text?',
  /** For an approval: the effect that it would repeat, and warnings; also the first lines of `text`. */
  warning: 'text?',
  /** For an approval: the sum of its effects, such as `3 reads, 1 at-most-once: pay (cost 10)`. */
  asks: 'text?',
  /** For an approval: the most that the plan does, asks and costs, and what that leaves out. */
  bounds: 'text?',
  /** For an approval: the first 100 of these effects, with their values. For an uncertain node: its effect. */
  effects: maybe([typed<AskedEffect>(ASKED_EFFECT)]),
  /** For an approval: how many effects there are. */
  effectCount: 'count?',
  /**
   * What `effects` lacks, and the command that shows all, instead of the one that approves; absent if `effects` is
   * complete.
   */
  leftOut: 'text?',
  /**
   * For an approval: what its tasks read from outside the plan, such as `context account: "shop" (6 bytes, K7gN...)`;
   * for each at most 200 bytes, its size, and its reference in the result store.
   */
  context: maybe(['text']),
  /** For an approval: what it still takes, each kind once, at most 5. */
  missing: maybe([typed<MissingApproval>(MISSING)]),
  /** For an approval: who has approved so far, at most 8; absent if nobody has. */
  approvedBy: maybe(['text']),
  /** For a fault and the end of a budget: the control actions that end the wait. */
  ways: maybe([oneOf(CONTROL_ACTIONS)]),
  /** ISO 8601. */
  since: 'time',
  deadline: 'time',
  /** The roles that it waits for; anybody's when absent. */
  roles: maybe(['text']),
  /** The nodes it is about, at most 20 of them, and how many there are. */
  nodes: ['node'],
  nodeCount: 'count',
  /** Only signed messages are accepted. */
  signed: 'true?',
  schema: maybe(eachOf(ANY_JSON)),
  default: maybe(ANY_JSON),
  suggestions: maybe([ANY_JSON]),
  /** The message to send, as a signal or an update, with the parts that a person must fill in written in capitals. */
  send: { name: oneOf(['approve', 'decide', 'answer', 'control']), input: eachOf(ANY_JSON) },
} as const;

/** Whether an item asks about a node that the open plan does not have. Its id is then `3fa9c1d2.node_1`, with digits of its plan. */
export function isOfRemoved({ kind, id }: Pick<OpenItem, 'kind' | 'id'>): boolean {
  return kind === 'uncertain' && id.includes('.');
}

/** Something that waits for a person, with the exact message that answers it. */
export interface OpenItem extends Of<typeof OPEN_ITEM> {}
