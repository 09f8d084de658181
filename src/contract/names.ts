/** The words that cross a process boundary. Once released they are never renamed: people type them, histories hold them. */

export const DEFAULT_TASK_QUEUE = 'planwright';
export const DEFAULT_NAMESPACE = 'default';

/** The workflow type of a run. */
export const PLAN_WORKFLOW = 'planWorkflow';

/** The activity types, by what they do; the Web UI's timeline shows them before a node's own words. */
export const ACTIVITIES = {
  /** Compiles a document, stores the plan, answers with the part of it that a run needs. */
  compile: 'compilePlan',
  /** Carries out a task by its capability. */
  task: 'runTask',
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
  /** Reads the public keys of the project anew. */
  keys: 'readKeys',
} as const;

/** Search attribute (KeywordList): the roles a run waits for, or `anyone`. Set only where it is registered. */
export const WAITS_FOR_ATTRIBUTE = 'PlanWaitsFor';
