/** The workflow types of Planwright: a worker that somebody else has put together has its own beside them. */

import { workflowInfo } from '@temporalio/workflow';
import { AGENT_WORKFLOW, PLAN_WORKFLOW } from '../../protocol/index.ts';

/** Whether the workflow that is under way is one of ours, by its type. */
export function isOwn(): boolean {
  const { workflowType } = workflowInfo();
  return workflowType === PLAN_WORKFLOW || workflowType === AGENT_WORKFLOW;
}
