/**
 * The ledger of a budget: what is spent and what is reserved. A task reserves an amount before it begins and settles it
 * at its end, so only running calls can exceed the limit.
 */

import { isEmpty } from '../records.ts';
import { grouped } from '../../../plan/text/index.ts';
import { SPENT, tokensOf, type Allowance, type Spending, type Usage } from '../../../protocol/index.ts';

export type Sums = Required<Spending>;

export interface Ledger {
  spent: Sums;
  /** Reserved amounts by task: `w7` for the running task 7, or a name for a deferred node. */
  readonly reserved: Record<string, Sums>;
  /** The sum of `reserved`, stored because a turn may read it a thousand times. */
  reservedSum: Sums;
  /** The usage of the most expensive call so far. The next call may need as much. */
  call: Sums;
  /** How often a person granted the budget again. */
  grants: number;
  /** True if the cost of a call is unknown, because its model has no price. */
  unpriced?: true;
  readonly usesModel: string[];
}

export const NONE: Sums = { tokens: 0, money: 0, steps: 0 };

export function openLedger(before: Usage): Ledger {
  const ledger: Ledger = { spent: NONE, reserved: {}, reservedSum: NONE, call: NONE, grants: 0, usesModel: [] };
  charge(ledger, before);
  return ledger;
}

export function stricterLimit(a: Spending = {}, b: Spending = {}): Spending {
  return each((member) => lower(a[member], b[member]));
}

export function multiply({ tokens, money, steps }: Spending, factor: number): Spending {
  const by = (one: number | undefined) => one && one * factor;
  return each((member) => by({ tokens, money, steps }[member]));
}

/** What is neither spent nor reserved; infinite if there is no limit. */
export function remainingIn({ spent, reservedSum, unpriced }: Ledger, limit: Spending): Sums {
  const left = { ...NONE };
  for (const member of SPENT)
    left[member] =
      limit[member] === undefined ? Infinity : Math.max(0, limit[member] - spent[member] - reservedSum[member]);
  return unpriced && limit.money !== undefined ? { ...left, money: 0 } : left;
}

function setReserved(ledger: Ledger, name: string, sums: Sums): void {
  const { reserved, reservedSum: sum } = ledger;
  const { tokens, money, steps } = reserved[name] ?? NONE;
  if (sums.tokens > 0 || sums.money > 0 || sums.steps > 0) reserved[name] = sums;
  else delete reserved[name];
  const rest = { tokens: sum.tokens - tokens, money: Math.max(0, sum.money - money), steps: sum.steps - steps };
  ledger.reservedSum = isEmpty(reserved) ? NONE : add(rest, sums);
}

export interface Demand {
  readonly calls: boolean;
  readonly steps: 0 | 1;
  /** For an agent, the index of its node. The agent's run calls models and starts steps. */
  readonly agent?: number;
}

/** A task reserves this fraction of the rest, or the price of a call if higher, so that other tasks get a share. */
const SHARE = 4;
const BOUGHT = ['tokens', 'money'] as const;

/**
 * The amount that can be reserved now; undefined if too little remains.
 * @param isAlone true if no running task can return money; then the price of a call must be known and available
 */
export function affordableShare(
  ledger: Ledger,
  limit: Spending,
  { calls, steps }: Demand,
  isAlone: boolean,
): Sums | undefined {
  const rest = remainingIn(ledger, limit);
  if (rest.steps < steps) return undefined;
  const bought = calls ? partOf(ledger, rest, isAlone) : NONE;
  return bought && { ...bought, steps: rest.steps === Infinity ? 0 : steps };
}

function partOf({ call }: Ledger, rest: Sums, isAlone: boolean): Sums | undefined {
  const part = { ...NONE };
  if (call.tokens === 0 && !isAlone) return undefined;
  for (const member of BOUGHT) {
    if (rest[member] <= 0 || (rest[member] < call[member] && !isAlone)) return undefined;
    if (rest[member] === Infinity) continue;
    const share = Math.min(rest[member], Math.max(call[member], rest[member] / SHARE));
    part[member] = member === 'money' ? share : Math.ceil(share);
  }
  return part;
}

export function reserve(ledger: Ledger, name: string, more: Sums): void {
  setReserved(ledger, name, add(ledger.reserved[name] ?? NONE, more));
}

/** Ends a task and counts its usage as spent. @param usage undefined if unknown: then all that it reserved */
export function settle(ledger: Ledger, name: string, usage: Usage | undefined, steps: number): void {
  const { tokens, money } = ledger.reserved[name] ?? NONE;
  setReserved(ledger, name, NONE);
  ledger.spent = add(ledger.spent, { ...NONE, steps });
  if (usage === undefined) ledger.spent = add(ledger.spent, { tokens, money, steps: 0 });
  else charge(ledger, usage);
}

export function settleSums(ledger: Ledger, name: string, sums: Sums): void {
  setReserved(ledger, name, NONE);
  ledger.spent = add(ledger.spent, sums);
}

export function reserveSpent(ledger: Ledger, name: string, usage: Usage): void {
  const { steps, ...had } = ledger.reserved[name] ?? NONE;
  const { tokens, money } = sumsOf(usage);
  recordCallPrice(ledger, usage);
  setReserved(ledger, name, { tokens: Math.max(had.tokens, tokens), money: Math.max(had.money, money), steps });
}

export function rename(ledger: Ledger, from: string, to: string): void {
  const sums = ledger.reserved[from];
  if (sums === undefined) return;
  setReserved(ledger, from, NONE);
  setReserved(ledger, to, { ...sums, steps: 0 });
}

/** The limits of a task: what it has reserved. It has no limit if the budget has none. */
export function allowanceOf({ reserved }: Ledger, name: string, limit: Spending): Allowance {
  const { tokens, money } = reserved[name] ?? NONE;
  return whereLimited({ tokens, money }, limit);
}

/** Drops amounts that the budget does not limit: tokens, money or steps. */
export function whereLimited(sums: Spending, limit: Spending): Spending {
  return each((member) => (limit[member] === undefined ? undefined : sums[member]));
}

function charge(ledger: Ledger, usage: Usage): void {
  if (usage.calls === 0) return;
  ledger.spent = add(ledger.spent, sumsOf(usage));
  recordCallPrice(ledger, usage);
}

function sumsOf(usage: Usage): Sums {
  return { tokens: tokensOf(usage), money: usage.cost ?? 0, steps: 0 };
}

/** If the budget limits money, a call of unknown cost uses it up until a person grants the budget again. */
function recordCallPrice(ledger: Ledger, usage: Usage): void {
  const { calls, cost } = usage;
  if (calls === 0) return;
  if (cost === undefined) ledger.unpriced = true;
  const { tokens, money } = sumsOf(usage);
  const { call } = ledger;
  ledger.call = {
    ...NONE,
    tokens: Math.max(call.tokens, Math.ceil(tokens / calls)),
    money: Math.max(call.money, money / calls),
  };
}

export function add(a: Sums, b: Sums): Sums {
  return { tokens: a.tokens + b.tokens, money: a.money + b.money, steps: a.steps + b.steps };
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function each(value: (member: keyof Spending) => number | undefined): Spending {
  const members = SPENT.map((member) => [member, value(member)] as const);
  return Object.fromEntries(members.filter(([, one]) => one !== undefined));
}

/**
 * Text for a budget.
 * @example spentText({ tokens: 50_210, steps: 12 }, { tokens: 50_000, steps: 40 }); // '50,210 of 50,000 tokens, 12 of
 * 40 steps'
 */
export function spentText(spent: Spending, limit: Spending): string {
  const parts = SPENT.filter((member) => limit[member] !== undefined).map(
    (member) => `${amount(spent[member] ?? 0)} of ${amount(limit[member] ?? 0)} ${member}`,
  );
  return parts.join(', ');
}

function amount(value: number): string {
  return Number.isInteger(value) ? grouped(value) : value.toFixed(4).replace(/0+$/, '');
}
