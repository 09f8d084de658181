/** What a run lends the runs of its agents of its budget. */

import { SPENT } from '../../../protocol/index.ts';
import type { Run } from '../run.ts';
import { moreOf, reserve } from './ledger.ts';
import { runShort } from './end.ts';
import { isUnderWay, ownAccount } from './account.ts';
import { grantedTo } from './spend.ts';

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
