/** Planwright's workflow types. A user's own worker may have other types beside them. */

import { workflowInfo } from '@temporalio/workflow';
import { AGENT_WORKFLOW, PLAN_WORKFLOW } from '../../protocol/index.ts';

/** Whether the current workflow is one of ours, by its type. */
export function isOwn(): boolean {
  const { workflowType } = workflowInfo();
  return workflowType === PLAN_WORKFLOW || workflowType === AGENT_WORKFLOW;
}
