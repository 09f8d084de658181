/** The shapes of the replies of activities, as a table: an activity can be completed from outside, with anything. */

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
    /** Reference of what the planner has noted, this stage included: the 64 digits of its digest. */
    notes: 'ref',
    usage: PAID,
    project: POLICY,
    outcome: PLANNING_OUTCOME,
  },
  decideStep: {
    /** Reference of what is decided and observed by now. */
    notes: 'ref',
    usage: PAID,
    /** From the first round, which reports it to the run. */
    project: maybe(POLICY),
    decision: STEP_DECISION,
  },
  reportFailure: { report: 'text', usage: PAID },
  runPart: typed<PartEnds>(PART_ENDS),
  // The run checks a node's reply when it applies the end.
  runTask: typed<NodeReply>('any'),
  makeQuestion: typed<NodeReply>('any'),
  combine: typed<NodeReply>('any'),
  storeAnswer: byKey('ok', {
    /** With a note if the answer was a text that contains JSON. */
    true: { handle: typed<ResultHandle>(HANDLE), note: 'text?' },
    /** The expected value, the value that came and what to do, in at most 2000 characters. */
    false: { reason: 'text' },
  }),
  /** References of the pages, in order. */
  savePages: { refs: ['ref'] },
  loadPages: { page: 'text' },
  keepResults: 'any',
  /** Without `result` (`RunResult`) and `end` it is open. `key` is that of its signals, if the request names no `first`. */
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
    /** The ids of its activities that wait for another attempt. */
    retried: maybe(['text']),
  },
  /** `unsigned`: the project has no identity, and messages need no signature. */
  readKeys: { keys: KEYS, unsigned: 'flag?' },
  readInbox: { inbox: 'flag' },
} as const satisfies Record<keyof typeof REQUESTS, Shape>;

/**
 * The activities of both tables. Each call goes by its row, so an editor goes from a call to the row of its request.
 */
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
