/** What an edit or a revision has changed in the plan of a run. */

import type { PlanView } from '../../contract/index.ts';
import { decodePlan, diffPlans, renderDiff, type CompiledPlan, type PlanDiff } from '../../plan/index.ts';
import type { RunSession } from '../../project/index.ts';
import { toCliError } from '../cli-error.ts';

export interface PlanChange {
  readonly digest: string;
  readonly diff: PlanDiff;
  readonly text: string;
}

type Place = Pick<RunSession, 'run' | 'store'>;

/**
 * The plan that is open now against the one that was. A text says why it cannot be told: what was decided is decided all the same.
 * @returns undefined where the open plan is the same
 */
export async function planChange(place: Place, before: PlanView): Promise<PlanChange | string | undefined> {
  try {
    const after = await place.run.plan();
    if (after.digest === before.digest) return undefined;
    const [was, now] = [await readPlan(place, before.ref), await readPlan(place, after.ref)];
    const diff = diffPlans(was, now);
    return { digest: after.digest, diff, text: renderDiff(diff, was, now) };
  } catch (error) {
    return `what has changed is not known here: ${toCliError(error).message}`;
  }
}

async function readPlan({ store }: Place, ref: string): Promise<CompiledPlan> {
  const decoded = decodePlan(await store.get(ref));
  if (decoded.ok) return decoded.plan;
  throw new TypeError(`${ref} in ${store.place}: ${decoded.message}`);
}
