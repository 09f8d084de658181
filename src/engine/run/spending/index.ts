/** What a run may spend, and what happens at the end of its budget. */

export { hearSpending, lastSums, lend, spendingNews } from './family.ts';
export { openLedger } from './ledger.ts';
export {
  allowanceFor,
  asksNoModel,
  canBuy,
  countsSteps,
  endBudget,
  giveAgain,
  isOver,
  isRefused,
  keepHeld,
  lentTo,
  mayAfford,
  mayBuy,
  reasonFor,
  refusedBy,
  reserveFor,
  reserveMore,
  runShort,
  settleWork,
  spentInVain,
  viewOf as budgetOf,
  type Purse,
} from './spend.ts';
export { spentText } from './words.ts';
