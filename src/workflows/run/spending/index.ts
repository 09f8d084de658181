/** What a run may spend, and what happens at the end of its budget. */

export { hearSpending, lastSums, lend, spendingNews } from './family.ts';
export { openLedger } from './ledger.ts';
export { endBudget, giveAgain, reasonFor, refusedBy, runShort, spentInVain } from './end.ts';
export { viewOf as budgetOf, type Purse } from './purse.ts';
export {
  allowanceFor,
  canBuy,
  countsSteps,
  isOver,
  isRefused,
  keepHeld,
  lentTo,
  mayAfford,
  mayBuy,
  paidFor,
  reserveFor,
  reserveMore,
  settleWork,
} from './spend.ts';
export { asksNoModel } from './wish.ts';
export { spentText } from './words.ts';
