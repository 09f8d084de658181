/** The plan of a run, as the result store has it. */

import type { NodeView, PlanView } from '../../wire/contract/index.ts';
import { decodePlan, type CompiledPlan } from '../../language/plan/index.ts';
import type { RunSession } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { visible } from '../../language/text/index.ts';
import { CliError } from '../cli-error.ts';
import { planText } from './plan-lines.ts';

/** @throws CliError STORE_FAULT, and StoreError where the store is another one than the worker's */
export async function readPlan(
  store: RunSession['store'],
  { ref, revision }: Pick<PlanView, 'ref' | 'revision'>,
): Promise<CompiledPlan> {
  const decoded = decodePlan(await store.get(ref));
  if (decoded.ok) return decoded.plan;
  throw new CliError('STORE_FAULT', `revision ${revision} of the plan, ${ref} in ${store.place}: ${decoded.message}`);
}

/**
 * The open plan of a run with the effects that its worker gave each node; the text that the run itself has of it where its
 * plan is not in the store of this program.
 */
export async function openPlanText(
  store: RunSession['store'],
  view: PlanView,
  nodes: readonly NodeView[],
  output: Output,
): Promise<string> {
  const plan = await readPlan(store, view).catch(() => undefined);
  const reuse = view.reuse === undefined ? '' : `\n${visible(view.reuse)}`;
  if (plan === undefined) return `${view.text.trimEnd()}\n\ndigest ${view.digest}${reuse}`;
  return `${planText(plan, { nodes }, output)}${reuse}`;
}
