import type { PendingTask, RunState, Account } from '../state.ts';
import {
  type Ledger,
  add,
  allowanceOf,
  NONE,
  rename,
  reserve,
  reserveSpent,
  settle,
  settleSums,
  whereLimited,
  type Sums,
  remainingIn,
  openLedger,
  affordableShare,
  stricterLimit,
  multiply,
  type Demand,
  spentText,
} from './ledger.ts';
import {
  given,
  isDeferral,
  problemOf,
  USAGE,
  type Allowance,
  type Budget,
  type Spending,
  type Usage,
  NO_USAGE,
  type NodeEnd,
  type RunFailure,
  SPENT,
  type NodeExecutor,
  type PlanningStage,
} from '../../../protocol/index.ts';
import { isReturned, type TaskEnd } from '../task-traits.ts';
import type { Run } from '../in-memory.ts';
import { waitFrom, closeRun, executorAt, note } from '../run.ts';

/** Whether a task that calls a model may begin now. If the budget is spent, this ends the budget or asks a person. */
export function mayBuy(run: Run, at: string): boolean {
  return allocate(run, CALLS) !== undefined || endOrAsk(run, at);
}

export function canBuy(run: Run): boolean {
  return allocate(run, CALLS) !== undefined;
}

export function isBudgetExhausted(run: Run): boolean {
  return findBudget(run)?.account.exhausted === true;
}

export function countsSteps(run: Run): boolean {
  return findBudget(run)?.limit.steps !== undefined;
}

/** Whether the budget lets a node start. After the budget has ended, `isRefused` says whether the node fails. */
export function mayAfford(run: Run, node: number): boolean {
  const budget = findBudget(run);
  const demand = budget && demandOfNode(run.execution?.planShape, node, budget.account.ledger.usesModel);
  return demand === undefined || budget?.account.exhausted === true || allocate(run, demand) !== undefined;
}

export function isRefused(run: Run, node: number): boolean {
  const budget = findBudget(run);
  if (budget?.account.exhausted !== true) return false;
  const demand = demandOfNode(run.execution?.planShape, node, budget.account.ledger.usesModel);
  return demand !== undefined && allocate(run, demand) === undefined;
}

export function reserveFor(run: Run, id: number, task: PendingTask): void {
  const budget = openBudget(run);
  const demand = budget && demandOf(run, task, budget.account.ledger.usesModel);
  if (budget === undefined || demand === undefined) return;
  const { account } = budget;
  const allocation = allocate(run, demand) ?? { ...NONE, steps: demand.steps };
  // A repeated node reads earlier replies from the journal. These count again, so it needs more money.
  if (task.kind === 'node') rename(account.ledger, reservationName(run, task.node), `w${id}`);
  reserve(account.ledger, `w${id}`, allocation);
  if (demand.calls) delete account.wait;
}

/** Reserves more for a task that was deferred because its money was spent. @returns whether the task may start again */
export function reserveMore(run: Run, id: number, at: string): boolean {
  const budget = openBudget(run);
  if (budget === undefined) return true;
  const allocation = allocate(run, CALLS);
  if (allocation === undefined) return endOrAsk(run, at);
  delete budget.account.wait;
  reserve(budget.account.ledger, `w${id}`, allocation);
  return true;
}

export function allowanceOfTask(run: Run, id: number): { readonly allowance?: Allowance } {
  const budget = findBudget(run);
  return given({ allowance: budget && allowanceOf(budget.account.ledger, `w${id}`, budget.limit) });
}

/** The budget of a starting agent. The agent's own node counts as one step in it. */
export function agentBudget(run: Run, id: number, ownBudget: Spending | undefined): Budget | undefined {
  const budget = findBudget(run);
  if (budget === undefined && ownBudget === undefined) return undefined;
  const { tokens, money, steps } = budget?.account.ledger.reserved[`w${id}`] ?? NONE;
  const share = budget && whereLimited({ tokens, money, steps: Math.max(0, steps - 1) }, budget.limit);
  return { ...ownBudget, ...share, onEnd: budgetEndOf(run.state) };
}

/** A deferred node keeps its reservation. */
export function settleTask(run: Run, id: number, task: PendingTask, ended: TaskEnd): void {
  const budget = openBudget(run);
  const name = `w${id}`;
  if (budget === undefined) return;
  const { ledger } = budget.account;
  const deferral = ended.ok && isDeferral(ended.value) ? ended.value : undefined;
  if (deferral?.deferred === 'budget') reserveSpentUsage(run, ledger, name, task, deferral.usage);
  run.recheckNodes = true;
  if (task.kind === 'node' && ended.ok && (deferral !== undefined || isReturned(ended.value))) {
    rename(ledger, name, reservationName(run, task.node));
    return;
  }
  const child = Object.values(run.state.children).find((one) => one.task === id);
  const steps = demandOf(run, task, ledger.usesModel)?.steps ?? 0;
  if (child?.spent !== undefined && child.isDone === true)
    settleSums(ledger, name, add(child.spent, { ...NONE, steps }));
  else settle(ledger, name, child === undefined ? usageOf(ended) : undefined, steps);
}

/** Reserves what the task has spent, and records that its executor calls a model, since the plan may not say so. */
function reserveSpentUsage(run: Run, ledger: Ledger, name: string, task: PendingTask, usage: unknown): void {
  if (usage !== undefined && problemOf(USAGE, usage) === undefined) reserveSpent(ledger, name, usage as Usage);
  const executor = task.kind === 'node' ? executorAt(run, task.node) : undefined;
  if (executor !== undefined && !ledger.usesModel.includes(executor.label)) ledger.usesModel.push(executor.label);
}

export function reserveUsage(run: Run, id: number, task: PendingTask, usage: Usage | undefined): void {
  const budget = openBudget(run);
  if (budget !== undefined) reserveSpentUsage(run, budget.account.ledger, `w${id}`, task, usage);
}

/** The model usage of a task. For an agent it is none, since the agent's run reports its own usage. */
export function paidFor({ state }: Run, id: number, ended: TaskEnd): Usage {
  const isOfAgent = Object.values(state.children).some(({ task }) => task === id);
  // A deferred task runs again. Its calls count when it ends.
  const isToCome = ended.ok && isDeferral(ended.value);
  return isOfAgent || isToCome ? NO_USAGE : (usageOf(ended) ?? NO_USAGE);
}

function usageOf(ended: TaskEnd): Usage | undefined {
  const usage: unknown = ended.ok ? (ended.value as { usage?: unknown } | undefined)?.usage : ended.usage;
  if (usage !== undefined && problemOf(USAGE, usage) === undefined) return usage as Usage;
  const isUnknown = !ended.ok && (ended.end.type.startsWith('Timeout') || ended.end.type === 'WorkerLost');
  return isUnknown ? undefined : NO_USAGE;
}

function reservationName({ execution }: Run, node: number): string {
  return `${execution?.planShape.digest.slice(0, 8) ?? ''}.${node}`;
}

/**
 * Ends the budget or asks a person, if a task waits for money that no running task will return.
 * @returns false, as the caller's answer whether the task may begin
 */
export function endOrAsk(run: Run, at: string): false {
  const { state } = run;
  const budget = openBudget(run);
  if (
    budget === undefined ||
    budget.account.exhausted ||
    budget.account.wait !== undefined ||
    state.failure !== undefined
  )
    return false;
  const { account } = budget;
  if (isUnderWay(run, account.ledger)) return false;
  if (budgetEndOf(state) === 'ask') {
    account.wait = waitFrom(at, state.options.answerDeadlineMs);
    note(run, at, 'held', `${reasonFor(run)}; it waits for a person`);
  } else endBudget(run, at);
  return false;
}

export function budgetEndOf({ options, project }: RunState): 'ask' | 'partial' | 'stop' {
  return options.budget?.onEnd ?? project.spending?.onEnd ?? 'ask';
}

export function endBudget(run: Run, at: string, end = budgetEndOf(run.state)): void {
  const { state } = run;
  const budget = openBudget(run);
  if (budget === undefined || budget.account.exhausted) return;
  delete budget.account.wait;
  budget.account.exhausted = true;
  run.recheckNodes = true;
  note(run, at, 'held', `${reasonFor(run)}; nothing more is bought`);
  if (end !== 'partial') state.failure ??= failureFor(run);
  else if (state.loop !== undefined) closeRun(run, 'partial', at, reasonFor(run));
}

export function grantAgain(run: Run, by: string, at: string): void {
  const budget = openBudget(run);
  if (budget?.account.wait === undefined) return;
  delete budget.account.wait;
  budget.account.ledger.grants += 1;
  delete budget.account.ledger.unpriced;
  run.recheckNodes = true;
  note(run, at, 'control', `${by} gives the budget once more`);
}

export function failureFor(run: Run): RunFailure {
  return { type: 'BudgetSpent', message: reasonFor(run), details: [] };
}

export function spentInVain(run: Run): Extract<TaskEnd, { ok: false }> {
  return { ok: false, end: refusedBy(run), failure: failureFor(run) };
}

export function refusedBy(run: Run): NodeEnd {
  return { status: 'failed', type: 'BudgetSpent', message: reasonFor(run) };
}

/** Text for a spent budget. @example 'the budget is spent: 50,210 of 50,000 tokens, 12 of 40 steps' */
export function reasonFor(run: Run): string {
  const budget = findBudget(run);
  if (budget === undefined) return '';
  const { ledger } = budget.account;
  const isUnknown = ledger.unpriced && budget.limit.money !== undefined;
  const price = isUnknown ? '; a call cost money that nobody can tell: give its model a price' : '';
  return `the budget is spent: ${spentText(sumsOf(run, ledger).spent, budget.limit)}${price}`;
}

interface OpenBudget {
  readonly account: Account;
  readonly limit: Spending;
}

/** The account of a run, read-only. A new account starts with the run's spending so far. */
export function findBudget({ state }: Run): OpenBudget | undefined {
  const { options, project } = state;
  if (options.budget === undefined && project.spending === undefined) return undefined;
  const { account = { ledger: openLedger(state.usage) } } = state;
  const limit = limitOf(state, account.ledger.grants);
  return Object.keys(limit).length === 0 ? undefined : { account, limit };
}

/** Like `findBudget`, but the account is part of the run's state, so that the caller can spend from it. */
export function openBudget(run: Run): OpenBudget | undefined {
  const budget = findBudget(run);
  if (budget !== undefined) run.state.account = budget.account;
  return budget;
}

/** An agent's run spends from its parent's share, so limits of the project apply only to the parent. */
function limitOf({ options, project, parent }: RunState, more: number): Spending {
  const { onEnd: _, ...own } = options.budget ?? {};
  const { onEnd: __, ...ours } = parent === undefined ? (project.spending ?? {}) : {};
  return multiply(stricterLimit(own, ours), 1 + more);
}

export function allocate(run: Run, demand: Demand): Sums | undefined {
  const budget = findBudget(run);
  if (budget === undefined) return NONE;
  const { account, limit } = budget;
  if (account.exhausted && demand.calls) return undefined;
  if (demand.agent !== undefined)
    return agentShare(run, demand.agent, remainingIn(account.ledger, limit), account.ledger.call);
  return affordableShare(account.ledger, limit, demand, demand.calls && !isUnderWay(run, account.ledger));
}

/**
 * The budget of a starting agent: its own, or an equal share among agents that have not begun; undefined if too small.
 */
function agentShare(run: Run, node: number, left: Sums, call: Sums): Sums | undefined {
  const { budget = {} } = executorAt(run, node) ?? {};
  const share = { ...NONE };
  for (const member of SPENT) {
    const rest = member === 'steps' ? left.steps - 1 : left[member];
    if (rest < call[member] || (member !== 'steps' && rest === 0)) return undefined;
    if (rest === Infinity) continue;
    const part = Math.min(rest, budget[member] ?? Math.max(call[member], rest / agentsToBegin(run, node)));
    share[member] = member === 'money' ? part : Math.ceil(part);
  }
  return { ...share, steps: left.steps === Infinity ? 0 : share.steps + 1 };
}

function agentsToBegin({ execution }: Run, node: number): number {
  const { planShape, progress } = execution ?? {};
  let agents = 1;
  planShape?.executorOf.forEach((executor, other) => {
    const isToBegin = other !== node && progress?.status[other] === 'pending';
    if (isToBegin && planShape.executors[executor]?.kind === 'agent') agents += 1;
  });
  return agents;
}

export function isUnderWay({ tasks }: Run, { reserved }: Ledger): boolean {
  for (const name of Object.keys(reserved)) {
    const task = tasks[Number(name.startsWith('w') ? name.slice(1) : NaN)];
    if (task !== undefined && task.isDeferred !== true) return true;
  }
  return false;
}

/** The reservations of deferred tasks count as spent. */
export function sumsOf({ tasks }: Run, { spent, reserved }: Ledger): { readonly spent: Sums; readonly reserved: Sums } {
  const sums = { spent, reserved: NONE };
  for (const [name, one] of Object.entries(reserved)) {
    const which = tasks[Number(name.slice(1))]?.isDeferred === true || !name.startsWith('w') ? 'spent' : 'reserved';
    sums[which] = add(sums[which], one);
  }
  return sums;
}

export function asksNoModel(stage: PlanningStage): boolean {
  return stage === 'direct' || stage === 'fallback';
}

export function demandOf(
  { execution, state }: Run,
  task: PendingTask,
  usesModel: Ledger['usesModel'],
): Demand | undefined {
  switch (task.kind) {
    case 'plan':
      return state.planning !== undefined && asksNoModel(state.planning.stage) ? undefined : CALLS;
    case 'decide':
    case 'report':
      return CALLS;
    case 'message':
      return task.request.do === 'revise' ? CALLS : undefined;
    case 'node':
      return task.part === undefined ? demandOfNode(execution?.planShape, task.node, usesModel) : undefined;
    case 'draft':
    case 'look':
    case 'unused':
    case 'default':
      return undefined;
  }
}

export const CALLS: Demand = { calls: true, steps: 0 };

type Executors = { readonly executors: readonly NodeExecutor[]; readonly executorOf: readonly number[] };

export function demandOfNode(
  planShape: Executors | undefined,
  node: number,
  usesModel: Ledger['usesModel'],
): Demand | undefined {
  const executor = planShape?.executors[planShape.executorOf[node] ?? -1];
  if (executor === undefined || executor.kind === 'combine') return undefined;
  if (executor.kind === 'agent') return { calls: true, steps: 1, agent: node };
  return { calls: usesModel.includes(executor.label), steps: 1 };
}
