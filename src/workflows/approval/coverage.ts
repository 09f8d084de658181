import type { ApprovalSubject, Consent, NodeSet, Approval } from './state.ts';
import { given, type ApprovalRule, type MissingApproval, type PublicKeys, nodeId } from '../../protocol/index.ts';
import { isEmpty, numbered } from '../run/records.ts';
import {
  normalizeName,
  ineligibleFor,
  matches,
  traitsIn,
  type NodeTraits,
  type Ineligible,
  type RuleSender,
} from './rules.ts';

export function isCovered(node: number, subject: ApprovalSubject, consents: readonly Consent[]): boolean {
  return unmetBy(node, subject, consents).length === 0;
}

export function uncoveredOf(
  subject: ApprovalSubject,
  consents: readonly Consent[],
  nodes: readonly number[],
): readonly number[] {
  const groupOf = grouping(subject, consents);
  const coveredByGroup = new Map<string, boolean>();
  return nodes.filter((node) => {
    const group = groupOf(node);
    const covered = coveredByGroup.get(group) ?? isCovered(node, subject, consents);
    coveredByGroup.set(group, covered);
    return !covered;
  });
}

/** What an approval does: it `counts` for a rule, repeats an earlier one (`again`), or counts for no rule and why. */
export function effectOfConsent(
  consent: Consent,
  uncovered: readonly number[],
  subject: ApprovalSubject,
  consents: readonly Consent[],
): 'counts' | 'again' | Ineligible {
  let effect: 'again' | Ineligible = 'role';
  for (const node of distinct(uncovered, subject, [...consents, consent])) {
    if (!includes(consent.nodes, node)) continue;
    for (const rule of subject.rules) {
      if (!matches(rule, traitsOf(subject, node))) continue;
      const obstacle = ineligibleFor(rule, consent, subject.authors);
      // If the sender's role fits one of the rules, report the other obstacle.
      if (obstacle !== undefined) effect = effect === 'role' ? obstacle : effect;
      else if (peopleFor(rule, node, subject, consents).has(consent.person)) effect = 'again';
      else if (!isSatisfied(rule, node, subject, consents)) return 'counts';
    }
  }
  return effect;
}

/** The roles that must still approve one of these nodes. If the set contains `undefined`, anybody may approve. */
export function rolesNeeded(
  nodes: readonly number[],
  subject: ApprovalSubject,
  consents: readonly Consent[],
): ReadonlySet<string | undefined> {
  const roles = new Set<string | undefined>();
  for (const node of distinct(nodes, subject, consents)) {
    for (const rule of unmetBy(node, subject, consents)) for (const role of rule.roles ?? [undefined]) roles.add(role);
  }
  return roles;
}

/** The approvals that these nodes still need, each once, without approvals that another one implies. */
export function missingFor(
  nodes: readonly number[],
  subject: ApprovalSubject,
  consents: readonly Consent[],
): readonly MissingApproval[] {
  const kinds = new Map<string, MissingApproval>();
  for (const node of distinct(nodes, subject, consents)) {
    const missing = unmetBy(node, subject, consents).map((rule): MissingApproval => {
      const { count: of = 1, roles, person, notStarter } = rule;
      const count = of - peopleFor(rule, node, subject, consents).size;
      return { count, of, ...given({ roles, person, notStarter }) };
    });
    missing.forEach((one, at) => {
      if (!missing.some((other, index) => isImpliedBy(one, other, index < at))) kinds.set(JSON.stringify(one), one);
    });
  }
  return [...kinds.values()];
}

/** Like `missingFor`, but with the names of the people whom a rule counts, from the project's keys. */
export function missingIn(
  { subject, consents }: { readonly subject: ApprovalSubject | undefined; readonly consents: readonly Consent[] },
  nodes: readonly number[],
  keys: PublicKeys | undefined,
): readonly MissingApproval[] {
  if (subject === undefined) return [];
  const { authors } = subject;
  const approvers = consents
    .filter((one) => nodes.every((node) => includes(one.nodes, node)))
    .map(({ person }) => person);
  return missingFor(nodes, subject, consents).map((one) => {
    const { roles, person, notStarter } = one;
    if (keys === undefined || (person !== true && notStarter !== true)) return one;
    const able = Object.values(keys).filter((key) => {
      const named = key.roles ?? (key.subject === undefined ? roles : []);
      const isInRole = roles === undefined || roles.some((role) => named?.includes(role));
      return isInRole && (person !== true || key.person === true);
    });
    const counts = (name: string) =>
      !approvers.includes(normalizeName(name)) &&
      !(notStarter === true && authors?.includes(normalizeName(name)) !== false);
    const mayDecide = [...new Set(able.flatMap((key) => key.subject ?? []))].filter(counts);
    const isOpen = able.some((key) => key.subject === undefined);
    return {
      ...one,
      mayDecide,
      ...(isOpen && { anybody: true as const }),
      ...(notStarter === true && given({ authors })),
    };
  });
}

/** Whether a person who gives the missing approval `other` also gives `one`. */
function isImpliedBy(one: MissingApproval, other: MissingApproval, isBefore: boolean): boolean {
  if (one === other) return false;
  const isMet = (a: MissingApproval, b: MissingApproval) =>
    a.count <= b.count &&
    (a.roles === undefined || b.roles?.every((role) => a.roles?.includes(role)) === true) &&
    (a.person !== true || b.person === true) &&
    (a.notStarter !== true || b.notStarter === true);
  return isMet(one, other) && (isBefore || !isMet(other, one));
}

/** Merges a person's unsigned approvals in one role. Signed approvals stay separate, since each has its signature. */
export function addConsent(consents: readonly Consent[], added: Consent): readonly Consent[] {
  if (added.token !== undefined) return [...consents, added];
  const same = (one: Consent) => one.token === undefined && one.person === added.person && one.role === added.role;
  const earlier = consents.find(same);
  const before = earlier?.nodes ?? {};
  const nodes = before === 'all' || added.nodes === 'all' ? 'all' : { ...before, ...added.nodes };
  const reads = earlier?.reads === true ? { reads: true as const } : {};
  return [...consents.filter((one) => !same(one)), { ...added, nodes, ...reads }];
}

/**
 * The approvals that remain valid in a new revision. Unchanged nodes stay approved. A changed node needs approval again
 * if it has an effect or a rule names it by capability or cost; other changed reads only if the person approved no
 * whole plan. A grant covers no edited plan.
 * @param withReads false if changed reads need approval too
 */
export function moveConsents(
  consents: readonly Consent[],
  sameAs: readonly number[],
  withReads = true,
): readonly Consent[] {
  return consents.flatMap(({ reads: read, ...consent }) => {
    if (consent.isGrant === true) return [];
    const reads = withReads && (consent.nodes === 'all' || read === true);
    const nodes = setOf(
      [...sameAs.keys()].filter((node) => sameAs[node]! >= 0 && includes(consent.nodes, sameAs[node]!)),
    );
    return isEmpty(nodes) && !reads ? [] : [{ ...consent, nodes, ...(reads && { reads }) }];
  });
}

/** Why a sender in the right role may not settle or repeat the node: a wrong key, or the sender started the run. */
export function ineligibleAt(
  node: number,
  subject: ApprovalSubject,
  sender: RuleSender,
): Exclude<Ineligible, 'role'> | undefined {
  for (const { person, notStarter, ...rule } of subject.rules) {
    if (!matches(rule, traitsOf(subject, node))) continue;
    const obstacle = ineligibleFor(given({ person, notStarter }), sender, subject.authors);
    if (obstacle !== undefined && obstacle !== 'role') return obstacle;
  }
  return undefined;
}

/** The roles that approval rules name for this node; undefined if the rules name none. */
export function rolesFor(node: number, subject: ApprovalSubject): readonly string[] | undefined {
  const named = subject.rules.filter((rule) => rule.roles !== undefined && matches(rule, traitsOf(subject, node)));
  return named.length === 0 ? undefined : [...new Set(named.flatMap(({ roles = [] }) => roles))];
}

export function needsSeveral(node: number, subject: ApprovalSubject): boolean {
  return subject.rules.some((rule) => (rule.count ?? 1) > 1 && matches(rule, traitsOf(subject, node)));
}

/** Withdraws all approvals of these nodes. Whoever approved the whole plan is still not asked about plain reads. */
export function withdrawFrom(
  consents: readonly Consent[],
  nodes: readonly number[],
  subject: ApprovalSubject,
): readonly Consent[] {
  return consents.map((consent) => {
    const rest: Record<number, true> = {
      ...(consent.nodes === 'all' ? setOf(subject.plan.executorOf.keys()) : consent.nodes),
    };
    for (const node of nodes) delete rest[node];
    return { ...consent, nodes: rest, ...(consent.nodes === 'all' && { reads: true as const }) };
  });
}

/** The given nodes, and all nodes that they wait for, directly or indirectly. */
export function closureOf(nodes: readonly number[], { plan }: ApprovalSubject): ReadonlySet<number> {
  const closure = new Set(nodes);
  for (const node of closure) {
    for (const needed of [...(plan.inputs[node] ?? []), ...(plan.after?.[node] ?? [])]) closure.add(needed);
  }
  return closure;
}

export function includes(nodes: Consent['nodes'], node: number): boolean {
  return nodes === 'all' || nodes[node] === true;
}

export function setOf(nodes: Iterable<number>): NodeSet {
  return Object.fromEntries([...nodes].map((node) => [node, true]));
}

function traitsOf({ plan }: ApprovalSubject, node: number): NodeTraits {
  return traitsIn(plan, node);
}

function unmetBy(node: number, subject: ApprovalSubject, consents: readonly Consent[]): readonly ApprovalRule[] {
  const traits = traitsOf(subject, node);
  return subject.rules.filter((rule) => matches(rule, traits) && !isSatisfied(rule, node, subject, consents));
}

function isSatisfied(
  rule: ApprovalRule,
  node: number,
  subject: ApprovalSubject,
  consents: readonly Consent[],
): boolean {
  return peopleFor(rule, node, subject, consents).size >= (rule.count ?? 1);
}

function peopleFor(
  rule: ApprovalRule,
  node: number,
  subject: ApprovalSubject,
  consents: readonly Consent[],
): ReadonlySet<string> {
  const { capability, minCost, minTotalCost } = rule;
  const isPlainRead =
    (capability ?? minCost ?? minTotalCost) === undefined && traitsOf(subject, node).effect === 'read';
  const people = new Set<string>();
  for (const consent of consents) {
    const holds = includes(consent.nodes, node) || (isPlainRead && consent.reads === true);
    if (holds && ineligibleFor(rule, consent, subject.authors) === undefined) people.add(consent.person);
  }
  return people;
}

/** Gives the same key to nodes that need the same approvals. A plan has many nodes but few executors. */
function grouping({ plan }: ApprovalSubject, consents: readonly Consent[]): (node: number) => string {
  const apart = new Set<number>();
  for (const { nodes } of consents) if (nodes !== 'all') for (const [node] of numbered(nodes)) apart.add(node);
  return (node) =>
    apart.has(node)
      ? `node ${node}`
      : `executor ${plan.executorOf[node] ?? -1}${plan.untrusted?.[node] === undefined ? '' : ' untrusted'}`;
}

function distinct(nodes: readonly number[], subject: ApprovalSubject, consents: readonly Consent[]): Iterable<number> {
  if (nodes.length < 2) return nodes;
  const groupOf = grouping(subject, consents);
  const first = new Map<string, number>();
  for (const node of nodes) {
    const group = groupOf(node);
    if (!first.has(group)) first.set(group, node);
  }
  return first.values();
}

export type Permission = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface StartRequest {
  readonly digest: string;
  readonly node: number;
}

/** Whether a node may run. This depends only on people's decisions, never on computed state. */
export function mayRun({ digest, node }: StartRequest, approval: Approval): Permission {
  const { phase, subject, consents, rejected } = approval;
  if (subject === undefined || phase === 'drafting' || phase === 'closed') return refuse(`the run is ${phase}`);
  if (rejected) return refuse('the plan was rejected and waits for an edit');
  if (digest !== approval.digest) {
    return refuse(`the node belongs to plan ${digest.slice(0, 8)}, not to ${approval.digest.slice(0, 8)}`);
  }
  return isCovered(node, subject, consents)
    ? { ok: true }
    : refuse(`${nodeId(node)} of plan ${digest.slice(0, 8)} is not approved`);
}

function refuse(reason: string): Permission {
  return { ok: false, reason };
}
