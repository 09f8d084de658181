/** The words that cross a process boundary. Once released they are never renamed: people type them, histories hold them. */

export const DEFAULT_TASK_QUEUE = 'planwright';
export const DEFAULT_NAMESPACE = 'default';

/** The workflow type of a run. */
export const PLAN_WORKFLOW = 'planWorkflow';

/** The workflow type of a task that was given to an agent: a child of the run whose node it is. */
export const AGENT_WORKFLOW = 'agentWorkflow';
/** The signal between parent and child. */
export const AGENT_SIGNAL = 'agent';
/** The signal of a part to its run: nodes of it have ended, and it goes on. */
export const PART_SIGNAL = 'part';

/** The activity types, by what they do; the Web UI's timeline shows them before a node's own words. */
export const ACTIVITIES = {
  /** Compiles a document, stores the plan, answers with the part of it that a run needs. */
  compile: 'compilePlan',
  /** Goes one stage further from a goal to a plan. */
  plan: 'planGoal',
  /** Decides the next step of a run that decides one after the other. */
  decide: 'decideStep',
  /** Says why a run failed, for people. */
  report: 'reportFailure',
  /** Carries out a task by its capability. */
  task: 'runTask',
  /** Carries out many reads and set operators of a plan, each when its inputs are there. */
  part: 'runPart',
  /** Lets a capability of `kind: 'wait'` make its question; the wait itself is the workflow's. */
  wait: 'makeQuestion',
  /** Carries out a set operator. */
  combine: 'combine',
  /** Checks what a person answered and stores it as a result. */
  store: 'storeAnswer',
  /** Writes what a run carries over to its next history. */
  save: 'savePages',
  /** Reads it again. */
  load: 'loadPages',
  /** Keeps the results of a run that ends in its conversation. */
  keep: 'keepResults',
  /** Looks at runs of agents whose end this history of their parent does not hear of. */
  look: 'lookAtAgents',
  /** Reads the public keys of the project anew. */
  keys: 'readKeys',
} as const;

/** Why work may not begin that its run has asked to stop for a new history, and nothing else speaks against. */
export const NEW_HISTORY = 'the run goes on in a new history';

/** Search attribute (KeywordList): the roles a run waits for, or `anyone`. Set only where it is registered. */
export const WAITS_FOR_ATTRIBUTE = 'PlanWaitsFor';
