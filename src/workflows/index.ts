/** The workflow types of a worker. The SDK turns every export of this file into a workflow type. */

export { activityWorkflow } from './activity-workflow.ts';
export { agentWorkflow } from './plan-workflow.ts';
export { planWorkflow } from './plan-workflow.ts';
