/** Checks whether a grant lets an effect begin. The worker relies neither on the run nor on the server. */

import type { Owner, PublicKeys } from '../../protocol/index.ts';
import { given } from '../../protocol/index.ts';
import { verifyToken, type GrantTerms } from '../../protocol/identity/token/index.ts';
import type { Store } from '../../store/index.ts';
import { normalizeName, type Consent } from '../../workflows/run/index.ts';
import type { WorkerPlanView } from '../verify-plan.ts';
import { starterProblem, timeNow, UNSEEN_SOURCE } from './find-grants.ts';
import { frameOf, mismatchOf } from './shape.ts';
import { findUse, grantId, isWithdrawn } from './stored-grants.ts';

/** A node whose effect a grant should cover, as this worker resolves the plan. */
export interface GrantedNode {
  readonly nodeId: string;
  /** Whether untrusted values reach the node by marks that its plan alone does not show. */
  readonly isMarked?: boolean | undefined;
  readonly view: WorkerPlanView;
  readonly run: Owner;
  readonly starter: string | undefined;
}

interface GrantProof {
  readonly keys: PublicKeys;
  readonly store: Store;
  readonly hasBegunElsewhere: () => Promise<boolean>;
}

export async function proveGrant(
  token: string,
  { nodeId, view, run, starter, isMarked }: GrantedNode,
  { keys, store, hasBegunElsewhere }: GrantProof,
): Promise<{ readonly consent: Consent } | { readonly not: string }> {
  const id = grantId(token);
  const not = (reason: string) => ({ not: `grant ${id.slice(0, 8)}: ${reason}` });
  const verified = verifyToken(token, { keys, ...run, at: timeNow(), isGrant: true });
  if (!verified.ok) return not(verified.reason);
  const terms = verified.message as unknown as GrantTerms;
  if (isMarked === true) return not(UNSEEN_SOURCE);
  if (terms.anyState !== true && view.looksAt(nodeId)) return not(`it does not cover the state that ${nodeId} changes`);
  const { frame, mismatch } = comparedWith(token, terms, view);
  const problem = mismatch ?? starterProblem(terms, starter);
  if (problem !== undefined) return not(problem);
  if (await isWithdrawn(store, frame, id)) return not('it was withdrawn');
  if (await hasBegunElsewhere()) return not(`it does not cover ${nodeId}, which has begun in another run of this id`);
  const use = await findUse(store, { frame, id }, terms.uses, { ...run, digest: view.plan.digest });
  if (use === undefined) return not('this run has taken none of its uses for this plan');
  const { by, role, personKey } = verified;
  return { consent: { by, person: normalizeName(by), at: '', nodes: 'all', ...given({ role, personKey }) } };
}

interface Compared {
  readonly frame: string;
  readonly mismatch: string | undefined;
}

/** Caches comparisons by plan and token, so that a plan with many effects is compared once. */
const compared = new WeakMap<WorkerPlanView, Map<string, Compared>>();

/** Compares a grant with the plan, but not with the run's options, which were compared at the compile. */
function comparedWith(token: string, terms: GrantTerms, view: WorkerPlanView): Compared {
  const known = compared.get(view) ?? new Map<string, Compared>();
  compared.set(view, known);
  const shaped = { plan: view.plan, planShape: view.gate.plan };
  const options = given({ approval: terms.approval, budget: terms.budget });
  const found = known.get(token) ?? { frame: frameOf(shaped), mismatch: mismatchOf(terms, shaped, options) };
  known.set(token, found);
  return found;
}
