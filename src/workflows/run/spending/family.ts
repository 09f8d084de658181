/** The budget between a run and the runs of its agents: what a child has spent and needs, and what its parent lends it. */

import { isRecord, problemOf, SPENDING, SPENT, type FamilyMessage } from '../../../protocol/index.ts';
import type { FamilyNews } from '../family.ts';
import { note, type Run } from '../run.ts';
import { add, learnCall, moreOf, NONE, reserve } from './ledger.ts';
import { failureFor, reasonFor, runShort } from './end.ts';
import { isUnderWay, ownAccount } from './account.ts';
import { grantedTo } from './spend.ts';

/** Whether it was taken: a message that says nothing of it, or whose sender knows no word, is for others. */
export function hearSpending(run: Run, message: Record<string, unknown>, at: string): boolean {
  const { word, spent, call, granted, over, needs, isDone } = message;
  const { dialogue } = run;
  const isFromParent = dialogue.family !== undefined && word === dialogue.family.word;
  const { account } = dialogue;
  if (isFromParent && account?.granted !== undefined && isSpending(granted)) {
    account.granted = granted;
    delete account.needs;
    run.isFreed = true;
    return true;
  }
  if (isFromParent && account !== undefined && over === true) {
    if (!account.over) note(run, at, 'held', `${reasonFor(run)}; the run whose task this is has no more`);
    account.over = true;
    dialogue.failure ??= failureFor(run);
    return true;
  }
  if (!isSpending(spent)) return false;
  for (const child of dialogue.children.values()) {
    if (child.word !== word) continue;
    child.spent = { ...NONE, ...spent };
    const known = ownAccount(run);
    if (known !== undefined && isSpending(call)) learnCall(known.account.ledger, call);
    if (needs === true) child.needs = true;
    if (isDone === true) child.isDone = true;
    run.isFreed = true;
    return true;
  }
  return false;
}

function isSpending(value: unknown): value is NonNullable<FamilyMessage['granted']> {
  return isRecord(value) && problemOf(SPENDING, value) === undefined;
}

/** Agents that have asked for more get it, where there is some; at the end of the budget they are told so. */
export function lend(run: Run, at: string): void {
  const known = ownAccount(run);
  if (known === undefined) return;
  const { account, limit } = known;
  for (const child of run.dialogue.children.values()) {
    if (child.needs !== true) continue;
    const granted = grantedTo(run, child.work) ?? {};
    const lacking = SPENT.filter((member) => (child.spent?.[member] ?? 0) >= (granted[member] ?? Infinity));
    const more = account.over ? undefined : moreOf(account.ledger, limit, lacking, !isUnderWay(run, account.ledger));
    if (more === undefined) {
      runShort(run, at);
      continue;
    }
    reserve(account.ledger, `w${child.work}`, more);
    delete child.needs;
    delete account.asked;
  }
}

/** The messages about the budget to send now; they count as told. */
export function spendingNews(run: Run): readonly FamilyNews[] {
  const { children, family, account } = run.dialogue;
  const news: FamilyNews[] = [];
  if (account === undefined) return news;
  for (const [to, child] of children) {
    const { word, work, needs, isStarted } = child;
    const granted = grantedTo(run, work);
    if (!isStarted || child.toldGrant === undefined || child.over) continue;
    if (needs === true && account.over === true) {
      child.over = true;
      news.push({ to, message: { word, over: true } });
    } else if (granted !== undefined && child.toldGrant !== JSON.stringify(granted)) {
      child.toldGrant = JSON.stringify(granted);
      news.push({ to, message: { word, granted } });
    }
  }
  const { spent, call } = account.ledger;
  const isNeeding = account.needs === 'untold';
  // The parent begins no other agent before it knows what a call costs.
  const isFirstCall = account.granted !== undefined && call.tokens > 0 && account.isCallTold !== true;
  if (family !== undefined && (isNeeding || isFirstCall)) {
    if (isNeeding) account.needs = 'told';
    account.isCallTold = true;
    const message = { word: family.word, spent, call, ...(isNeeding && { needs: true as const }) };
    news.push({ to: undefined, message });
  }
  return news;
}

/** The last message of an agent's run, before it ends; undefined where nobody has granted it anything. */
export function lastSums({ dialogue: { family, account } }: Run): FamilyNews | undefined {
  if (family === undefined || account?.granted === undefined) return undefined;
  // A node that was to come again has spent what it had.
  const spent = [...account.ledger.reserved.values()].reduce(add, account.ledger.spent);
  return { to: undefined, message: { word: family.word, spent, isDone: true } };
}
