/** The account of a run: what it may spend, what is spent, and what work under way holds of it. */

import type { Dialogue, Ledger, Sums, Account, Work } from '../state.ts';
import type { BudgetView, NodeExecutor, PlanningStage, Spending } from '../../../protocol/index.ts';
import type { Run } from '../run.ts';
import { add, NONE, openLedger, shareOf, tighter, times, type Wish } from './ledger.ts';

interface Known {
  readonly account: Account;
  readonly limit: Spending;
}

/** The account of a run, to look at; a budget that has just become known begins with what was spent before. */
export function accountOf({ dialogue }: Run): Known | undefined {
  const { account = { ledger: openLedger(dialogue.usage) } } = dialogue;
  const limit = limitOf(dialogue, account.ledger.more, account.granted);
  return Object.keys(limit).length === 0 ? undefined : { account, limit };
}

/** The account of a run, to spend from. */
export function ownAccount(run: Run): Known | undefined {
  const known = accountOf(run);
  if (known !== undefined) run.dialogue.account = known.account;
  return known;
}

/** The project has granted an agent nothing: its parent has. */
function limitOf({ options, project, parent }: Dialogue, more: number, granted: Spending | undefined): Spending {
  const { onEnd: _, ...own } = options.budget ?? {};
  const { onEnd: __, ...ours } = parent === undefined ? (project.spending ?? {}) : {};
  return tighter(times(tighter(own, ours), 1 + more), granted);
}

/** What work with this wish gets; undefined where it has to wait. */
export function shareFor(run: Run, wish: Wish): Sums | undefined {
  const known = accountOf(run);
  if (known === undefined) return NONE;
  const { account, limit } = known;
  if (account.over && wish.calls) return undefined;
  return shareOf(account.ledger, limit, wish, wish.calls && !isUnderWay(run, account.ledger));
}

/** Whether work is under way that may give back some of what it holds. */
export function isUnderWay({ work, dialogue: { children } }: Run, { reserved }: Ledger): boolean {
  const needing = new Set(Object.values(children).flatMap((child) => (child.asksMore === true ? [child.work] : [])));
  for (const name of Object.keys(reserved)) {
    const id = Number(name.startsWith('w') ? name.slice(1) : NaN);
    const one = work[id];
    if (one !== undefined && one.waits !== true && !needing.has(id)) return true;
  }
  return false;
}

/** Work that is held has spent what it had. */
export function sumsOf({ work }: Run, { spent, reserved }: Ledger): { readonly spent: Sums; readonly reserved: Sums } {
  const sums = { spent, reserved: NONE };
  for (const [name, one] of Object.entries(reserved)) {
    const which = work[Number(name.slice(1))]?.waits === true || !name.startsWith('w') ? 'spent' : 'reserved';
    sums[which] = add(sums[which], one);
  }
  return sums;
}

export function viewOf(run: Run): BudgetView | undefined {
  const known = accountOf(run);
  if (known === undefined) return undefined;
  const { spent, reserved } = sumsOf(run, known.account.ledger);
  const isHeldBack = reserved.tokens > 0 || reserved.money > 0 || reserved.steps > 0;
  return { limit: known.limit, spent, ...(isHeldBack && { reserved }) };
}

/** Whether a planning stage makes its plan without a model. */
export function asksNoModel(stage: PlanningStage): boolean {
  return stage === 'direct' || stage === 'fallback';
}

/** The work that asks models, or counts as a step. */
export function wishOf({ execution, dialogue }: Run, work: Work, askers: Ledger['askers']): Wish | undefined {
  switch (work.kind) {
    case 'plan':
      return dialogue.planning !== undefined && asksNoModel(dialogue.planning.stage) ? undefined : CALLS;
    case 'decide':
    case 'report':
      return CALLS;
    case 'message':
      return work.request.do === 'revise' ? CALLS : undefined;
    case 'node':
      return work.part === undefined ? wishOfNode(execution?.slice, work.node, askers) : undefined;
    case 'draft':
    case 'look':
    case 'unused':
    case 'default':
      return undefined;
  }
}

export const CALLS: Wish = { calls: true, steps: 0 };

type Executors = { readonly executors: readonly NodeExecutor[]; readonly executorOf: readonly number[] };

export function wishOfNode(slice: Executors | undefined, node: number, askers: Ledger['askers']): Wish | undefined {
  const executor = slice?.executors[slice.executorOf[node] ?? -1];
  if (executor === undefined || executor.kind === 'combine') return undefined;
  if (executor.kind === 'agent') return { calls: true, steps: 1, lends: true };
  return { calls: askers.includes(executor.label), steps: 1 };
}

export function executorAt({ execution }: Run, node: number): NodeExecutor | undefined {
  return execution?.slice.executors[execution.slice.executorOf[node] ?? -1];
}
