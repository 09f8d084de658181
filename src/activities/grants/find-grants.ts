/** Finds the grants that cover the first plan of a run, and takes a use of each grant that the approval rules count. */

import { Context } from '@temporalio/activity';
import type { CapabilityRegistry } from '../../capabilities/builtin/index.ts';
import { oneLine } from '../../plan/text/index.ts';
import {
  compileRequestOf,
  given,
  nodeId,
  signatureOf,
  type CompileRequest,
  type Owner,
  type ProjectPolicy,
  type PublicKeys,
  type PlanShape,
} from '../../protocol/index.ts';
import { parsePlanInput } from '../../protocol/read-input.ts';
import { verifyToken, type GrantTerms, type GrantUse } from '../../protocol/identity/token/index.ts';
import type { Store } from '../../store/index.ts';
import {
  effectOfConsent,
  normalizeName,
  projectRules,
  reachedRules,
  rulesOf,
  setOf,
  uncoveredOf,
  type Consent,
} from '../../workflows/run/index.ts';
import { createShaper, frameOf, jsonOf, mismatchOf, type ShapedPlan } from './shape.ts';
import { DAMAGED_GRANT, hasUseOf, listGrants, readGrantToken, takeUse, type StoredGrant } from './stored-grants.ts';

/** The worker's project, and its store. */
export interface GrantSources {
  readonly keys: ProjectPolicy['keys'] | undefined;
  readonly rules: ProjectPolicy['rules'] | undefined;
  readonly registry: CapabilityRegistry;
  readonly store: Store;
  /** Whether the plan has untrusted values that whoever signed a grant of its shape has not seen. */
  readonly isMarked?: boolean;
}

/**
 * @bound [approving] grants that a run examines for one plan, the newest first @beyond the question says how many there
 * are
 */
const MAX_LOOKED_AT = 100;
const REASONS = 3;
export const UNSEEN_SOURCE = 'the plan has values from an untrusted result, which no grant shows';

type CompiledShape = Pick<PlanShape, 'inputs' | 'after' | 'executors' | 'executorOf' | 'begunElsewhere'>;

export async function findGrants(
  request: CompileRequest,
  { plan, planShape }: ShapedPlan & { readonly planShape: CompiledShape },
  run: Owner,
  { keys, rules, registry, store, isMarked }: GrantSources,
): Promise<Pick<PlanShape, 'grants' | 'ungranted'>> {
  if (keys === undefined) return {};
  const { approval = 'required', budget } = request;
  const starter = starterOf(request, run, keys);
  const subject = {
    plan: planShape,
    rules: reachedRules([...rulesOf(approval), ...projectRules(given({ rules, keys }))], planShape),
    deadlineMs: 0,
    ...(starter !== undefined && { authors: [starter] }),
  };
  const nodes = [...planShape.executorOf.keys()];
  if (uncoveredOf(subject, [], nodes).length === 0) return {};
  const stored = await listGrants(store, frameOf({ plan, planShape }));
  const granted = { ...run, digest: plan.digest };
  const open = stored.filter(({ isWithdrawn }) => !isWithdrawn);
  if (isMarked === true && open.length > 0) return { ungranted: [UNSEEN_SOURCE] };
  // Grants of which this run already has a use come first, since a compile may be repeated.
  open.sort((a, b) => Number(hasUseOf(b, granted)) - Number(hasUseOf(a, granted)));
  const reasons =
    open.length > MAX_LOOKED_AT ? [`of ${open.length} grants the newest ${MAX_LOOKED_AT} were looked at`] : [];
  const shaped = { plan, planShape };
  const options = given({ approval, budget });
  const shapeFor = createShaper(shaped, options);
  const grants: GrantUse[] = [];
  const consents: Consent[] = [];
  for (const grant of open.slice(0, MAX_LOOKED_AT)) {
    const uncovered = uncoveredOf(subject, consents, nodes);
    if (uncovered.length === 0) break;
    const not = await take(grant, uncovered);
    if (not !== undefined) reasons.push(`grant ${grant.id.slice(0, 8)}: ${oneLine(not)}`);
  }
  const isCovered = uncoveredOf(subject, consents, nodes).length === 0;
  return given({
    grants: grants.length > 0 ? grants : undefined,
    ungranted: isCovered || reasons.length === 0 ? undefined : reasons.slice(0, REASONS),
  });

  async function take(grant: StoredGrant, uncovered: readonly number[]): Promise<string | undefined> {
    const token = await readGrantToken(store, grant);
    if (token === undefined) return DAMAGED_GRANT;
    const verified = verifyToken(token, { keys: keys!, ...run, at: timeNow(), isGrant: true });
    if (!verified.ok) return verified.reason;
    const terms = verified.message as unknown as GrantTerms;
    const not = mismatchOf(terms, shaped, options, shapeFor) ?? starterProblem(terms, starter);
    if (not !== undefined) return not;
    const except = nodes.filter((node) => !isCoverable(node, terms));
    const covered = except.length === 0 ? 'all' : setOf(nodes.filter((node) => isCoverable(node, terms)));
    const { by, role, personKey } = verified;
    const consent: Consent = { by, person: normalizeName(by), at: '', nodes: covered, ...given({ role, personKey }) };
    const word = effectOfConsent(consent, uncovered, subject, consents);
    if (word !== 'counts') return `${NOT_COUNTED[word]}${except.length === 0 ? '' : `; ${exceptText(except)}`}`;
    const use = await takeUse(store, grant, terms.uses, granted);
    if (use === undefined) return `all of its ${terms.uses} uses are taken`;
    consents.push(consent);
    grants.push({ id: grant.id, token, use, ...(except.length > 0 && { except }) });
    return except.length === 0 ? undefined : exceptText(except);
  }

  function isCoverable(node: number, { anyState }: GrantTerms): boolean {
    if (planShape.begunElsewhere?.[node] !== undefined) return false;
    return anyState === true || !looksAtState(planShape, node, registry);
  }
}

export function looksAtState(
  { executors, executorOf }: ShapedPlan['planShape'],
  node: number,
  registry: CapabilityRegistry,
) {
  const { kind, name = '', effect } = executors[executorOf[node] ?? -1] ?? {};
  return effect !== 'read' && kind !== 'agent' && registry.capability(name)?.look !== undefined;
}

/** Why a grant does not cover runs of this starter; undefined if the grant covers them. */
export function starterProblem(
  { anybody, starters = [] }: GrantTerms,
  starter: string | undefined,
): string | undefined {
  if (anybody === true || (starter !== undefined && starters.map(normalizeName).includes(starter))) return undefined;
  const who = starter === undefined ? 'nobody signed the start of this run' : `${starter} started this run`;
  return `${who}, and it covers runs of ${starters.join(', ')}`;
}

/** The later time of two clocks, so that a slow clock does not extend a grant. */
export function timeNow(): string {
  const { currentAttemptScheduledTimestampMs } = Context.current().info;
  return new Date(Math.max(Date.now(), currentAttemptScheduledTimestampMs ?? 0)).toISOString();
}

const NOT_COUNTED = {
  again: 'the same person has approved it already',
  role: 'no rule counts its role',
  key: "it is not signed with a person's key",
  starter: 'it is signed by the person who started this run',
} as const;

function exceptText(except: readonly number[]): string {
  return `it does not cover ${except.slice(0, REASONS).map(nodeId).join(', ')}, which shows its state or has begun before`;
}

/**
 * The person who signed the run's start, if everything that this compile uses from the input is signed. The caller has
 * checked that the start message belongs to this run.
 */
function starterOf(request: CompileRequest, run: Owner, keys: PublicKeys): string | undefined {
  const { firstRunId: _firstRunId, start, startToken: token, ...sent } = request;
  if (token === undefined || start === undefined || signatureOf(token) !== start) return undefined;
  const verified = verifyToken(token, { keys, ...run });
  const signed = parsePlanInput({ token });
  if (!verified.ok || !signed.ok || 'goal' in signed.source) return undefined;
  return jsonOf(sent) === jsonOf(compileRequestOf(signed.source, signed.options))
    ? normalizeName(verified.by)
    : undefined;
}
