/** Rules of approval, read from the input of a run or the configuration of a project. */

import type { Effect } from '../plan/index.ts';
import { quote } from '../plan/text/index.ts';
import { describe, isRecord } from './payload.ts';
import { EFFECTS, type ApprovalPolicy, type ApprovalRule } from './project.ts';

const RULE_KEYS = ['effect', 'capability', 'minCost', 'roles', 'count', 'person', 'notStarter'];
/**
 * A rule costs a comparison per node and decision.
 * @bound [approving] approval rules
 * @beyond `InvalidInput`
 */
export const MAX_RULES = 100;
/** People that a rule asks for. */
const MAX_COUNT = 100;
/** A role or a capability in a rule. */
const MAX_NAME = 200;

/** Parses the policy of a run's input; a problem names the path below `path`. */
export function parsePolicy(
  value: unknown,
  path: string,
  problems: string[],
  mostRules?: number,
): ApprovalPolicy | undefined {
  if (value === 'required' || value === 'effects') return value;
  if (isRecord(value) && Object.keys(value).length === 1 && Array.isArray(value['rules'])) {
    const rules = parseRules(value['rules'], `${path}.rules`, problems, mostRules);
    return rules === undefined ? undefined : { rules };
  }
  problems.push(`${path}: expected "required", "effects" or { "rules": [...] }, got ${describe(value)}`);
  return undefined;
}

/** An empty list would approve everything; write "effects" explicitly. */
export function parseRules(
  values: readonly unknown[],
  path: string,
  problems: string[],
  most = MAX_RULES,
): readonly ApprovalRule[] | undefined {
  const before = problems.length;
  if (values.length === 0 || values.length > most) {
    problems.push(`${path}: expected 1 to ${most} rules, got ${values.length}; "effects" lets reads run unasked`);
  }
  values.slice(0, most).forEach((value, index) => {
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
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_NAME && value.isWellFormed();
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_COUNT;
}
