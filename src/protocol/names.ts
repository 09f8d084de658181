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

/** Why work may not begin that its run has asked to stop for a new history, and nothing else speaks against. */
export const NEW_HISTORY = 'the run goes on in a new history';

/** Search attribute (KeywordList): the roles a run waits for, or `anyone`. Set only where it is registered. */
export const WAITS_FOR_ATTRIBUTE = 'PlanWaitsFor';
