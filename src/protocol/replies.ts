/**
 * The shapes of all activity replies, by which they are validated, since people with server access can forge replies.
 */

import { SAME_NODES, SENT, type Deferral, type NodeReply } from './activities.ts';
import { STEP_DECISION } from './loop.ts';
import { HANDLE, type ResultHandle } from './nodes.ts';
import { PART_ENDS, type PartEnds } from './part.ts';
import { ISSUES, PLANNING_OUTCOME, PLANNING_STAGES } from './planning.ts';
import { KEYS, PROJECT, type ProjectPolicy } from './project.ts';
import type { REQUESTS } from './requests.ts';
import { allOf, byKey, maybe, oneOf, typed, type Of, type Shape } from './shape.ts';
import { USAGE, type Usage } from './spending.ts';

const POLICY = typed<ProjectPolicy>(PROJECT);
const PAID = typed<Usage>(USAGE);

export const REPLIES = {
  compilePlan: byKey('ok', { true: allOf(SENT, { ...SAME_NODES, project: POLICY }), false: { issues: ISSUES } }),
  planGoal: {
    stage: oneOf(PLANNING_STAGES),
    /** Reference of the planner's notes, including this stage: the 64 digits of their digest. */
    notes: 'ref',
    usage: PAID,
    project: POLICY,
    outcome: PLANNING_OUTCOME,
  },
  decideStep: {
    notes: 'ref',
    usage: PAID,
    /** Only the reply of the first round has the project. */
    project: maybe(POLICY),
    decision: STEP_DECISION,
  },
  reportFailure: { report: 'text', usage: PAID },
  runPart: typed<PartEnds>(PART_ENDS),
  // The run validates a node's reply later, when it applies the end of the node.
  runTask: typed<NodeReply>('any'),
  makeQuestion: typed<NodeReply>('any'),
  combine: typed<NodeReply>('any'),
  storeAnswer: byKey('ok', {
    /** `note`: a note about the answer, if it was a text with JSON. */
    true: { handle: typed<ResultHandle>(HANDLE), note: 'text?' },
    /** Why the answer does not fit: the expected and actual value, and what to do. At most 2000 characters. */
    false: { reason: 'text' },
  }),
  savePages: { refs: ['ref'] },
  loadPages: { page: 'text' },
  keepResults: 'any',
  writeReceipt: 'any',
  /**
   * The agents' states. An agent without `result` and `end` is open. `key`: the key of its signals, if the request
   * lacked `first`.
   */
  lookAtAgents: {
    agents: [
      {
        workflowId: 'text',
        first: 'text?',
        key: 'text?',
        result: 'record?',
        end: maybe({ status: oneOf(['failed', 'cancelled']), type: 'text', message: 'text' }),
      },
    ],
    /** The ids of the run's activities that wait for another attempt. */
    retried: maybe(['text']),
  },
  /** `unsigned`: the project has no identity, so messages need no signature. */
  readKeys: { keys: KEYS, unsigned: 'flag?' },
  readInbox: { inbox: 'flag' },
} as const satisfies Record<keyof typeof REQUESTS, Shape>;

/** All activities, by name. */
export type Activities = {
  readonly [Name in keyof typeof REQUESTS]: (request: Of<(typeof REQUESTS)[Name]>) => Promise<ReplyOf<Name> | Deferral>;
};

type ReplyOf<Activity extends keyof typeof REPLIES> = Of<(typeof REPLIES)[Activity]>;

export type CompileReply = ReplyOf<'compilePlan'>;
export type PlanningReply = ReplyOf<'planGoal'>;
export type DecideReply = ReplyOf<'decideStep'>;
export type ReportReply = ReplyOf<'reportFailure'>;
export type AnswerReply = ReplyOf<'storeAnswer'>;
export type SaveReply = ReplyOf<'savePages'>;
export type LoadReply = ReplyOf<'loadPages'>;
export type LookReply = ReplyOf<'lookAtAgents'>;
export type KeysReply = ReplyOf<'readKeys'>;
