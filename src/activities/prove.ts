/**
 * Verifies that an effect is approved. A worker with keys relies on neither run nor server: it verifies the signed
 * messages with its own project's keys and rules, against the plans that they name.
 */

import { setImmediate as giveBack } from 'node:timers/promises';
import { messageClaimedBy, verifyToken, type VerifiedToken } from '../protocol/identity/index.ts';
import {
  given,
  isWholeDigest,
  signatureOf,
  type ApprovalRule,
  type NodeRequest,
  type Owner,
  type ProjectPolicy,
  type PublicKeys,
  type PlanShape,
} from '../protocol/index.ts';
import type { Root } from '../protocol/executions.ts';
import { figuresBehind, grantClaimedBy } from '../protocol/identity/token/index.ts';
import {
  closureOf,
  ineligibleAt,
  isCovered,
  matches,
  parseControl,
  parseDecision,
  normalizeName,
  projectRules,
  reachedRules,
  type Consent,
  type RuleSender,
} from '../workflows/run/index.ts';
import { StoreError, type Store } from '../store/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { RunFailureError } from '../protocol/index.ts';
import { Blocked } from './begin-effect.ts';
import { proveGrant } from './grants/prove-grant.ts';
import type { Revision } from './revision.ts';
import type { WorkerPlanView } from './verify-plan.ts';

export interface EffectToProve {
  readonly binding: string;
  readonly claim: ReturnType<WorkerPlanView['claimOf']>;
  /** The plan of the node, since approval rules may add up the costs of its nodes. */
  readonly plan: Pick<PlanShape, 'executors' | 'executorOf'>;
  readonly workflowId: string;
  readonly namespace: string;
  readonly firstRunId: string;
  /** How often people made the node run again. As many signed messages must prove this. */
  readonly retry: number;
  readonly nodeId: string;
  /** Whether untrusted values reach the node by marks that its plan alone does not show. */
  readonly isMarked?: boolean | undefined;
  readonly view: WorkerPlanView;
  /** The cost and the state that this worker sees; null if the effect has begun, since then nobody compares them. */
  readonly figure: string | undefined | null;
  /** Costs and states that people saw, as the run reports them. They count only if a person signed their hash. */
  readonly figures: readonly string[];
}

export interface ProverOptions {
  readonly keys: PublicKeys;
  readonly rules: readonly ApprovalRule[] | undefined;
  readonly viewOf: (digest: string) => Promise<WorkerPlanView>;
  /** Finds the topmost run above the asking run. @throws Blocked if the server does not confirm it */
  readonly rootOf: () => Promise<Root>;
  /** Whether a signed start message belongs to this run. One start message can start only one run. */
  readonly begins: (token: string) => Promise<boolean>;
  /** Whether the effect has begun in another run with the same workflow id. Grants do not cover it then. */
  readonly hasBegunElsewhere: () => Promise<boolean>;
  /** The store with the uses of grants. */
  readonly store: Store;
}

/** The meaning of a signed message for the node: it approves or repeats the node, or does neither, with the reason. */
type TokenMeaning =
  | { readonly consent: Consent }
  | { readonly repeats: string; readonly by: RuleSender }
  | { readonly not: string };

export async function proveNode(
  { nodeId, retry = 0 }: NodeRequest,
  revision: Revision,
  place: Owner,
  { tokens, ...seen }: { readonly tokens: readonly string[] } & Pick<EffectToProve, 'figure' | 'figures'>,
  options: ProverOptions,
): Promise<void> {
  const view = await options.viewOf(revision.plan.digest);
  const { bindingOf, claimOf, gate } = view;
  // The worker follows the plan's edges itself. Marks from the store and from other plans are only in the run's revision.
  const own = claimOf(nodeId);
  const isMarked = revision.isReached(nodeId) && own.isReached !== true;
  const claim = { ...own, ...(isMarked && { isReached: true }) };
  const node = { nodeId, binding: bindingOf(nodeId) ?? '', claim, isMarked, plan: gate.plan, view };
  await prove({ ...place, ...node, ...seen, retry }, tokens, options);
}

/** Maximum number of signed messages in excess of what the project's rules need. A run may have rules of its own. */
const SPARE_TOKENS = 100;

/**
 * Returns if the effect is approved and verified messages prove the number of repetitions in the idempotency key.
 * @throws RunFailureError `NotApproved` with what is missing
 */
export async function prove(toProve: EffectToProve, tokens: readonly string[], options: ProverOptions): Promise<void> {
  const { claim, retry } = toProve;
  const rules = reachedRules(projectRules(options as Pick<ProjectPolicy, 'rules' | 'keys'>), toProve.plan);
  const asked = rules.reduce((sum, { count = 1 }) => sum + count, retry + SPARE_TOKENS);
  const authoring = new Set(tokens.filter(isAuthoring));
  const all = [...new Set(tokens)].filter((token) => !authoring.has(token));
  const consents: Consent[] = [];
  const repetitions = new Map<string, RuleSender>();
  const reasons = all.length > asked ? [`of ${all.length} messages the first ${asked} were looked at`] : [];
  const ungranted: string[] = [];
  const isAsked = rules.some((rule) => rule.notStarter === true && matches(rule, claim));
  const known = isAsked || all.some(isForStarters) ? await authorsBy([...authoring], toProve, options) : {};
  const { workflowId, namespace, firstRunId } = toProve;
  const granted = { ...toProve, run: { workflowId, namespace, firstRunId }, starter: known.starter };
  for (const token of all.slice(0, asked)) {
    // Each verification takes milliseconds, so the event loop gets a turn after it to send heartbeats.
    await giveBack();
    const isGrant = grantClaimedBy(token) !== undefined;
    const saying = isGrant ? await proveGrant(token, granted, options) : await meaningOf(token, toProve, options);
    if (isGrant && 'not' in saying) ungranted.push(signatureOf(token));
    if ('consent' in saying) consents.push(saying.consent);
    else if ('repeats' in saying) repetitions.set(saying.repeats, saying.by);
    else reasons.push(saying.not);
  }
  if (isAsked && known.not !== undefined) reasons.unshift(known.not);
  const executor = { ...claim, label: '' } as never;
  const plan = {
    inputs: [[]],
    executors: [executor],
    executorOf: [0],
    ...(claim.isReached && { untrusted: { 0: [] } }),
  };
  const gate = { plan, rules, deadlineMs: 0, ...given({ authors: known.authors }) };
  if (!isCovered(0, gate, consents)) {
    const failure = notApproved(consents.length, reasons, options.rules);
    // The grant ended or was withdrawn after the run had started the node, so the run must ask people.
    throw ungranted.length === 0 ? failure : new Blocked(failure.message, { ungranted });
  }
  const repeated = [...repetitions.values()].filter((by) => ineligibleAt(0, gate, by) === undefined).length;
  if (repeated === retry) return;
  throw new RunFailureError(
    'NotApproved',
    `it is to be repeated ${retry} times, and ${repeated} signed messages say so${reasonsText(reasons)}`,
  );
}

function isForStarters(token: string): boolean {
  return grantClaimedBy(token)?.starters !== undefined;
}

/** Whether a message can add text to a plan. Its sender is then an author of the plan. */
function isAuthoring(token: string): boolean {
  const message = messageClaimedBy(token);
  return (
    AUTHORING.includes(message?.['kind']) || message?.['question'] !== undefined || message?.['action'] === 'resolve'
  );
}

const AUTHORING: readonly unknown[] = ['start', 'edit', 'revise', 'reject'];

/** The authors of the plan; unknown if the start is not proved, since then anyone could have started the run. */
async function authorsBy(
  signed: readonly string[],
  { workflowId, namespace, firstRunId }: EffectToProve,
  { keys, rootOf, begins }: ProverOptions,
): Promise<{ readonly authors?: readonly string[]; readonly starter?: string; readonly not?: string }> {
  // The list of authors must be complete: otherwise a missing author could approve their own plan.
  if (signed.length > SPARE_TOKENS) return { not: `more than ${SPARE_TOKENS} signed messages say who its authors are` };
  const authors: string[] = [];
  let not = signed.length === 0 ? NO_START : undefined;
  let starter: string | undefined;
  let root: string | undefined;
  for (const token of signed) {
    await giveBack();
    const own = verifyToken(token, { keys, workflowId, namespace, firstRunId });
    if (!own.ok) root ??= (await rootOf()).workflowId;
    const verified =
      own.ok || root === workflowId || root === undefined
        ? own
        : verifyToken(token, { keys, workflowId: root, namespace, firstRunId });
    const isStart = messageClaimedBy(token)?.['kind'] === 'start';
    const isUsed = isStart && verified.ok && !(await begins(token));
    if (verified.ok) authors.push(normalizeName(verified.by));
    else if (isStart) not = `its start: ${verified.reason}`;
    if (isUsed) not = USED;
    if (isStart && verified.ok && !isUsed) starter ??= normalizeName(verified.by);
  }
  return starter === undefined ? { not: not ?? NO_START } : { authors, starter };
}

const USED = 'its start was shown for another run already, and begins one alone';
const NO_START = 'no signed message says who started it';

async function meaningOf(token: string, effect: EffectToProve, { keys, viewOf }: ProverOptions): Promise<TokenMeaning> {
  const { workflowId, namespace, firstRunId, binding } = effect;
  // The run has checked when the message arrived, so only the signature matters here.
  const verified = verifyToken(token, { keys, workflowId, namespace, firstRunId });
  if (!verified.ok) return { not: verified.reason };
  const payload = { ...verified.message, by: verified.by, ...(verified.role !== undefined && { role: verified.role }) };
  if ('action' in payload) {
    const read = parseControl(payload);
    const control = read.ok ? read.message : undefined;
    if (control?.action !== 'retry-node' || control.digest === undefined || !isWholeDigest(control.digest))
      return { not: 'a message repeats nothing' };
    const view = await viewIfThere(control.digest, viewOf);
    if ('not' in view) return view;
    const isIt = view.bindingOf(control.node ?? '') === binding;
    if (!isIt) return { not: 'a message repeats another node' };
    const { by, role, personKey } = verified;
    return { repeats: `${by} ${verified.id}`, by: { person: normalizeName(by), ...given({ role, personKey }) } };
  }
  return consentOf(payload, verified, effect, viewOf);
}

/** Loads a plan that a message names. If the plan is missing, the message proves nothing, but other messages may. */
async function viewIfThere(
  digest: string,
  viewOf: ProverOptions['viewOf'],
): Promise<WorkerPlanView | { readonly not: string }> {
  try {
    return await viewOf(digest);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'unreadable') throw error;
    return { not: `the plan ${digest.slice(0, 8)} that a message names is none here: ${messageOf(error)}` };
  }
}

async function consentOf(
  payload: object,
  { by, role, personKey }: Extract<VerifiedToken, { ok: true }>,
  { binding, figure, figures }: EffectToProve,
  viewOf: ProverOptions['viewOf'],
): Promise<TokenMeaning> {
  const parsed = parseDecision(payload);
  if (!parsed.ok) return { not: parsed.reason };
  const { kind, digest, nodes, shown } = parsed.message;
  if ((kind !== 'approve' && kind !== 'approve-part') || !isWholeDigest(digest))
    return { not: 'a message approves nothing' };
  const view = await viewIfThere(digest, viewOf);
  if ('not' in view) return view;
  const named = kind === 'approve' ? undefined : closureOf(view.indexesOf(nodes ?? []), view.gate);
  const places = view.placesOf(binding).filter((place) => named?.has(place) ?? true);
  if (places.length === 0) return { not: `the approval of ${digest.slice(0, 8)} is about other nodes` };
  const signed = figuresBehind(shown, figures);
  if (figure !== null && !places.some((place) => signed[place] === figure))
    return { not: `the approval of ${digest.slice(0, 8)} was not given for the cost and the state that it has now` };
  const consent: Consent = { by, person: normalizeName(by), at: '', nodes: 'all', ...given({ role, personKey }) };
  return { consent };
}

function notApproved(
  approvals: number,
  reasons: readonly string[],
  rules: readonly ApprovalRule[] = [],
): RunFailureError {
  const found =
    approvals === 0
      ? 'no signed message approves it'
      : `${approvals} signed messages approve it, and the rules of the project ask for more`;
  const message = `${found}, as far as this worker can verify${reasonsText(reasons)}`;
  return new RunFailureError('NotApproved', message, { facts: { rules } });
}

function reasonsText(reasons: readonly string[]): string {
  const some = [...new Set(reasons)].slice(0, MAX_REASONS);
  return some.length === 0 ? '' : ` (${some.join('; ')})`;
}

const MAX_REASONS = 3;
