/** The nodes that may run under the rules, by the people who approved so far. */

import type { ApprovalRule, RunSlice } from '../../../wire/contract/index.ts';
import { matches, type Claim } from './rules.ts';

/** The subject of a decision: the plan as the rules see it. */
export interface Gate {
  readonly plan: Pick<RunSlice, 'inputs' | 'after' | 'executors' | 'executorOf'>;
  /** The rules, all of which hold; a node that none matches needs nobody. */
  readonly rules: readonly ApprovalRule[];
  /** How long the open revision waits for a decision. */
  readonly deadlineMs: number;
}

/** The approval of one person in one role. */
export interface Consent {
  readonly by: string;
  /** `personOf(by)`. */
  readonly person: string;
  readonly role?: string;
  /** ISO 8601; of the latest decision. */
  readonly at: string;
  readonly nodes: 'all' | ReadonlySet<number>;
  /** The signed message that says so. */
  readonly token?: string;
  /** They approved a whole plan of this run, so a read that an edit brings asks them no more. */
  readonly reads?: true;
}

/** Whether enough of the right people approved this very node. */
export function isCovered(node: number, gate: Gate, consents: readonly Consent[]): boolean {
  return gate.rules.every((rule) => !matches(rule, claimOf(gate, node)) || isSatisfied(rule, node, gate, consents));
}

/** The nodes among these that still need somebody's approval, in order. */
export function uncoveredOf(gate: Gate, consents: readonly Consent[], nodes: readonly number[]): readonly number[] {
  const groupOf = grouping(gate, consents);
  const known = new Map<string, boolean>();
  return nodes.filter((node) => {
    const group = groupOf(node);
    const covered = known.get(group) ?? isCovered(node, gate, consents);
    known.set(group, covered);
    return !covered;
  });
}

/** The value of this consent: it counts for a rule, it repeats an earlier one, or no rule asks for its role. */
export function weigh(
  consent: Consent,
  uncovered: readonly number[],
  gate: Gate,
  consents: readonly Consent[],
): 'counts' | 'again' | 'wrong-role' {
  let again = false;
  for (const node of distinct(uncovered, gate, [...consents, consent])) {
    if (!includes(consent.nodes, node)) continue;
    for (const rule of gate.rules) {
      if (!matches(rule, claimOf(gate, node)) || !isOfRole(rule, consent)) continue;
      if (peopleFor(rule, node, gate, consents).has(consent.person)) again = true;
      else if (!isSatisfied(rule, node, gate, consents)) return 'counts';
    }
  }
  return again ? 'again' : 'wrong-role';
}

/** The roles that could still cover one of these nodes; `undefined` stands for anybody. */
export function rolesNeeded(
  nodes: readonly number[],
  gate: Gate,
  consents: readonly Consent[],
): ReadonlySet<string | undefined> {
  const roles = new Set<string | undefined>();
  for (const node of distinct(nodes, gate, consents)) {
    for (const rule of gate.rules) {
      if (!matches(rule, claimOf(gate, node)) || isSatisfied(rule, node, gate, consents)) continue;
      for (const role of rule.roles ?? [undefined]) roles.add(role);
    }
  }
  return roles;
}

/** A person who approves twice in the same role gives one consent. Signed consents stay apart, each with its proof. */
export function addConsent(consents: readonly Consent[], added: Consent): readonly Consent[] {
  if (added.token !== undefined) return [...consents, added];
  const same = (one: Consent) => one.token === undefined && one.person === added.person && one.role === added.role;
  const earlier = consents.find(same);
  const before = earlier?.nodes ?? new Set<number>();
  const nodes = before === 'all' || added.nodes === 'all' ? 'all' : new Set([...before, ...added.nodes]);
  const reads = earlier?.reads === true ? { reads: true as const } : {};
  return [...consents.filter((one) => !same(one)), { ...added, nodes, ...reads }];
}

/**
 * The consents as they hold for a new revision: an unchanged node stays approved. A person who approved the whole plan
 * approved its kind of reading; only changed nodes above read ask again, and nodes that a rule names by capability or
 * cost.
 * @param withReads false where changed reads ask as well
 */
export function carryOver(
  consents: readonly Consent[],
  sameAs: readonly number[],
  withReads = true,
): readonly Consent[] {
  return consents.flatMap(({ reads: read, ...consent }) => {
    const reads = withReads && (consent.nodes === 'all' || read === true);
    const nodes = new Set<number>();
    sameAs.forEach((before, node) => {
      if (before >= 0 && includes(consent.nodes, before)) nodes.add(node);
    });
    return nodes.size === 0 && !reads ? [] : [{ ...consent, nodes, ...(reads && { reads }) }];
  });
}

/** The roles that the rules name for this node; undefined where they name none. */
export function rolesFor(node: number, gate: Gate): readonly string[] | undefined {
  const named = gate.rules.filter((rule) => rule.roles !== undefined && matches(rule, claimOf(gate, node)));
  return named.length === 0 ? undefined : [...new Set(named.flatMap(({ roles = [] }) => roles))];
}

/** Whether the rules want more than one person for this node. */
export function needsSeveral(node: number, gate: Gate): boolean {
  return gate.rules.some((rule) => (rule.count ?? 1) > 1 && matches(rule, claimOf(gate, node)));
}

/** The consents without this node. A person who approved the whole plan is still asked about no plain read. */
export function forget(consents: readonly Consent[], node: number, gate: Gate): readonly Consent[] {
  return consents.map((consent) => {
    const nodes = new Set(consent.nodes === 'all' ? gate.plan.executorOf.keys() : consent.nodes);
    nodes.delete(node);
    return { ...consent, nodes, ...(consent.nodes === 'all' && { reads: true as const }) };
  });
}

/** These nodes with everything they wait for. */
export function closureOf(nodes: readonly number[], { plan }: Gate): ReadonlySet<number> {
  const closure = new Set(nodes);
  // A set that grows while it is walked is walked to its end.
  for (const node of closure) {
    for (const needed of [...(plan.inputs[node] ?? []), ...(plan.after?.[node] ?? [])]) closure.add(needed);
  }
  return closure;
}

export function includes(nodes: Consent['nodes'], node: number): boolean {
  return nodes === 'all' || nodes.has(node);
}

function claimOf({ plan }: Gate, node: number): Claim {
  // A node that is not there is asked about as the highest effect.
  return plan.executors[plan.executorOf[node] ?? -1] ?? { effect: 'at-most-once' };
}

function isSatisfied(rule: ApprovalRule, node: number, gate: Gate, consents: readonly Consent[]): boolean {
  return peopleFor(rule, node, gate, consents).size >= (rule.count ?? 1);
}

function peopleFor(rule: ApprovalRule, node: number, gate: Gate, consents: readonly Consent[]): ReadonlySet<string> {
  const isPlainRead =
    rule.capability === undefined && rule.minCost === undefined && claimOf(gate, node).effect === 'read';
  const people = new Set<string>();
  for (const consent of consents) {
    const holds = includes(consent.nodes, node) || (isPlainRead && consent.reads === true);
    if (holds && isOfRole(rule, consent)) people.add(consent.person);
  }
  return people;
}

/** Nodes of one executor about which nobody spoke apart are answered alike; a plan has few executors and many nodes. */
function grouping({ plan }: Gate, consents: readonly Consent[]): (node: number) => string {
  const apart = new Set<number>();
  for (const { nodes } of consents) if (nodes !== 'all') for (const node of nodes) apart.add(node);
  return (node) => (apart.has(node) ? `node ${node}` : `executor ${plan.executorOf[node] ?? -1}`);
}

/** One node of each group. */
function distinct(nodes: readonly number[], gate: Gate, consents: readonly Consent[]): Iterable<number> {
  const groupOf = grouping(gate, consents);
  const first = new Map<string, number>();
  for (const node of nodes) {
    const group = groupOf(node);
    if (!first.has(group)) first.set(group, node);
  }
  return first.values();
}

function isOfRole({ roles }: ApprovalRule, { role }: Consent): boolean {
  return roles === undefined || (role !== undefined && roles.includes(role));
}
