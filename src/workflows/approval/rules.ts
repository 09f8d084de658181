/** Approval rules: their meaning, and their parsing from the input of a run or the configuration of a project. */

import { EFFECTS, type ApprovalPolicy, type ApprovalRule, type RunSlice } from '../../protocol/index.ts';
import type { Effect } from '../../plan/index.ts';
import { withoutHidden } from '../../plan/text/index.ts';

/** The facts of a node that rules use. */
export interface NodeTraits {
  readonly effect: Effect;
  /** The name of its capability; absent for a set operator. */
  readonly name?: string;
  readonly cost?: number;
}

/** `required` asks about every node, `effects` about every node above read. */
export function rulesOf(policy: ApprovalPolicy): readonly ApprovalRule[] {
  if (policy === 'required') return [{}];
  if (policy === 'effects') return [{ effect: 'idempotent' }];
  return policy.rules;
}

export function matches(rule: ApprovalRule, claim: NodeTraits): boolean {
  if (rule.effect !== undefined && EFFECTS.indexOf(claim.effect) < EFFECTS.indexOf(rule.effect)) return false;
  if (rule.capability !== undefined && rule.capability !== claim.name) return false;
  if (rule.minTotalCost !== undefined && !((claim.cost ?? 0) > 0)) return false;
  return rule.minCost === undefined || (claim.cost ?? 0) >= rule.minCost;
}

/**
 * The rules without those whose `minTotalCost` these nodes of a plan do not reach.
 * @param spent the cost of what ran before, in a loop
 */
export function reachedRules(
  rules: readonly ApprovalRule[],
  { executors, executorOf }: Pick<RunSlice, 'executors' | 'executorOf'>,
  spent = 0,
): readonly ApprovalRule[] {
  return rules.filter(({ minTotalCost, ...rule }) => {
    if (minTotalCost === undefined) return true;
    const costs = executors.map((claim) => (matches(rule, claim) ? (claim.cost ?? 0) : 0));
    return executorOf.reduce((sum, at) => sum + (costs[at] ?? 0), spent) >= minTotalCost;
  });
}

/**
 * Why nobody can satisfy these rules with these keys; undefined if somebody can. @param keys undefined if messages are
 * unsigned
 */
export function unsatisfiable(
  rules: readonly ApprovalRule[],
  keys: Readonly<Record<string, { readonly person?: boolean }>> | undefined,
): string | undefined {
  if (rules.some(({ person }) => person === true) && !Object.values(keys ?? {}).some(({ person }) => person === true))
    return "a rule counts persons alone (person: true), and no key under identity.keys is marked person: true; mark a person's key";
  if (rules.some(({ notStarter }) => notStarter === true) && keys === undefined)
    return 'a rule does not count the starter (notStarter: true), and only a signature proves who that is; add identity.keys';
  return undefined;
}

/** The facts of a sender that rules use. */
export interface RuleSender {
  /** `personOf` the name. */
  readonly person: string;
  readonly role?: string;
  /** It was signed with a person's key. */
  readonly personKey?: true;
}

/** Why a message does not count: its role, its key, or because its sender started the run. */
export type Ineligible = 'role' | 'key' | 'starter';

/**
 * Undefined if this sender's message counts for the rule. @param authors of the run; if they are unknown, anybody may
 * be one
 */
export function ineligibleFor(
  { roles, person, notStarter }: Pick<ApprovalRule, 'roles' | 'person' | 'notStarter'>,
  speaker: RuleSender,
  authors: readonly string[] | undefined,
): Ineligible | undefined {
  if (roles !== undefined && (speaker.role === undefined || !roles.includes(speaker.role))) return 'role';
  if (person === true && speaker.personKey !== true) return 'key';
  return notStarter === true && authors?.includes(speaker.person) !== false ? 'starter' : undefined;
}

export function roleText(by: string, role: string | undefined): string {
  return `${by} spoke ${role === undefined ? 'in no role' : `as ${role}`}`;
}

/** The text for a message that does not count although its role fits. */
export function ineligibleText(hindrance: Exclude<Ineligible, 'role'>, by: string): string {
  return hindrance === 'key'
    ? `the key that ${by} signed with is not marked as a person's in the project's config`
    : `${by} started this run, or put words into its plan`;
}

/** The name in one spelling, so that two spellings (or hidden characters) are not two people. */
export function personOf(by: string): string {
  // U+FEFF counts as white space but is invisible; without it the two parts join.
  const spaced = by.normalize('NFKC').replaceAll(/[^\S\ufeff]+/g, ' ');
  return withoutHidden(spaced).normalize('NFKC').replaceAll(/ +/g, ' ').trim().toLowerCase();
}
