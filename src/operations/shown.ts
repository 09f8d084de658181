/** The plan that a run shows, with its nodes as they stand and the approval that is waited for. */

import type { RunSession } from '../edge/project/index.ts';
import { decodePlan, type CompiledPlan } from '../language/plan/index.ts';
import type { PlanView } from '../wire/contract/index.ts';
import { OperationError } from './operation-error.ts';
import { listOf, operation } from './operation.ts';

export const shown = operation({
  name: 'shown',
  does: 'Gives the plan that a run shows: its digest, its text, its nodes, and the approval that it waits for.',
  input: (z) => z.object({ workflowId: z.string() }),
  output: (z) =>
    z.looseObject({ workflowId: z.string(), digest: z.string(), text: z.string(), nodes: z.array(z.unknown()) }),
  async run(plans, { workflowId }) {
    const { run, store } = await plans.run(workflowId);
    const view = await run.plan();
    const plan = await readPlan(store, view).catch(() => undefined);
    const nodes = await listOf(run.nodes());
    const approval = (await listOf(run.questions())).find(({ kind }) => kind === 'approval');
    return { workflowId, ...view, nodes, ...(plan && { plan }), ...(approval && { approval }) };
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
