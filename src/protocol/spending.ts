/** What a run may spend: tokens, money and steps, and what happens at the end of its budget. */

import { describe, isRecord } from './payload.ts';
import { maybe, oneOf, typed, type Of } from './shape.ts';

export const USAGE = {
  calls: 'count',
  inputTokens: 'amount',
  cachedInputTokens: 'amount',
  outputTokens: 'amount',
  /** In the currency of the price table, otherwise from the server; absent if neither has it. */
  cost: 'amount?',
} as const;

/** The cost of model calls: tokens, calls, and money if the prices are known. */
export interface Usage extends Of<typeof USAGE> {}

export const ALLOWANCE = {
  /** Tokens that models read and write, whole and from 1. Tokens that a server reads from its cache count. */
  tokens: 'amount?',
  /** More than 0, in the currency of the project's `model.prices`, or of a server that reports its price. */
  money: 'amount?',
} as const;

/** The tokens and the money that one activity may spend; a call begins while something of each is left. */
export interface Allowance extends Of<typeof ALLOWANCE> {}

export const SPENDING = {
  ...ALLOWANCE,
  /**
   * The most tasks that begin, including those of agents and loops; a whole number from 1. Set operators do not count.
   */
  steps: 'amount?',
} as const;

/** Bounds of what is spent; a member that is absent has none. */
export interface Spending extends Of<typeof SPENDING> {}

export const BUDGET_ENDS = ['ask', 'partial', 'stop'] as const;

export const BUDGET = {
  ...SPENDING,
  /**
   * What a run does at the end of its budget. `ask`: it waits for a person, who grants the amount again or ends it.
   * `partial`: free work continues, and the run ends with the existing results. `stop`: it fails. Default `ask`.
   */
  onEnd: maybe(oneOf(BUDGET_ENDS)),
} as const;

/** The budget of a run, or of every run of a project. @example { tokens: 50_000, steps: 40, onEnd: 'stop' } */
export interface Budget extends Of<typeof BUDGET> {}

export const BUDGET_VIEW = {
  /** The original limit, plus the same for each time a person granted it again. */
  limit: typed<Spending>(SPENDING),
  spent: typed<Spending>(SPENDING),
  /** Reserved by work and agents under way; they return what they do not spend. */
  reserved: maybe(typed<Spending>(SPENDING)),
} as const;

/** A budget in the query `status`. */
export interface BudgetView extends Of<typeof BUDGET_VIEW> {}

const MEMBERS = {
  tokens: { isWhole: true, expected: 'a whole number of tokens from 1' },
  money: { isWhole: false, expected: 'a number above 0, in the currency of the prices' },
  steps: { isWhole: true, expected: 'a whole number of steps from 1' },
} as const;

/** The members of what may be spent. */
export const SPENT = Object.keys(MEMBERS) as readonly (keyof typeof MEMBERS)[];
/** Sums of more are not exact. */
const MOST_SPENT = 1e12;

/**
 * The problems of a budget as somebody has written it, each with its path.
 * @param path of the budget
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
    const isFit =
      typeof given === 'number' && given > 0 && given <= MOST_SPENT && (!isWhole || Number.isInteger(given));
    if (given !== undefined && !isFit) problems.push(`${path}.${member}: expected ${expected}, got ${describe(given)}`);
  }
  const { onEnd } = value;
  if (hasEnd && onEnd !== undefined && !BUDGET_ENDS.some((one) => one === onEnd))
    problems.push(`${path}.onEnd: expected ${BUDGET_ENDS.join(', ')}, got ${describe(onEnd)}`);
  if (problems.length === 0 && SPENT.every((member) => value[member] === undefined))
    problems.push(`${path}: expected at least one of ${SPENT.join(', ')}; without one nothing is bounded`);
  return problems;
}

/** Tokens of calls, including cached ones. */
export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}
