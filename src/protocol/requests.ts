/**
 * The activity types and their requests, as a table: anybody who reaches the server can schedule one, with anything. Their types are
 * those of the table. The Web UI's timeline shows an activity type before a node's own words.
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
  /** The conversation whose history, drafts and memory the planner is given, and whose results steps may name. */
  conversation: 'name?',
} as const;

/** A closed run, by its id, whose finished nodes a plan is to take over, and whether reads are left out. */
const REUSE = { of: 'text', fresh: 'flag?' } as const;

/** What names a run beside its workflow id, which the server tells each activity. */
export const CHAIN = {
  /** The run id of its first execution; of an agent's run, that of its root. */
  chain: 'name',
} as const;

/** The signature of its start, by which that begins no other run. */
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
  /** What its capability reported in an earlier activity of the node. */
  report: 'ref?',
  /** The id of this work, under which its worker asks whether an effect may begin and a model may be asked. */
  work: 'count?',
  /** A part was lost with it: its result may be kept already. */
  again: 'flag?',
  /** It is not wanted any more: nothing begins, and what came of its effect is told. */
  isOver: 'flag?',
  /** What its calls of models may cost; absent where the run has no budget. */
  allowance: maybe(typed<Allowance>(ALLOWANCE)),
} as const;

/** A call of a model in an activity. */
const CALL = {
  ...CHAIN,
  /** The journal key under which it buys: no two requests of a run share one. */
  call: 'name',
  /** The id of this work, under which its worker asks whether a model may be asked. Absent in runs of earlier versions. */
  work: 'count?',
  /** What its calls of models may cost; absent where the run knows of no budget. */
  allowance: maybe(typed<Allowance>(ALLOWANCE)),
} as const;

const ANSWER = { question: 'text', ref: 'ref' } as const;
const REVISION = {
  base: 'ref',
  /** The wish of a person, or how the plan went that is made anew. */
  feedback: 'text',
  /** Absent where no person asks. */
  by: 'text?',
  /** Of a plan that is made anew: the nodes that would end without a result once more, as they are. */
  lost: maybe(['node']),
} as const;

export const REQUESTS = {
  /** Compiles a document, stores the plan, answers with the part of it that a run needs. */
  compilePlan: {
    ...CHAIN,
    ...START,
    source: whereHas('ref', { ref: 'ref' }, { document: 'any' }),
    ...OPTIONS,
    /** The revision that an edit starts from; a document that is only a root node keeps its goal. */
    base: 'ref?',
    reuse: maybe(REUSE),
    /** The names that the run's approval rules give. A rule that names an unknown capability is refused; it would never match. */
    ruleCapabilities: maybe(['name']),
  },
  /** Goes one stage further from a goal to a plan. */
  planGoal: {
    stage: oneOf(PLANNING_STAGES),
    ...CALL,
    ...START,
    goal: 'text',
    /** The notes of the planner so far; absent at the first stage. */
    notes: 'ref?',
    /** The trouble before this stage, for the prompt of `select`, and why `fallback` has come. */
    trouble: FAULT,
    /** It is left to the project how the goal is run: nobody has to find its task where that is step by step. */
    unsaid: 'flag?',
    /** The answers of people to the planner's questions. */
    answers: maybe([ANSWER]),
    /** The open plan, where it is to become another one. */
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
    /** Absent where the run has none of them. */
    options: maybe(OPTIONS),
  },
  /** Why a run failed, as the activity is told that words it (Osprey: error node). */
  reportFailure: {
    ...CALL,
    severity: oneOf(ERROR_CLASSES),
    task: 'text',
    /** The operation that failed. */
    operation: 'text',
    message: 'text',
    /** Both in the order in which they ended. */
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
  /** Checks what a person answered and stores it as a result. How a value has to be is for the node or the question to say, in a reply. */
  storeAnswer: {
    ...CHAIN,
    /** Both absent for a question of the planner, whose answer is a value whatever it is. */
    revision: 'ref?',
    nodeId: 'node?',
    /** The answer to the node's question, or the result that a person gives to a node that stayed uncertain. */
    value: ANY_JSON,
    /** The schema of the question. */
    schema: maybe(eachOf(ANY_JSON)),
  },
  /** Writes what a run carries over to its next history. Each page has at most 1 MiB of UTF-8. */
  savePages: { ...CHAIN, pages: ['text'] },
  /** Reads it again. */
  loadPages: { ...CHAIN, ref: 'ref' },
  /** Keeps the results of a run that ends in its conversation. */
  keepResults: {
    ...CHAIN,
    conversation: 'name',
    outcome: oneOf(OUTCOMES),
    goal: 'text',
    /** The revision that the steps are of; absent where there are none. */
    revision: 'ref?',
    /** Steps that have a context key and a result, in the order in which they ended. */
    steps: [{ nodeId: 'node', ref: 'ref' }],
    /** Steps with a result that are not among them, the earlier ones. */
    left: 'count',
    /** The result of the whole, where no step has a key. */
    result: 'ref?',
  },
  /** Looks at runs of agents whose end this history of their parent does not hear of. */
  lookAtAgents: {
    ...CHAIN,
    /** `first` is the run id of its first execution; absent where the parent was reset and did not start it itself. */
    agents: [{ workflowId: 'text', first: 'text?' }],
    /** It asks for its own activities that wait for another attempt, too. */
    retried: 'flag?',
  },
  /** Reads the public keys of the project anew. */
  readKeys: 'any',
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
/** The list of results, as the run sends it. The plan says which step each is of. */
export type KeepRequest = RequestOf<'keepResults'>;
