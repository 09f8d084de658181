/** The workflow types of a worker. Every export becomes a workflow type, so export nothing else here. */

export { agentWorkflow } from './plan-workflow.ts';
export { planWorkflow } from './plan-workflow.ts';
