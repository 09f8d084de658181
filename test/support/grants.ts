/** Standing grants for tests: signed, and stored where runs look for them. */

import { frameOf, shapeOf } from '../../src/activities/grants/shape.ts';
import { storeGrant } from '../../src/activities/grants/stored-grants.ts';
import { graphOfPlan } from '../../src/activities/plan-shape.ts';
import type { CapabilityRegistry } from '../../src/capabilities/builtin/index.ts';
import { signGrant } from '../../src/protocol/identity/sign-message.ts';
import type { GrantTerms } from '../../src/protocol/identity/token/index.ts';
import type { Store } from '../../src/store/index.ts';
import { compiledPlan } from './plans.ts';

export interface Giving {
  /** The private key, and its name. */
  readonly key: string;
  readonly kid: string;
  readonly by?: string;
  readonly role?: string;
  readonly namespace?: string;
  /** Default: a day from now, in seconds since 1970. */
  readonly until?: number;
  /** Default: anybody may start two runs under `required`, and nothing varies. */
  readonly terms?: Partial<GrantTerms>;
}

export const DAY_SECONDS = 86_400;

export function shapedPlan(document: object, registry: CapabilityRegistry) {
  const { plan, executors = {} } = compiledPlan(document, { catalogue: registry });
  return { plan, planShape: graphOfPlan(plan, executors, registry) };
}

export async function giveGrant(
  { registry, store }: { readonly registry: CapabilityRegistry; readonly store: Store },
  document: object,
  { by, kid, until = Math.floor(Date.now() / 1000) + DAY_SECONDS, terms = {}, ...signing }: Giving,
) {
  const shaped = shapedPlan(document, registry);
  const { vary = {}, approval = 'required', budget, starters } = terms;
  const options = { approval, ...(budget !== undefined && { budget }) };
  const all = {
    ...{ shape: shapeOf(shaped, Object.keys(vary), options), goal: shaped.plan.goal, vary, effects: {}, uses: 2 },
    ...(starters === undefined && { anybody: true as const }),
    ...{ ...options, ...terms },
  };
  const token = await signGrant({ ...signing, kid, by: by ?? kid, until, terms: all });
  return { token, id: await storeGrant(store, frameOf(shaped), token), frame: frameOf(shaped) };
}
