/** The workflow types a worker registers. Export nothing else from here: every export is a type by its name. */

export { agentWorkflow } from './plan-workflow.ts';
export { planWorkflow } from './plan-workflow.ts';
