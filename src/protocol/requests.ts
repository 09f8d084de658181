/**
 * The activity types and their requests as a table. Anybody who can reach the server can schedule one with any input.
 * The Web UI's timeline shows an activity's type before a node's own text.
 */

import { MAX_REPETITIONS } from './activities.ts';
import { AGENT_TASK, OBSERVATION, type Observation } from './loop.ts';
import { PART } from './part.ts';
import { ERROR_CLASSES } from './failure-types.ts';
import { PLANNING_STAGES, TROUBLE, type PlanningTrouble } from './planning.ts';
import { ANY_JSON, eachOf, maybe, oneOf, typed, upTo, whereHas, type Of, type Shape } from './shape.ts';
import { ALLOWANCE, type Allowance } from './spending.ts';
import { OUTCOMES } from './status.ts';

const FAULT = maybe(typed<PlanningTrouble>(TROUBLE));

const OPTIONS = {
  limits: maybe({ depth: 'count?', nodes: 'count?' }),
  /** External context, by its context key. */
  context: maybe(eachOf('json')),
  /** The conversation: the planner reads its history, drafts and memory, and steps may name its results. */
  conversation: 'name?',
} as const;

/** A closed run, by its id, whose finished nodes a plan is to take over, and whether reads are left out. */
const REUSE = { of: 'text', fresh: 'flag?' } as const;

/** Identifies a run together with its workflow id, which the server reports to each activity. */
export const CHAIN = {
  /** The run id of its first execution; of an agent's run, that of its root. */
  chain: 'name',
} as const;

/** The signature of its start, so that the same start begins no other run. */
const START = { start: 'name?' } as const;

const NODE = {
  ...CHAIN,
  /** Reference of the revision that was approved: its plan, and the executor of each node. */
  revision: 'ref',
  nodeId: 'node',
  /** References of the inputs' results, left then right. */
  inputs: ['ref'],
  /** How often a person had the node repeated. Default 0. */
  retry: maybe(upTo(MAX_REPETITIONS)),
  /** The cost of its capability that was approved. */
  cost: 'amount?',
  /** The hash of the state that was approved: its effect begins under no other one. */
  state: 'name?',
  /** What its capability reported in an earlier activity of the node. */
  report: 'ref?',
  /** The id of this work, under which its worker asks whether an effect may begin and a model may be asked. */
  work: 'count?',
  /** A part or an earlier attempt was lost with it: the store may have its result, or the claim of its effect. */
  again: 'flag?',
  /** It is not needed any more: nothing begins, and the state of its effect is reported. */
  isOver: 'flag?',
  /** The limit for its model calls; absent if the run has no budget. */
  allowance: maybe(typed<Allowance>(ALLOWANCE)),
} as const;

/** A call of a model in an activity. */
const CALL = {
  ...CHAIN,
  /** The journal key under which it buys: no two requests of a run share one. */
  call: 'name',
  /** The id of this work, under which its worker asks whether a model may be asked. Absent in runs of earlier versions. */
  work: 'count?',
  /** The limit for its model calls; absent if the run knows no budget. */
  allowance: maybe(typed<Allowance>(ALLOWANCE)),
} as const;

const ANSWER = { question: 'text', ref: 'ref' } as const;
const REVISION = {
  base: 'ref',
  /** A person's request, or the progress of the plan to replace. */
  feedback: 'text',
  /** Absent if no person asked. */
  by: 'text?',
  /** In a replan: the nodes that would fail again unchanged. */
  lost: maybe(['node']),
} as const;

export const REQUESTS = {
  /** Compiles a document, stores the plan, answers with the part of it that a run needs. */
  compilePlan: {
    ...CHAIN,
    ...START,
    source: whereHas('ref', { ref: 'ref' }, { document: 'any' }),
    ...OPTIONS,
    /** The revision that an edit starts from; a document with only a root node has the same goal. */
    base: 'ref?',
    reuse: maybe(REUSE),
    /**
     * The capabilities in the run's approval rules. A rule with an unknown one is rejected, since it would never match.
     */
    ruleCapabilities: maybe(['name']),
  },
  /** Runs one stage from a goal to a plan. */
  planGoal: {
    stage: oneOf(PLANNING_STAGES),
    ...CALL,
    ...START,
    goal: 'text',
    /** The notes of the planner so far; absent at the first stage. */
    notes: 'ref?',
    /** The trouble before this stage, for the prompt of `select`, and why `fallback` has come. */
    trouble: FAULT,
    /** The project chooses the mode; no task is extracted if that is step by step. */
    unsaid: 'flag?',
    /** The answers of people to the planner's questions. */
    answers: maybe([ANSWER]),
    /** The open plan, if this one replaces it. */
    revise: maybe(REVISION),
    reuse: maybe(REUSE),
    ...OPTIONS,
    ruleCapabilities: maybe(['name']),
  },
  /** Decides the next step of a run that decides one after the other. */
  decideStep: {
    task: whereHas('goal', { goal: 'text' }, AGENT_TASK),
    /** Counts from 1. */
    round: 'count',
    ...CALL,
    ...START,
    /** The decisions and observations so far; absent in the first round. */
    notes: 'ref?',
    /** How the step before ended; absent when there was none. */
    observation: maybe(typed<Observation>(OBSERVATION)),
    /** The fault of the reply before, which was no step. */
    trouble: FAULT,
    /** Absent if the run has none of them. */
    options: maybe(OPTIONS),
  },
  /** Why a run failed, for the activity that explains it (Osprey: error node). */
  reportFailure: {
    ...CALL,
    severity: oneOf(ERROR_CLASSES),
    task: 'text',
    /** The operation that failed. */
    operation: 'text',
    message: 'text',
    /** Nodes that succeeded, and nodes that failed, each in the order in which they ended. */
    done: ['text'],
    failed: ['text'],
    counts: maybe({ done: 'count', failed: 'count' }),
  },
  /** Carries out many reads and set operators of a plan, each when its inputs are there. */
  runPart: PART,
  /** Carries out a task by its capability. */
  runTask: NODE,
  /** Lets a capability of `kind: 'wait'` make its question; the wait itself is the workflow's. */
  makeQuestion: NODE,
  /** Carries out a set operator. */
  combine: NODE,
  /** Checks and stores a person's answer. The node or the question says in its reply which values fit. */
  storeAnswer: {
    ...CHAIN,
    /** Both absent for a question of the planner, whose answer is a value whatever it is. */
    revision: 'ref?',
    nodeId: 'node?',
    /** The answer to the node's question, or a person's result for an uncertain node. */
    value: ANY_JSON,
    /** The schema of the question. */
    schema: maybe(eachOf(ANY_JSON)),
  },
  /** Writes what a run carries over to its next history. Each page has at most 1 MiB of UTF-8. */
  savePages: { ...CHAIN, pages: ['text'] },
  /** Reads it again. */
  loadPages: { ...CHAIN, ref: 'ref' },
  /** Stores the results of a run in its conversation at its end. */
  keepResults: {
    ...CHAIN,
    conversation: 'name',
    outcome: oneOf(OUTCOMES),
    goal: 'text',
    /** The revision of the steps; absent without steps. */
    revision: 'ref?',
    /** Steps that have a context key and a result, in the order in which they ended. */
    steps: [{ nodeId: 'node', ref: 'ref' }],
    /** Steps with a result that are not among them, the earlier ones. */
    left: 'count',
    /** The result of the plan if no step has a key. */
    result: 'ref?',
  },
  /** Looks at agents' runs whose end does not reach this history of their parent. */
  lookAtAgents: {
    ...CHAIN,
    /** `first` is the run id of its first execution; absent if the parent was reset and did not start it itself. */
    agents: [{ workflowId: 'text', first: 'text?' }],
    /** It asks for its own activities that wait for another attempt, too. */
    retried: 'flag?',
  },
  /** Reads the public keys of the project again. */
  readKeys: 'any',
  /** Asks whether the search attribute of inboxes is registered now. */
  readInbox: 'any',
} as const satisfies Record<string, Shape>;

type RequestOf<Activity extends keyof typeof REQUESTS> = Of<(typeof REQUESTS)[Activity]>;

export type ReuseRequest = Of<typeof REUSE>;
export type CompileRequest = RequestOf<'compilePlan'>;
export type PlanningRequest = RequestOf<'planGoal'>;
export type PlannerAnswer = Of<typeof ANSWER>;
export type PlanRevision = Of<typeof REVISION>;
export type DecideRequest = RequestOf<'decideStep'>;
/** A round; the run that it is of is its worker's to know. */
export type RoundRequest = Omit<DecideRequest, 'chain'>;
export type ReportRequest = RequestOf<'reportFailure'>;
export type NodeRequest = RequestOf<'runTask'>;
export type AnswerRequest = RequestOf<'storeAnswer'>;
export type LookRequest = RequestOf<'lookAtAgents'>;
export type SaveRequest = RequestOf<'savePages'>;
export type LoadRequest = RequestOf<'loadPages'>;
/** The list of results from the run. The plan gives the step of each. */
export type KeepRequest = RequestOf<'keepResults'>;
