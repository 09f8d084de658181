import { EFFECTS, type ApprovalPolicy, type ApprovalRule, type PlanShape } from '../../protocol/index.ts';
import type { Effect } from '../../plan/index.ts';
import { withoutHidden } from '../../plan/text/index.ts';

export interface NodeTraits {
  readonly effect: Effect;
  readonly name?: string;
  readonly cost?: number;
  /** Untrusted values reach the node. */
  readonly isReached?: boolean;
}

/** `required` asks for approval of every node, `effects` of every node with an effect. */
export function rulesOf(policy: ApprovalPolicy): readonly ApprovalRule[] {
  if (policy === 'required') return [{}];
  if (policy === 'effects') return [{ effect: 'idempotent' }];
  return policy.rules;
}

export function matches(rule: ApprovalRule, traits: NodeTraits): boolean {
  if (rule.effect !== undefined && EFFECTS.indexOf(traits.effect) < EFFECTS.indexOf(rule.effect)) return false;
  if (rule.capability !== undefined && rule.capability !== traits.name) return false;
  if (rule.untrusted === true && traits.isReached !== true) return false;
  if (rule.untrusted === true && traits.effect === 'read' && (rule.capability ?? rule.effect) === undefined)
    return false;
  if (rule.minTotalCost !== undefined && !((traits.cost ?? 0) > 0)) return false;
  return rule.minCost === undefined || (traits.cost ?? 0) >= rule.minCost;
}

/** Drops the rules whose `minTotalCost` these nodes do not reach. @param spent cost of the loop's earlier steps */
export function reachedRules(rules: readonly ApprovalRule[], plan: RatedPlan, spent = 0): readonly ApprovalRule[] {
  return rules.filter(({ minTotalCost, ...rule }) => {
    if (minTotalCost === undefined) return true;
    const costs = plan.executorOf.map((_, node) => {
      const traits = traitsIn(plan, node);
      return matches(rule, traits) ? (traits.cost ?? 0) : 0;
    });
    return costs.reduce((sum, cost) => sum + cost, spent) >= minTotalCost;
  });
}

export type RatedPlan = Pick<PlanShape, 'executors' | 'executorOf' | 'untrusted'>;

export function traitsIn({ executors, executorOf, untrusted }: RatedPlan, node: number): NodeTraits {
  // For a node that does not exist, the strictest effect counts.
  const executor = executors[executorOf[node] ?? -1] ?? { effect: 'at-most-once' as const };
  return untrusted?.[node] === undefined ? executor : { ...executor, isReached: true };
}

/** Why nobody could satisfy these rules; undefined if somebody could. @param keys undefined if messages are unsigned */
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

export interface RuleSender {
  /** The sender's name as `normalizeName` spells it. */
  readonly person: string;
  readonly role?: string;
  readonly personKey?: true;
}

/** Why a rule does not count a message: its sender has another role or key, or started the run. */
export type Ineligible = 'role' | 'key' | 'starter';

/** Why a rule does not count a sender; undefined if it does. @param authors undefined if any sender may be an author */
export function ineligibleFor(
  { roles, person, notStarter }: Pick<ApprovalRule, 'roles' | 'person' | 'notStarter'>,
  sender: RuleSender,
  authors: readonly string[] | undefined,
): Ineligible | undefined {
  if (roles !== undefined && (sender.role === undefined || !roles.includes(sender.role))) return 'role';
  if (person === true && sender.personKey !== true) return 'key';
  return notStarter === true && authors?.includes(sender.person) !== false ? 'starter' : undefined;
}

export function roleText(by: string, role: string | undefined): string {
  return `${by} spoke ${role === undefined ? 'in no role' : `as ${role}`}`;
}

export function ineligibleText(obstacle: Exclude<Ineligible, 'role'>, by: string): string {
  return obstacle === 'key'
    ? `the key that ${by} signed with is not marked as a person's in the project's config`
    : `${by} started this run, or put words into its plan`;
}

/** Returns one spelling for each name, so that hidden characters or another spelling cannot make one person two. */
export function normalizeName(by: string): string {
  // JavaScript counts the invisible U+FEFF as white space. It must not become a space, so it is removed here.
  const spaced = by.normalize('NFKC').replaceAll(/[^\S\ufeff]+/g, ' ');
  return withoutHidden(spaced).normalize('NFKC').replaceAll(/ +/g, ' ').trim().toLowerCase();
}
