/** The page of a run in the Temporal Web UI. */

import { runPageOf } from '../edge/dev-server/index.ts';
import { OperationError } from './operation-error.ts';
import { operation } from './operation.ts';

export const page = operation({
  name: 'page',
  does: 'Gives the address of a run in the Temporal Web UI of a server on this machine.',
  input: (z) => z.object({ workflowId: z.string() }),
  output: (z) => z.looseObject({ workflowId: z.string(), url: z.string() }),
  async run(plans, { workflowId }) {
    const session = await plans.run(workflowId);
    // A run that is not there has no page to be looked for by hand.
    await session.run.times();
    const url = await runPageOf(session, workflowId);
    if (url !== undefined) return { workflowId, url };
    const message =
      `no Web UI of the server at ${session.address} shows run ${workflowId} on this machine; ` +
      'open the page of your Temporal service, namespace and workflow id by hand';
    throw new OperationError('REFUSED', message);
  },
});
