import type { RunSession } from '../config/project/index.ts';
import { decodePlan, type CompiledPlan } from '../plan/index.ts';
import { given, type PlanView } from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import { flagField, operation } from './operation.ts';

export const openPlanRow = operation({
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
    const plan = await readOpenPlan(store, shownPlan).catch(() => undefined);
    const approval = open.find(({ kind }) => kind === 'approval');
    return { workflowId, ...shownPlan, nodes, ...given({ plan, approval }) };
  },
});

export async function readOpenPlan(
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
