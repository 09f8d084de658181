/** The run that an activity works for. */

import { Context } from '@temporalio/activity';
import type { RunPlace } from './finished.ts';

/** @param request as its run sent it: the server does not tell an activity the chain of its run */
export function placeOf({ chain }: { readonly chain: string }): RunPlace {
  const { workflowNamespace: namespace = '', workflowExecution: { workflowId } = { workflowId: '' } } =
    Context.current().info;
  return { namespace, workflowId, chain };
}
