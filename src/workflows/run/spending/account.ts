/** The account of a run: its limit, what it has spent, and what work under way has reserved. */

import type { Dialogue, Account, Work } from '../state.ts';
import type { Ledger, Sums } from './ledger.ts';
import {
  SPENT,
  type BudgetView,
  type NodeExecutor,
  type PlanningStage,
  type Spending,
} from '../../../protocol/index.ts';
import type { Run } from '../in-memory.ts';
import { add, leftOf, NONE, openLedger, shareOf, tighter, times, type Wish } from './ledger.ts';

interface Known {
  readonly account: Account;
  readonly limit: Spending;
}

/** The account of a run, read-only. A new budget begins with what was spent before. */
export function accountOf({ dialogue }: Run): Known | undefined {
  const { account = { ledger: openLedger(dialogue.usage) } } = dialogue;
  const limit = limitOf(dialogue, account.ledger.more);
  return Object.keys(limit).length === 0 ? undefined : { account, limit };
}

/** The account of a run, to spend from. */
export function ownAccount(run: Run): Known | undefined {
  const known = accountOf(run);
  if (known !== undefined) run.dialogue.account = known.account;
  return known;
}

/** An agent's run spends from its parent's share, and the project limits that parent. */
function limitOf({ options, project, parent }: Dialogue, more: number): Spending {
  const { onEnd: _, ...own } = options.budget ?? {};
  const { onEnd: __, ...ours } = parent === undefined ? (project.spending ?? {}) : {};
  return times(tighter(own, ours), 1 + more);
}

/** What this work gets; undefined if it has to wait. */
export function shareFor(run: Run, wish: Wish): Sums | undefined {
  const known = accountOf(run);
  if (known === undefined) return NONE;
  const { account, limit } = known;
  if (account.over && wish.calls) return undefined;
  if (wish.agent !== undefined) return agentShare(run, wish.agent, leftOf(account.ledger, limit), account.ledger.call);
  return shareOf(account.ledger, limit, wish, wish.calls && !isUnderWay(run, account.ledger));
}

/**
 * The share of an agent: its own budget, or an equal part of the unreserved rest for each agent that has not begun.
 * @returns undefined if that is less than one call
 */
function agentShare(run: Run, node: number, left: Sums, call: Sums): Sums | undefined {
  const { budget = {} } = executorAt(run, node) ?? {};
  const share = { ...NONE };
  for (const member of SPENT) {
    // The node itself counts as a step.
    const rest = member === 'steps' ? left.steps - 1 : left[member];
    if (rest < call[member] || (member !== 'steps' && rest === 0)) return undefined;
    if (rest === Infinity) continue;
    const part = Math.min(rest, budget[member] ?? Math.max(call[member], rest / agentsToBegin(run, node)));
    share[member] = member === 'money' ? part : Math.ceil(part);
  }
  return { ...share, steps: left.steps === Infinity ? 0 : share.steps + 1 };
}

/** Includes this agent. */
function agentsToBegin({ execution }: Run, node: number): number {
  const { slice, progress } = execution ?? {};
  let agents = 1;
  slice?.executorOf.forEach((executor, other) => {
    const isToBegin = other !== node && progress?.status[other] === 'pending';
    if (isToBegin && slice.executors[executor]?.kind === 'agent') agents += 1;
  });
  return agents;
}

/** Whether work under way may return some of its reservation. */
export function isUnderWay({ work }: Run, { reserved }: Ledger): boolean {
  for (const name of Object.keys(reserved)) {
    const one = work[Number(name.startsWith('w') ? name.slice(1) : NaN)];
    if (one !== undefined && one.isDeferred !== true) return true;
  }
  return false;
}

/** Deferred work has spent what it had reserved. */
export function sumsOf({ work }: Run, { spent, reserved }: Ledger): { readonly spent: Sums; readonly reserved: Sums } {
  const sums = { spent, reserved: NONE };
  for (const [name, one] of Object.entries(reserved)) {
    const which = work[Number(name.slice(1))]?.isDeferred === true || !name.startsWith('w') ? 'spent' : 'reserved';
    sums[which] = add(sums[which], one);
  }
  return sums;
}

export function budgetView(run: Run): BudgetView | undefined {
  const known = accountOf(run);
  if (known === undefined) return undefined;
  const { spent, reserved } = sumsOf(run, known.account.ledger);
  const isReserved = reserved.tokens > 0 || reserved.money > 0 || reserved.steps > 0;
  return { limit: known.limit, spent, ...(isReserved && { reserved }) };
}

/** Whether a planning stage makes its plan without a model. */
export function asksNoModel(stage: PlanningStage): boolean {
  return stage === 'direct' || stage === 'fallback';
}

/** What work needs: model calls, or a step. */
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
  if (executor.kind === 'agent') return { calls: true, steps: 1, agent: node };
  return { calls: askers.includes(executor.label), steps: 1 };
}

export function executorAt({ execution }: Run, node: number): NodeExecutor | undefined {
  return execution?.slice.executors[execution.slice.executorOf[node] ?? -1];
}
