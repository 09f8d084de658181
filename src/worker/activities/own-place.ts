/** The place of the run that an activity works for. */

import { Context } from '@temporalio/activity';
import type { RunPlace } from './finished.ts';

export function ownPlace(): RunPlace {
  const { workflowNamespace: namespace = '', workflowExecution: { workflowId } = { workflowId: '' } } =
    Context.current().info;
  return { namespace, workflowId };
}
