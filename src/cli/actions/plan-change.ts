/** What an edit or a revision has changed in the plan of a run. */

import type { PlanView } from '../../wire/contract/index.ts';
import { diffPlans, renderDiff, type PlanDiff } from '../../language/plan/index.ts';
import type { RunSession } from '../../edge/project/index.ts';
import { toCliError } from '../cli-error.ts';
import { readPlan } from '../showing/index.ts';

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
    const [was, now] = [await readPlan(place.store, before), await readPlan(place.store, after)];
    const diff = diffPlans(was, now);
    return { digest: after.digest, diff, text: renderDiff(diff, was, now) };
  } catch (error) {
    return `what has changed is not known here: ${toCliError(error).message}`;
  }
}
