/** The run that a draft is handed off to. */

import type { PlanDocument } from '../../language/plan/index.ts';
import type { StartRun } from '../../builtin/drafts/index.ts';
import { given } from '../../wire/contract/index.ts';
import type { Session } from './connect.ts';

/**
 * A run of this id counts as started whether it is open or closed: the server would start a closed one anew.
 * @param by who starts it, where the session signs
 */
export function startOnce({ client, plans }: Session, by?: string): StartRun {
  return async (document, workflowId, conversation) => {
    const run = client.workflow.getHandle(workflowId);
    const exists = await run.describe().then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
        throw error;
      },
    );
    if (exists) return { ok: true };
    const { ClientError } = await import('../client/index.ts');
    try {
      const options = conversation !== undefined && { options: { conversation } };
      return await plans.start(document as PlanDocument, { workflowId, ...given({ by }), ...options });
    } catch (error) {
      if (error instanceof ClientError && error.code === 'already-started') return { ok: true };
      throw error;
    }
  };
}
