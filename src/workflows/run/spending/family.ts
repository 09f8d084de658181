/** The budget between a run and the runs of its agents: what a child has spent and needs, and what its parent lends it. */

import { isRecord, problemOf, SPENDING, SPENT, type FamilyMessage } from '../../../protocol/index.ts';
import type { FamilyNews } from '../family.ts';
import { note, type Run } from '../run.ts';
import { add, learnCall, moreOf, NONE, reserve } from './ledger.ts';
import { failureFor, reasonFor, runShort } from './end.ts';
import { isUnderWay, ownPurse } from './purse.ts';
import { lentTo } from './spend.ts';

/** Whether it was taken: a message that says nothing of it, or whose sender knows no word, is for others. */
export function hearSpending(run: Run, message: Record<string, unknown>, at: string): boolean {
  const { word, spent, call, lent, over, needs, isDone } = message;
  const { dialogue } = run;
  const isFromParent = dialogue.family !== undefined && word === dialogue.family.word;
  const { purse } = dialogue;
  if (isFromParent && purse?.lent !== undefined && isSpending(lent)) {
    purse.lent = lent;
    delete purse.needs;
    run.isFreed = true;
    return true;
  }
  if (isFromParent && purse !== undefined && over === true) {
    if (!purse.over) note(run, at, 'held', `${reasonFor(run)}; the run whose task this is has no more`);
    purse.over = true;
    dialogue.failure ??= failureFor(run);
    return true;
  }
  if (!isSpending(spent)) return false;
  for (const child of dialogue.children.values()) {
    if (child.word !== word) continue;
    child.spent = { ...NONE, ...spent };
    const known = ownPurse(run);
    if (known !== undefined && isSpending(call)) learnCall(known.purse.ledger, call);
    if (needs === true) child.needs = true;
    if (isDone === true) child.isDone = true;
    run.isFreed = true;
    return true;
  }
  return false;
}

function isSpending(value: unknown): value is NonNullable<FamilyMessage['lent']> {
  return isRecord(value) && problemOf(SPENDING, value) === undefined;
}

/** Agents that have asked for more get it, where there is some; at the end of the budget they are told so. */
export function lend(run: Run, at: string): void {
  const known = ownPurse(run);
  if (known === undefined) return;
  const { purse, limit } = known;
  for (const child of run.dialogue.children.values()) {
    if (child.needs !== true) continue;
    const lent = lentTo(run, child.work) ?? {};
    const lacking = SPENT.filter((member) => (child.spent?.[member] ?? 0) >= (lent[member] ?? Infinity));
    const more = purse.over ? undefined : moreOf(purse.ledger, limit, lacking, !isUnderWay(run, purse.ledger));
    if (more === undefined) {
      runShort(run, at);
      continue;
    }
    reserve(purse.ledger, `w${child.work}`, more);
    delete child.needs;
    delete purse.asked;
  }
}

/** The messages about the budget to send now; they count as told. */
export function spendingNews(run: Run): readonly FamilyNews[] {
  const { children, family, purse } = run.dialogue;
  const news: FamilyNews[] = [];
  if (purse === undefined) return news;
  for (const [to, child] of children) {
    const { word, work, needs, isStarted } = child;
    const lent = lentTo(run, work);
    if (!isStarted || child.toldLent === undefined || child.over) continue;
    if (needs === true && purse.over === true) {
      child.over = true;
      news.push({ to, message: { word, over: true } });
    } else if (lent !== undefined && child.toldLent !== JSON.stringify(lent)) {
      child.toldLent = JSON.stringify(lent);
      news.push({ to, message: { word, lent } });
    }
  }
  const { spent, call } = purse.ledger;
  const isNeeding = purse.needs === 'untold';
  // The parent begins no other agent before it knows what a call costs.
  const isFirstCall = purse.lent !== undefined && call.tokens > 0 && purse.isCallTold !== true;
  if (family !== undefined && (isNeeding || isFirstCall)) {
    if (isNeeding) purse.needs = 'told';
    purse.isCallTold = true;
    const message = { word: family.word, spent, call, ...(isNeeding && { needs: true as const }) };
    news.push({ to: undefined, message });
  }
  return news;
}

/** The last message of an agent's run, before it ends; undefined where nobody has lent it anything. */
export function lastSums({ dialogue: { family, purse } }: Run): FamilyNews | undefined {
  if (family === undefined || purse?.lent === undefined) return undefined;
  // A node that was to come again has spent what it had.
  const spent = [...purse.ledger.reserved.values()].reduce(add, purse.ledger.spent);
  return { to: undefined, message: { word: family.word, spent, isDone: true } };
}
