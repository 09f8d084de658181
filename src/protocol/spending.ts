/** The spending limits of a run (tokens, money, steps), and what happens when the budget is used. */

import { describe, isRecord } from './payload.ts';
import { maybe, oneOf, typed, type Of } from './shape.ts';

export const USAGE = {
  calls: 'count',
  inputTokens: 'amount',
  cachedInputTokens: 'amount',
  outputTokens: 'amount',
  /** The cost by the project's prices or, without prices, as the model's server reports it; absent if unknown. */
  cost: 'amount?',
} as const;

/** The use of models: calls, tokens, and money if the prices are known. */
export interface Usage extends Of<typeof USAGE> {}

export const ALLOWANCE = {
  /** Tokens that models read and write: a whole number from 1. Tokens from the server's cache count. */
  tokens: 'amount?',
  /** An amount above 0, in the currency of the project's `model.prices` or of the server's prices. */
  money: 'amount?',
} as const;

/** How much one activity may spend. A model call may begin while something remains of each limited amount. */
export interface Allowance extends Of<typeof ALLOWANCE> {}

export const SPENDING = {
  ...ALLOWANCE,
  /** Maximum number of tasks that start, including those of agents and loops. Set operators do not count. */
  steps: 'amount?',
} as const;

/** Limits for spending. An absent member has no limit. */
export interface Spending extends Of<typeof SPENDING> {}

export const BUDGET_ENDS = ['ask', 'partial', 'stop'] as const;

export const BUDGET = {
  ...SPENDING,
  /**
   * What a run does when the budget is spent. `ask`: waits until a person grants the same amount again. `partial`: ends
   * with the existing results. `stop`: fails. Default `ask`.
   */
  onEnd: maybe(oneOf(BUDGET_ENDS)),
} as const;

/** The budget of a run, or of every run of a project. @example { tokens: 50_000, steps: 40, onEnd: 'stop' } */
export interface Budget extends Of<typeof BUDGET> {}

export const BUDGET_VIEW = {
  /** The current limit: the budget, plus the same amount for each time that a person granted the budget again. */
  limit: typed<Spending>(SPENDING),
  spent: typed<Spending>(SPENDING),
  /** Reserved for running tasks and agents, which return what they do not spend. */
  reserved: maybe(typed<Spending>(SPENDING)),
} as const;

export interface BudgetView extends Of<typeof BUDGET_VIEW> {}

const MEMBERS = {
  tokens: { isWhole: true, expected: 'a whole number of tokens from 1' },
  money: { isWhole: false, expected: 'a number above 0, in the currency of the prices' },
  steps: { isWhole: true, expected: 'a whole number of steps from 1' },
} as const;

export const SPENT = Object.keys(MEMBERS) as readonly (keyof typeof MEMBERS)[];
/** Maximum value of each member of a budget. Sums of larger numbers would be inexact. */
const MAX_SPENT = 1e12;

/**
 * Finds the problems of a budget, each with its path. @param path the path of the budget
 * @example budgetProblems({ tokens: 0 }, '$.options.budget'); // ['$.options.budget.tokens: expected a whole number ...']
 */
export function budgetProblems(value: unknown, path: string, hasEnd = true): readonly string[] {
  const known = [...SPENT, ...(hasEnd ? ['onEnd'] : [])];
  if (!isRecord(value)) return [`${path}: expected { ${known.join('?, ')}? }, got ${describe(value)}`];
  const problems: string[] = [];
  for (const key of Object.keys(value))
    if (!known.includes(key)) problems.push(`${path}.${key}: there is no such bound; known are ${known.join(', ')}`);
  for (const member of SPENT) {
    const { isWhole, expected } = MEMBERS[member];
    const given = value[member];
    const isFit = typeof given === 'number' && given > 0 && given <= MAX_SPENT && (!isWhole || Number.isInteger(given));
    if (given !== undefined && !isFit) problems.push(`${path}.${member}: expected ${expected}, got ${describe(given)}`);
  }
  const { onEnd } = value;
  if (hasEnd && onEnd !== undefined && !BUDGET_ENDS.some((one) => one === onEnd))
    problems.push(`${path}.onEnd: expected ${BUDGET_ENDS.join(', ')}, got ${describe(onEnd)}`);
  if (problems.length === 0 && SPENT.every((member) => value[member] === undefined))
    problems.push(`${path}: expected at least one of ${SPENT.join(', ')}; without one nothing is bounded`);
  return problems;
}

export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}
