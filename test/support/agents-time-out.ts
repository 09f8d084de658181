/** An interceptor module of a build whose agents' runs have a moment to end. */

import type { WorkflowInterceptors } from '@temporalio/workflow';

export function interceptors(): WorkflowInterceptors {
  return {
    outbound: [
      {
        startChildWorkflowExecution: ({ options, ...input }, next) =>
          next({ ...input, options: { ...options, workflowRunTimeout: '20s' } }),
      },
    ],
  };
}
