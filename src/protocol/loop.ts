import { SENT } from './activities.ts';
import { HANDLE, NODE_STATUSES, type ResultHandle } from './nodes.ts';
import { TROUBLE, type PlanningTrouble } from './planning.ts';
import { USAGE, type Usage } from './spending.ts';
import { ANY_JSON, allOf, byKey, eachOf, maybe, oneOf, typed, type Of } from './shape.ts';

/** The task of a loop: a goal with all capabilities of the project, or the task of an agent. */
export type LoopTask = { readonly goal: string } | AgentTask;

export const AGENT_TASK = {
  /** The approved agent, as `agent name@version effect`. A worker with another agent refuses the request. */
  agent: 'text',
  revision: 'ref',
  nodeId: 'node',
  inputs: ['ref'],
} as const;
export type AgentTask = Of<typeof AGENT_TASK>;

export const OBSERVATION = {
  round: 'count',
  status: oneOf([...NODE_STATUSES, 'rejected']),
  results: eachOf(typed<ResultHandle>(HANDLE)),
  /** Why the step has no result, in at most 2000 characters. */
  message: 'text?',
  /** For a step with several nodes: why each node without a result has none, by key. */
  failures: maybe(eachOf('text')),
} as const;

export interface Observation extends Of<typeof OBSERVATION> {}

export const STEP_DECISION = allOf(
  {
    /** The stage that decided, such as `gate g_region`; absent if the model decided. */
    by: 'text?',
  },
  byKey('is', {
    /** A plan of one node, or of several for a whole plan. `ends`: its result becomes the result of the loop. */
    step: allOf(SENT, { summary: 'text', ends: 'true?' }),
    /** The task is done. `outcome` is set if a limit of the policy ended the loop. */
    finish: { result: typed<ResultHandle>(HANDLE), summary: 'text', outcome: maybe(oneOf(['aborted'])) },
    /** The reply is not a step: prose, an unknown tool, or invalid arguments. The model is asked again. */
    none: { trouble: typed<PlanningTrouble>(TROUBLE) },
    /** The model or its provider failed, and another attempt cannot help. */
    failed: { trouble: typed<PlanningTrouble>(TROUBLE) },
  }),
);
export type StepDecision = Of<typeof STEP_DECISION>;

/** What made a decision: `gate`, a rule before the model; `select`, a rule that looks for a task; or the model. */
export type Origin = 'gate' | 'select' | 'model';

const VISIBLE_ORIGINS = ['gate', 'select', 'model', 'decide'] as const satisfies readonly (Origin | 'decide')[];
/** The source of a decision, for people. It is `decide`, not `model`, if a `decide` stage asked no model. */
export type VisibleOrigin = (typeof VISIBLE_ORIGINS)[number];

const STAGE_KINDS = ['gate', 'enrich', 'select', 'decide', 'correct'] as const;
/** The kind of a policy's stage. It limits what the stage may do. */
export type StageKind = (typeof STAGE_KINDS)[number];

const VISIT = {
  stage: 'text',
  kind: oneOf(['tick', 'observe', ...STAGE_KINDS]),
  /**
   * What the stage did. `decided`: it made the decision. `rewrote`: a corrector changed the decision. `wrote`: it only
   * changed the state. `passed`: it had nothing to do. `spared`: a corrector that does not apply to decisions from this
   * source.
   */
  did: oneOf(['decided', 'rewrote', 'wrote', 'passed', 'spared']),
  wrote: maybe(['text']),
  /** The decision before a corrector rewrote it. */
  before: maybe(ANY_JSON),
  after: maybe(ANY_JSON),
} as const;

export interface StageVisit extends Of<typeof VISIT> {}

export const ROUND = {
  round: 'count',
  line: 'text',
  /** The policy of this round. The next fields say what decided and which stages were visited. */
  policy: 'text?',
  origin: maybe(oneOf(VISIBLE_ORIGINS)),
  decider: 'text?',
  decision: maybe(ANY_JSON),
  visits: maybe([typed<StageVisit>(VISIT)]),
  happened: maybe(typed<Observation>(OBSERVATION)),
  /** The use of models in this round; absent if no model was called. */
  usage: maybe(typed<Usage>(USAGE)),
  /** Why the previous decision was not a step. */
  trouble: 'text?',
  before: 'ref?',
} as const;

/** The stored record of a round: the decision, how the previous round ended, and a reference to the previous record. */
export interface RoundRecord extends Of<typeof ROUND> {}
