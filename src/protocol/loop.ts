/**
 * The requests and replies between a run that decides one step after the other and its activities; and an agent's
 * input.
 */

import { SENT } from './activities.ts';
import { HANDLE, NODE_STATUSES, type ResultHandle } from './nodes.ts';
import { TROUBLE, type PlanningTrouble } from './planning.ts';
import { ANY_JSON, allOf, byKey, eachOf, maybe, oneOf, typed, type Of } from './shape.ts';

/** The task of a loop: a goal with all capabilities of the project, or an agent's task. */
export type LoopTask = { readonly goal: string } | AgentTask;

export const AGENT_TASK = {
  /** `agent name@version effect`, as it was approved; a worker whose agent differs refuses. */
  agent: 'text',
  /** Reference of the revision of its node, and the results that it reads. */
  revision: 'ref',
  nodeId: 'node',
  inputs: ['ref'],
} as const;
export type AgentTask = Of<typeof AGENT_TASK>;

export const OBSERVATION = {
  round: 'count',
  /** `rejected`: by a person. */
  status: oneOf([...NODE_STATUSES, 'rejected']),
  results: eachOf(typed<ResultHandle>(HANDLE)),
  /** Why it has no result, in at most 2000 characters. */
  message: 'text?',
  /** Why nodes without a result have none, by key, if the step has several nodes. */
  failures: maybe(eachOf('text')),
} as const;

/** The outcome of a step. */
export interface Observation extends Of<typeof OBSERVATION> {}

export const STEP_DECISION = allOf(
  {
    /** The stage that decided, if it was not the model: `gate g_region`. */
    by: 'text?',
  },
  byKey('is', {
    /**
     * A plan of one node, or of several for a step that is a whole plan; `ends`: its result is the result of the loop.
     */
    step: allOf(SENT, { summary: 'text', ends: 'true?' }),
    /** The task is done. `outcome`: a cap of the policy was reached. */
    finish: { result: typed<ResultHandle>(HANDLE), summary: 'text', outcome: maybe(oneOf(['aborted'])) },
    /** The reply is not a step: prose without an end, an unknown tool, invalid arguments. The model is asked again. */
    none: { trouble: typed<PlanningTrouble>(TROUBLE) },
    /** A model or its provider failed for good. */
    failed: { trouble: typed<PlanningTrouble>(TROUBLE) },
  }),
);
export type StepDecision = Of<typeof STEP_DECISION>;

/** The source of a decision: a rule before the model, a rule that looks for work, or the `decide` stage. */
export type Origin = 'gate' | 'select' | 'model';

const TOLD_ORIGINS = ['gate', 'select', 'model', 'decide'] as const satisfies readonly (Origin | 'decide')[];
/** The source of a decision as people see it: a `decide` stage that asked no model is not `model`. */
export type ToldOrigin = (typeof TOLD_ORIGINS)[number];

const STAGE_KINDS = ['gate', 'enrich', 'select', 'decide', 'correct'] as const;
/** The kind of a stage: `gate`, `enrich`, `select`, `decide` or `correct`. It limits what the stage may do. */
export type StageKind = (typeof STAGE_KINDS)[number];

const VISIT = {
  stage: 'text',
  kind: oneOf(['tick', 'observe', ...STAGE_KINDS]),
  /**
   * `decided`: it made the decision. `rewrote`: a corrector changed it. `wrote`: it changed the state alone. `passed`: it
   * had nothing to do. `spared`: the decision is of an origin that it does not correct.
   */
  did: oneOf(['decided', 'rewrote', 'wrote', 'passed', 'spared']),
  /** The fields of the state that it wrote. */
  wrote: maybe(['text']),
  /** For a corrector that rewrote: the decision before it. */
  before: maybe(ANY_JSON),
  /** The decision that it made or rewrote. */
  after: maybe(ANY_JSON),
} as const;

/** The visit of one stage of a policy in a round. */
export interface StageVisit extends Of<typeof VISIT> {}

export const ROUND = {
  round: 'count',
  /** The step that was dispatched, in a line. */
  line: 'text',
  /**
   * For a round in which a policy decided: its name, who decided, and the stages in the order in which they were
   * visited.
   */
  policy: 'text?',
  origin: maybe(oneOf(TOLD_ORIGINS)),
  decider: 'text?',
  decision: maybe(ANY_JSON),
  visits: maybe([typed<StageVisit>(VISIT)]),
  /** How the step before ended. */
  happened: maybe(typed<Observation>(OBSERVATION)),
  /** Why the decision before was no step. */
  trouble: 'text?',
  /** Reference of the record of the round before. */
  before: 'ref?',
} as const;

/**
 * The record of a round in the store: the decider, its stages, the decision, and the end of the previous round. The
 * records of a loop form a chain; its notes name the last one.
 */
export interface RoundRecord extends Of<typeof ROUND> {}
