/** The meaning of approval rules, and their reading from the input of a run or the configuration of a project. */

import { describe, EFFECTS, isRecord, type ApprovalPolicy, type ApprovalRule } from '../../protocol/index.ts';
import type { Effect } from '../../plan/index.ts';
import { isWellFormed, quote } from '../../plan/text/index.ts';

/** The facts of a node that a rule looks at. */
export interface Claim {
  readonly effect: Effect;
  /** The name of its capability; absent for a set operator. */
  readonly name?: string;
  readonly cost?: number;
}

const RULE_KEYS = ['effect', 'capability', 'minCost', 'roles', 'count', 'person', 'notStarter'];
/** A rule costs a comparison per node and decision. */
const MAX_RULES = 100;
const MAX_COUNT = 100;
const MAX_NAME = 200;

/** `required` asks about every node, `effects` about every node above read. */
export function rulesOf(policy: ApprovalPolicy): readonly ApprovalRule[] {
  if (policy === 'required') return [{}];
  if (policy === 'effects') return [{ effect: 'idempotent' }];
  return policy.rules;
}

export function matches(rule: ApprovalRule, claim: Claim): boolean {
  if (rule.effect !== undefined && EFFECTS.indexOf(claim.effect) < EFFECTS.indexOf(rule.effect)) return false;
  if (rule.capability !== undefined && rule.capability !== claim.name) return false;
  return rule.minCost === undefined || (claim.cost ?? 0) >= rule.minCost;
}

/** Why nobody can meet these rules with these keys; undefined where somebody can. @param keys undefined where nothing is signed */
export function unmeetable(
  rules: readonly ApprovalRule[],
  keys: Readonly<Record<string, { readonly person?: boolean }>> | undefined,
): string | undefined {
  if (rules.some(({ person }) => person === true) && !Object.values(keys ?? {}).some(({ person }) => person === true))
    return "a rule counts persons alone (person: true), and no key under identity.keys is marked person: true; mark a person's key";
  if (rules.some(({ notStarter }) => notStarter === true) && keys === undefined)
    return 'a rule does not count the starter (notStarter: true), and only a signature proves who that is; add identity.keys';
  return undefined;
}

/** The sender of a message, as far as rules look at it. */
export interface Speaker {
  /** `personOf` the name. */
  readonly person: string;
  readonly role?: string;
  /** It was signed with a person's key. */
  readonly personKey?: true;
}

/** What keeps a word from counting: its role, the key that it was signed with, or that its sender started the run. */
export type Hindrance = 'role' | 'key' | 'starter';

/** Undefined where the word of this one counts for the rule. @param authors of the run; where they are not known anybody may be one */
export function hindranceTo(
  { roles, person, notStarter }: Pick<ApprovalRule, 'roles' | 'person' | 'notStarter'>,
  speaker: Speaker,
  authors: readonly string[] | undefined,
): Hindrance | undefined {
  if (roles !== undefined && (speaker.role === undefined || !roles.includes(speaker.role))) return 'role';
  if (person === true && speaker.personKey !== true) return 'key';
  return notStarter === true && authors?.includes(speaker.person) !== false ? 'starter' : undefined;
}

/** Reads a policy as a run's input gives it; a value that does not fit is told with its path below `path`. */
export function parsePolicy(value: unknown, path: string, problems: string[]): ApprovalPolicy | undefined {
  if (value === 'required' || value === 'effects') return value;
  if (isRecord(value) && Object.keys(value).length === 1 && Array.isArray(value['rules'])) {
    const rules = parseRules(value['rules'], `${path}.rules`, problems);
    return rules === undefined ? undefined : { rules };
  }
  problems.push(`${path}: expected "required", "effects" or { "rules": [...] }, got ${describe(value)}`);
  return undefined;
}

/** An empty list would ask nobody about anything, which must not be said by saying nothing. */
export function parseRules(
  values: readonly unknown[],
  path: string,
  problems: string[],
): readonly ApprovalRule[] | undefined {
  const before = problems.length;
  if (values.length === 0 || values.length > MAX_RULES) {
    problems.push(`${path}: expected 1 to ${MAX_RULES} rules, got ${values.length}; "effects" lets reads run unasked`);
  }
  values.slice(0, MAX_RULES).forEach((value, index) => {
    for (const problem of ruleProblems(value, `${path}[${index}]`)) problems.push(problem);
  });
  return problems.length === before ? (values as readonly ApprovalRule[]) : undefined;
}

function ruleProblems(value: unknown, path: string): string[] {
  if (!isRecord(value)) return [`${path}: expected { ${RULE_KEYS.join('?, ')}? }, got ${describe(value)}`];
  const { effect, capability, minCost, roles, count, person, notStarter } = value;
  const problems = Object.keys(value)
    .filter((key) => !RULE_KEYS.includes(key))
    .map((key) => `${path}: unknown key ${quote(key)}. Known are ${RULE_KEYS.join(', ')}.`);
  const expect = (key: string, fits: boolean, expected: string) => {
    if (value[key] !== undefined && !fits) {
      problems.push(`${path}.${key}: expected ${expected}, got ${describe(value[key])}`);
    }
  };
  expect('effect', EFFECTS.includes(effect as Effect), EFFECTS.map((one) => `"${one}"`).join(' or '));
  expect('capability', isName(capability), 'the name of a capability');
  expect('minCost', typeof minCost === 'number' && minCost >= 0, 'a number from 0');
  expect('roles', Array.isArray(roles) && roles.length > 0 && roles.every(isName), 'a list of roles, at least one');
  expect('count', isCount(count), `a whole number from 1 to ${MAX_COUNT}`);
  expect('person', person === true, 'true, or nothing');
  expect('notStarter', notStarter === true, 'true, or nothing');
  return problems;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_NAME && isWellFormed(value);
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_COUNT;
}
