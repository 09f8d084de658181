/** The end of a budget: a person is asked, or the run continues without what costs more, or stops. */

import type { Dialogue } from '../state.ts';
import { type NodeEnd, type RunFailure, SPENT, type Spending } from '../../../protocol/index.ts';
import { grouped } from '../../../plan/text/index.ts';
import { waitFrom } from '../dialogue.ts';
import type { WorkEnd } from '../work-end.ts';
import { closeRun, note } from '../run.ts';
import type { Run } from '../in-memory.ts';
import { accountOf, ownAccount, isUnderWay, sumsOf } from './account.ts';

/**
 * Work waits for money, and no work under way will return any.
 * @returns false, for a caller that asked whether work may begin
 */
export function runShort(run: Run, at: string): false {
  const { dialogue } = run;
  const known = ownAccount(run);
  if (known === undefined || known.account.over || known.account.asked !== undefined || dialogue.failure !== undefined)
    return false;
  const { account } = known;
  if (isUnderWay(run, account.ledger)) return false;
  if (budgetEndOf(dialogue) === 'ask') {
    account.asked = waitFrom(at, dialogue.options.answerDeadlineMs);
    note(run, at, 'held', `${reasonFor(run)}; it waits for a person`);
  } else endBudget(run, at);
  return false;
}

export function budgetEndOf({ options, project }: Dialogue): 'ask' | 'partial' | 'stop' {
  return options.budget?.onEnd ?? project.spending?.onEnd ?? 'ask';
}

/** Stops all purchases. */
export function endBudget(run: Run, at: string, end = budgetEndOf(run.dialogue)): void {
  const { dialogue } = run;
  const known = ownAccount(run);
  if (known === undefined || known.account.over) return;
  delete known.account.asked;
  known.account.over = true;
  run.isFreed = true;
  note(run, at, 'held', `${reasonFor(run)}; nothing more is bought`);
  if (end !== 'partial') dialogue.failure ??= failureFor(run);
  else if (dialogue.loop !== undefined) closeRun(run, 'partial', at, reasonFor(run));
}

/** A person grants the same amount again. */
export function giveAgain(run: Run, by: string, at: string): void {
  const known = ownAccount(run);
  if (known?.account.asked === undefined) return;
  delete known.account.asked;
  known.account.ledger.more += 1;
  delete known.account.ledger.unpriced;
  run.isFreed = true;
  note(run, at, 'control', `${by} gives the budget once more`);
}

export function failureFor(run: Run): RunFailure {
  return { type: 'BudgetSpent', message: reasonFor(run), details: [] };
}

/** The end of work for which nothing is left. */
export function spentInVain(run: Run): Extract<WorkEnd, { ok: false }> {
  return { ok: false, end: refusedBy(run), failure: failureFor(run) };
}

export function refusedBy(run: Run): NodeEnd {
  return { status: 'failed', type: 'BudgetSpent', message: reasonFor(run) };
}

/** @example 'the budget is spent: 50,210 of 50,000 tokens, 12 of 40 steps' */
export function reasonFor(run: Run): string {
  const known = accountOf(run);
  if (known === undefined) return '';
  const { ledger } = known.account;
  const isUnknown = ledger.unpriced && known.limit.money !== undefined;
  const price = isUnknown ? '; a call cost money that nobody can tell: give its model a price' : '';
  return `the budget is spent: ${spentText(sumsOf(run, ledger).spent, known.limit)}${price}`;
}

/** @example spentText({ tokens: 50_210, steps: 12 }, { tokens: 50_000, steps: 40 }); // '50,210 of 50,000 tokens, 12 of 40 steps' */
export function spentText(spent: Spending, limit: Spending): string {
  const parts = SPENT.filter((member) => limit[member] !== undefined).map(
    (member) => `${amount(spent[member] ?? 0)} of ${amount(limit[member] ?? 0)} ${member}`,
  );
  return parts.join(', ');
}

/** Money has up to four decimal places. */
function amount(value: number): string {
  return Number.isInteger(value) ? grouped(value) : value.toFixed(4).replace(/0+$/, '');
}
