/**
 * Names that cross a process boundary. After a release they never change: people type them, and histories contain them.
 */

export const DEFAULT_TASK_QUEUE = 'planwright';
export const DEFAULT_NAMESPACE = 'default';

/** The workflow type of a run. */
export const PLAN_WORKFLOW = 'planWorkflow';

/** The workflow type of an agent's task: a child of the run with its node. */
export const AGENT_WORKFLOW = 'agentWorkflow';
/** The signal between parent and child. */
export const AGENT_SIGNAL = 'agent';
/** The signal of a part under way to its run, about nodes that have ended. */
export const PART_SIGNAL = 'part';

/** Why work may not begin that its run has asked to stop for a new history, and nothing else speaks against. */
export const NEW_HISTORY = 'the run goes on in a new history';

/** Search attribute (KeywordList): the roles a run waits for, or `anyone`. Set only if it is registered. */
export const WAITS_FOR_ATTRIBUTE = 'PlanWaitsFor';
