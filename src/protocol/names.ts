/** Names that cross a process boundary. After a release they must not change, since histories contain them. */

export const DEFAULT_TASK_QUEUE = 'planwright';
export const DEFAULT_NAMESPACE = 'default';

export const PLAN_WORKFLOW = 'planWorkflow';

/** The workflow type of an agent's run, a child of the run that has the agent's node. */
export const AGENT_WORKFLOW = 'agentWorkflow';
/** The workflow type that runs one activity of another language's worker for a node. */
export const ACTIVITY_WORKFLOW = 'activityWorkflow';
export const AGENT_SIGNAL = 'agent';
/** The signal by which a running part reports ended nodes to its run. */
export const PART_SIGNAL = 'part';

/** The reply to a task that may not begin only because the run moves to a new history. */
export const NEW_HISTORY = 'the run goes on in a new history';

/** The search attribute (KeywordList) with the roles that a run waits for, or `anyone`. Optional. */
export const WAITS_FOR_ATTRIBUTE = 'PlanWaitsFor';
