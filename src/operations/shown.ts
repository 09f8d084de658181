/** The plan that a run shows, with its nodes as they stand and the approval that is waited for; and the page that shows the run. */

import type { RunSession } from '../config/project/index.ts';
import { decodePlan, type CompiledPlan } from '../plan/index.ts';
import { given, type PlanView } from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import { flagField, operation } from './operation.ts';

export const shown = operation({
  does: 'Gives the plan that a run shows: its digest, its text, its nodes, and the approval that it waits for.',
  input: (z) =>
    z.object({
      workflowId: z.string(),
      whole: flagField(z, 'false: its text alone, which costs one question to the run'),
    }),
  async run(plans, { workflowId, whole }) {
    const { run, store } = await plans.run(workflowId);
    if (whole === false) return { workflowId, ...(await run.view(['plan'])).plan, nodes: [] };
    const { plan: shownPlan, nodes, open } = await run.view(['plan', 'nodes', 'open']);
    const plan = await readPlan(store, shownPlan).catch(() => undefined);
    const approval = open.find(({ kind }) => kind === 'approval');
    return { workflowId, ...shownPlan, nodes, ...given({ plan, approval }) };
  },
});

/** @throws OperationError STORE_FAULT, and StoreError where the store is another one than the worker's */
export async function readPlan(
  store: RunSession['store'],
  { ref, revision }: Pick<PlanView, 'ref' | 'revision'>,
): Promise<CompiledPlan> {
  const decoded = decodePlan(await store.get(ref));
  if (decoded.ok) return decoded.plan;
  throw new OperationError(
    'STORE_FAULT',
    `revision ${revision} of the plan, ${ref} in ${store.place}: ${decoded.message}`,
  );
}

/**
 * Exits 2 where there is no Web UI on this machine, and where there is no such run. JSON:
 * `{"ok":true,"workflowId","url"}`.
 */
export const page = operation({
  command: { words: 'open <workflow-id>', example: 'open plan-1', shows: { url: 'text' } },
  does: 'Gives the address of a run in the Temporal Web UI of a server on this machine.',
  input: (z) => z.object({ workflowId: z.string().describe('the run') }),
  async run(plans, { workflowId }) {
    const session = await plans.run(workflowId);
    // A run that is not there has no page to be looked for by hand.
    await session.run.view(['times']);
    const { runPageOf } = await import('./web-ui.ts');
    const url = await runPageOf(session, workflowId);
    if (url !== undefined) return { workflowId, url };
    const message =
      `no Web UI of the server at ${session.address} shows run ${workflowId} on this machine; ` +
      'open the page of your Temporal service, namespace and workflow id by hand';
    throw new OperationError('REFUSED', message);
  },
});
