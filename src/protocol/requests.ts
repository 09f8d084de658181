/** The shapes of all activity requests, by which they are validated: people with server access can forge requests. */

import { MAX_REPETITIONS } from './activities.ts';
import { AGENT_TASK, OBSERVATION, type Observation } from './loop.ts';
import { PART } from './part.ts';
import { ERROR_CLASSES } from './failure-types.ts';
import { PLANNING_STAGES, TROUBLE, type PlanningTrouble } from './planning.ts';
import { APPROVAL } from './project.ts';
import { ANY_JSON, eachOf, maybe, oneOf, typed, upTo, whereHas, type Of, type Shape } from './shape.ts';
import { ALLOWANCE, BUDGET, type Allowance, type Budget } from './spending.ts';
import { OUTCOMES } from './status.ts';

const FAULT = maybe(typed<PlanningTrouble>(TROUBLE));

const OPTIONS = {
  limits: maybe({ depth: 'count?', nodes: 'count?' }),
  context: maybe(eachOf('json')),
  /** The conversation. The planner reads its history, drafts and memory, and steps may use its results. */
  conversation: 'name?',
} as const;

/** The untrusted sources that the plan's author had read, if the author was a model. */
const READ = { untrusted: 'text?' } as const;

/** The closed run whose finished nodes the plan reuses. `fresh`: reads run again. */
const REUSE = { of: 'text', fresh: 'flag?' } as const;

/** Identifies a run, together with the workflow id that the server reports to each activity. */
export const CHAIN = {
  /** The run id of the run's first execution; for an agent's run, of the topmost run. */
  firstRunId: 'name',
} as const;

/** The signature of the run's start message, which must not start a second run. */
const START = { start: 'name?' } as const;

const NODE = {
  ...CHAIN,
  /** Reference of the approved revision: its plan, and the executor of each node. */
  revision: 'ref',
  nodeId: 'node',
  /** References of the input results; for a set operator first left, then right. */
  inputs: ['ref'],
  /** How often a person made the node run again. Default 0. */
  retry: maybe(upTo(MAX_REPETITIONS)),
  cost: 'amount?',
  /** The hash of the approved state. If the state differs, the effect does not begin. */
  state: 'name?',
  /** What the capability reported in an earlier activity of the node. */
  report: 'ref?',
  /** The id of this task. The worker uses it to ask the run whether an effect or a model call may begin. */
  work: 'count?',
  /** True if a part or an attempt with this node was lost. The store may then have its result or its effect's claim. */
  again: 'flag?',
  /** True if the node is not needed any more. The activity then only reports the state of its effect. */
  isOver: 'flag?',
  /** The maximum cost of this activity's model calls; absent if the run has no budget. */
  allowance: maybe(typed<Allowance>(ALLOWANCE)),
} as const;

/** A request that may call a model. */
const CALL = {
  ...CHAIN,
  /** The key of the call in the journal. Each request of a run has its own key. */
  call: 'name',
  /** The id of this task. The worker uses it to ask the run whether a model call may begin. Absent in old runs. */
  work: 'count?',
  allowance: maybe(typed<Allowance>(ALLOWANCE)),
} as const;

const ANSWER = { question: 'text', ref: 'ref' } as const;
const REVISION = {
  base: 'ref',
  /** A person's request, or the progress of the plan to replace. */
  feedback: 'text',
  by: 'text?',
  /** In a replan: the nodes that would fail again if the new plan has them unchanged. */
  lost: maybe(['node']),
} as const;

export const REQUESTS = {
  /** Compiles a document and stores the plan. The reply contains its plan shape. */
  compilePlan: {
    ...CHAIN,
    ...START,
    source: whereHas('ref', { ref: 'ref' }, { document: 'any' }),
    ...OPTIONS,
    ...READ,
    /** The revision that an edit starts from. A document without a goal uses the goal of this revision. */
    base: 'ref?',
    reuse: maybe(REUSE),
    /** The capabilities in the run's approval rules. An unknown name is an error, since its rule would never match. */
    ruleCapabilities: maybe(['name']),
    /** For the first plan of a run: the options of the run that a grant restricts. */
    approval: maybe(APPROVAL),
    budget: maybe(typed<Budget>(BUDGET)),
    /** The signed start message, whose signature is `start`. A grant may restrict who starts the run. */
    startToken: 'text?',
  },
  planGoal: {
    stage: oneOf(PLANNING_STAGES),
    ...CALL,
    ...START,
    goal: 'text',
    /** Reference of the planner's notes so far; absent at the first stage. */
    notes: 'ref?',
    /** The previous problem. `select` has it in its prompt, and `fallback` as the reason. */
    trouble: FAULT,
    /** True if the project chooses the mode. If it chooses step by step, no task is extracted. */
    unsaid: 'flag?',
    answers: maybe([ANSWER]),
    /** The open plan, if the new plan replaces it. */
    revise: maybe(REVISION),
    reuse: maybe(REUSE),
    ...OPTIONS,
    ...READ,
    ruleCapabilities: maybe(['name']),
  },
  decideStep: {
    task: whereHas('goal', { goal: 'text' }, AGENT_TASK),
    round: 'count',
    ...CALL,
    ...START,
    /** Reference of the decisions and observations so far; absent in the first round. */
    notes: 'ref?',
    /** How the previous step ended; absent if there was none. */
    observation: maybe(typed<Observation>(OBSERVATION)),
    /** Why the previous reply was not a step. */
    trouble: FAULT,
    ...READ,
    options: maybe(OPTIONS),
  },
  reportFailure: {
    ...CALL,
    severity: oneOf(ERROR_CLASSES),
    task: 'text',
    operation: 'text',
    message: 'text',
    /** The nodes that succeeded and those that failed, each in the order of their ends. */
    done: ['text'],
    failed: ['text'],
    counts: maybe({ done: 'count', failed: 'count' }),
  },
  runPart: PART,
  runTask: NODE,
  /** Makes the question of a `wait` capability. The workflow itself waits for the answer. */
  makeQuestion: NODE,
  combine: NODE,
  /** Checks and stores a person's answer. If it does not fit, the reply says which values do. */
  storeAnswer: {
    ...CHAIN,
    /** `revision` and `nodeId` are absent for a question of the planner, which accepts any value. */
    revision: 'ref?',
    nodeId: 'node?',
    /** The answer to the node's question, or a person's result for an uncertain node. */
    value: ANY_JSON,
    schema: maybe(eachOf(ANY_JSON)),
  },
  /** Stores the state for a run's next history. Each page has at most 1 MiB of UTF-8. */
  savePages: { ...CHAIN, pages: ['text'] },
  loadPages: { ...CHAIN, ref: 'ref' },
  keepResults: {
    ...CHAIN,
    conversation: 'name',
    outcome: oneOf(OUTCOMES),
    goal: 'text',
    /** Reference of the revision with the steps; absent without steps. */
    revision: 'ref?',
    /** Steps that have a context key and a result, in the order of their ends. */
    steps: [{ nodeId: 'node', ref: 'ref' }],
    /** The number of earlier steps with a result that the list omits. */
    left: 'count',
    /** Reference of the plan's result; only if no step has a context key. */
    result: 'ref?',
    /** The plan's result is untrusted, or a model that had read an untrusted value wrote the goal. */
    untrusted: 'true?',
  },
  writeReceipt: CHAIN,
  /** Checks agents' runs whose ends the server does not report to the parent's current history. */
  lookAtAgents: {
    ...CHAIN,
    /** `first`: the agent's first run id; absent if the parent was reset and did not start the agent itself. */
    agents: [{ workflowId: 'text', first: 'text?' }],
    /** True to also ask which activities of the parent wait for another attempt. */
    retried: 'flag?',
  },
  readKeys: 'any',
  readInbox: 'any',
} as const satisfies Record<string, Shape>;

type RequestOf<Activity extends keyof typeof REQUESTS> = Of<(typeof REQUESTS)[Activity]>;

export type ReuseRequest = Of<typeof REUSE>;
export type CompileRequest = RequestOf<'compilePlan'>;
export type PlanningRequest = RequestOf<'planGoal'>;
export type PlannerAnswer = Of<typeof ANSWER>;
export type PlanRevision = Of<typeof REVISION>;
export type DecideRequest = RequestOf<'decideStep'>;
/** A request for a round, without the run id, which the worker knows. */
export type RoundRequest = Omit<DecideRequest, 'firstRunId'>;
export type ReportRequest = RequestOf<'reportFailure'>;
export type NodeRequest = RequestOf<'runTask'>;
export type AnswerRequest = RequestOf<'storeAnswer'>;
export type LookRequest = RequestOf<'lookAtAgents'>;
export type SaveRequest = RequestOf<'savePages'>;
export type LoadRequest = RequestOf<'loadPages'>;
export type KeepRequest = RequestOf<'keepResults'>;
