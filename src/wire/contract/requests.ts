/**
 * The shapes of the requests of activities, as a table: anybody who reaches the server can schedule an activity, with
 * anything.
 */

import { MAX_REPETITIONS, type AnswerRequest, type CompileRequest, type LoadRequest } from './activities.ts';
import type { NodeRequest, ReuseRequest, SaveRequest } from './activities.ts';
import { ERROR_CLASSES } from './failure-types.ts';
import type { KeepRequest } from './keeping.ts';
import type { AgentTask, DecideRequest, Observation } from './loop.ts';
import type { ACTIVITIES } from './names.ts';
import { NODE_STATUSES, RESULT_KINDS, type ResultHandle } from './nodes.ts';
import type { RunOptions } from './options.ts';
import { OUTCOMES } from './phases.ts';
import { PLANNING_STAGES, type PlannerAnswer, type PlanningRequest, type PlanningTrouble } from './planning.ts';
import type { PlanRevision, ReportRequest } from './planning.ts';
import { eachOf, oneOf, upTo, whereHas, type Fields, type Shape } from './shape.ts';

export const HANDLE = {
  ref: 'ref',
  kind: oneOf(RESULT_KINDS),
  count: 'count',
  bytes: 'count',
} satisfies Fields<ResultHandle>;
export const TROUBLE: Shape = { severity: oneOf(ERROR_CLASSES), message: 'text' } satisfies Fields<PlanningTrouble>;

const OPTIONS = {
  'limits?': { 'depth?': 'count', 'nodes?': 'count' },
  'context?': eachOf('json'),
  'conversation?': 'name',
} satisfies Fields<Pick<RunOptions, 'limits' | 'context' | 'conversation'>>;

const REUSE: Shape = { of: 'text', 'fresh?': 'flag' } satisfies Fields<ReuseRequest>;

const NODE: Shape = {
  revision: 'ref',
  nodeId: 'node',
  inputs: ['ref'],
  'retry?': upTo(MAX_REPETITIONS),
  'work?': 'count',
} satisfies Fields<NodeRequest>;

export const OBSERVATION: Shape = {
  round: 'count',
  status: oneOf([...NODE_STATUSES, 'rejected']),
  results: eachOf(HANDLE),
  'message?': 'text',
} satisfies Fields<Observation>;

const AGENT_TASK: Shape = {
  agent: 'text',
  revision: 'ref',
  nodeId: 'node',
  inputs: ['ref'],
} satisfies Fields<AgentTask>;

export const REQUESTS = {
  compilePlan: {
    source: whereHas('ref', { ref: 'ref' }, { document: 'any' }),
    ...OPTIONS,
    'base?': 'ref',
    'reuse?': REUSE,
    'ruleCapabilities?': ['name'],
  } satisfies Fields<CompileRequest>,
  planGoal: {
    stage: oneOf(PLANNING_STAGES),
    call: 'name',
    'work?': 'count',
    goal: 'text',
    'notes?': 'ref',
    'trouble?': TROUBLE,
    'answers?': [{ question: 'text', ref: 'ref' } satisfies Fields<PlannerAnswer>],
    'revise?': { base: 'ref', feedback: 'text', by: 'text' } satisfies Fields<PlanRevision>,
    'reuse?': REUSE,
    ...OPTIONS,
    'ruleCapabilities?': ['name'],
  } satisfies Fields<PlanningRequest>,
  decideStep: {
    task: whereHas('goal', { goal: 'text' }, AGENT_TASK),
    round: 'count',
    call: 'name',
    'work?': 'count',
    'notes?': 'ref',
    'observation?': OBSERVATION,
    'trouble?': TROUBLE,
    options: OPTIONS,
  } satisfies Fields<DecideRequest>,
  reportFailure: {
    call: 'name',
    'work?': 'count',
    severity: oneOf(ERROR_CLASSES),
    task: 'text',
    operation: 'text',
    message: 'text',
    done: ['text'],
    failed: ['text'],
  } satisfies Fields<ReportRequest>,
  runTask: NODE,
  makeQuestion: NODE,
  combine: NODE,
  // How a value has to be is for the node or the question to say, in a reply.
  storeAnswer: {
    'revision?': 'ref',
    'nodeId?': 'node',
    value: 'any',
    'schema?': 'record',
  } satisfies Fields<AnswerRequest>,
  savePages: { pages: ['text'] } satisfies Fields<SaveRequest>,
  loadPages: { ref: 'ref' } satisfies Fields<LoadRequest>,
  keepResults: {
    conversation: 'name',
    outcome: oneOf(OUTCOMES),
    goal: 'text',
    'revision?': 'ref',
    steps: [{ nodeId: 'node', ref: 'ref' }],
    left: 'count',
    'result?': 'ref',
  } satisfies Fields<KeepRequest>,
  readKeys: 'any',
} as const satisfies Record<(typeof ACTIVITIES)[keyof typeof ACTIVITIES], Shape>;
