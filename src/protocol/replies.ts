/** The shapes of the replies of activities, as a table: an activity can be completed from outside, with anything. */

import type { SameNodes } from './activities.ts';
import type { ACTIVITIES } from './names.ts';
import { PART_ENDS } from './part.ts';
import { PLANNING_STAGES, STAGE_OUTCOMES, type PlanningOutcome } from './planning.ts';
import type { HistorySize, ProjectPolicy, PublicKey } from './project.ts';
import { isAsked } from './question.ts';
import { HANDLE } from './nodes.ts';
import { TROUBLE } from './requests.ts';
import { EFFECTS, RUN_MODES, type ApprovalRule } from './project.ts';
import { BUDGET_ENDS, SPENDING, USAGE } from './spending.ts';
import { allOf, byKey, eachOf, oneOf, whereHas, type Fields, type Of, type Shape } from './shape.ts';
import { SLICE } from './slice.ts';

const SENT = whereHas('slice', { slice: SLICE }, { pages: ['ref'] });
/** For a plan that is made from another. */
const SAME: Shape = { 'sameAs?': ['place'], 'reformed?': ['place'] } satisfies Fields<SameNodes>;

const RULE = {
  'effect?': oneOf(EFFECTS),
  'capability?': 'name',
  'minCost?': 'number',
  'roles?': ['name'],
  'count?': 'count',
  'person?': 'flag',
  'notStarter?': 'flag',
} satisfies Fields<ApprovalRule>;
const KEYS = eachOf({
  x: 'name',
  'subject?': 'name',
  'roles?': ['name'],
  'person?': 'flag',
} satisfies Fields<PublicKey>);
const SIZE = { events: 'amount', bytes: 'amount' } satisfies Fields<HistorySize>;
const PROJECT: Shape = {
  'rules?': [RULE],
  'keys?': KEYS,
  'planner?': 'flag',
  'mode?': oneOf(RUN_MODES),
  inbox: 'flag',
  'spending?': { ...SPENDING, 'onEnd?': oneOf(BUDGET_ENDS) },
  'budget?': { soft: SIZE, hard: SIZE },
} satisfies Fields<ProjectPolicy>;

const QUESTION: Shape = (value, path) => (isAsked({ asks: value }) ? undefined : `${path}: expected a question`);
const FAILED = { trouble: TROUBLE };

export const REPLIES = {
  compilePlan: byKey('ok', { true: allOf(SENT, SAME, { project: PROJECT }), false: { issues: ['record'] } }),
  planGoal: {
    stage: oneOf(PLANNING_STAGES),
    notes: 'ref',
    usage: USAGE,
    project: PROJECT,
    outcome: byKey('is', {
      ...STAGE_OUTCOMES,
      compiled: allOf(SENT, SAME, { 'answers?': 'flag' }),
      asks: { question: QUESTION },
      invalid: { trouble: TROUBLE, issues: ['record'] },
      failed: FAILED,
    } satisfies Record<PlanningOutcome['is'], Shape>),
  },
  decideStep: {
    notes: 'ref',
    usage: USAGE,
    'project?': PROJECT,
    decision: allOf(
      { 'by?': 'text' },
      byKey('is', {
        step: allOf(SENT, { summary: 'text', 'ends?': 'flag' }),
        finish: { result: HANDLE, summary: 'text', 'outcome?': oneOf(['aborted']) },
        none: FAILED,
        failed: FAILED,
      }),
    ),
  },
  reportFailure: { report: 'text', usage: USAGE },
  runPart: PART_ENDS,
  storeAnswer: byKey('ok', { true: { handle: HANDLE, 'note?': 'text' }, false: { reason: 'text' } }),
  savePages: { refs: ['ref'] },
  loadPages: { page: 'text' },
  keepResults: 'any',
  /** Without `result` (`RunResult`) and `end` it is open. `key` is that of its signals, if the request names no `first`. */
  lookAtAgents: {
    agents: [
      {
        workflowId: 'text',
        'first?': 'text',
        'key?': 'text',
        'result?': 'record',
        'end?': { status: oneOf(['failed', 'cancelled']), type: 'text', message: 'text' },
      },
    ],
    /** The ids of its activities that wait for another attempt. */
    'retried?': ['text'],
  },
  readKeys: { keys: KEYS, 'unsigned?': 'flag' },
} as const satisfies Record<
  Exclude<(typeof ACTIVITIES)[keyof typeof ACTIVITIES], 'runTask' | 'makeQuestion' | 'combine'>,
  Shape
>;

type ReplyOf<Activity extends keyof typeof REPLIES> = Of<(typeof REPLIES)[Activity]>;

export type ReportReply = ReplyOf<'reportFailure'>;
/** References of the pages, in order. */
export type SaveReply = ReplyOf<'savePages'>;
export type LoadReply = ReplyOf<'loadPages'>;
export type LookReply = ReplyOf<'lookAtAgents'>;
/** `unsigned`: the project has no identity, and messages need no signature. */
export type KeysReply = ReplyOf<'readKeys'>;
