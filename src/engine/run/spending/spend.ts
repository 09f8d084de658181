/**
 * The budget of a run in its turns: work reserves before it begins, is settled when it lands, and at the end of the budget a person is
 * asked, or the run goes on without what costs more, or stops. An agent's run spends what its parent has lent it, and asks for more.
 */

import {
  isHeld,
  type Held,
  problemOf,
  USAGE,
  type Allowance,
  type BudgetView,
  type NodeEnd,
  type NodeExecutor,
  type PlanningStage,
  type RunFailure,
  type Spending,
  type Usage,
} from '../../../wire/contract/index.ts';
import { waitFrom, type Dialogue, type Wait } from '../dialogue.ts';
import { isGivenBack, type Landing } from '../landing.ts';
import { NO_USAGE } from '../planning/index.ts';
import { closeRun, note, type Run } from '../run.ts';
import type { Work } from '../work.ts';
import {
  add,
  allowanceOf,
  hold,
  leftOf,
  NONE,
  openLedger,
  rename,
  reserve,
  settle,
  settleSums,
  shareOf,
  tighter,
  times,
  type Ledger,
  type Sums,
  type Wish,
} from './ledger.ts';
import { spentText } from './words.ts';

/** The budget of a run. Plain data. */
export interface Purse {
  readonly ledger: Ledger;
  /** An agent's run: what its parent has lent it so far. */
  lent?: Spending;
  /** The parent was told what a call costs. */
  isCallTold?: true;
  /** It needs more of its parent, which was told so. */
  needs?: 'untold' | 'told';
  /** A person is asked about the end of it. */
  asked?: Wait;
  /** Nothing more is bought: work that would costs fails. */
  over?: true;
}

interface Known {
  readonly purse: Purse;
  readonly limit: Spending;
}

/** The purse of a run, to look at; a budget that has just become known begins with what was spent before. */
export function purseOf({ dialogue }: Run): Known | undefined {
  const { purse = { ledger: openLedger(dialogue.usage) } } = dialogue;
  const limit = limitOf(dialogue, purse.ledger.more, purse.lent);
  return Object.keys(limit).length === 0 ? undefined : { purse, limit };
}

/** The purse of a run, to spend from. */
export function ownPurse(run: Run): Known | undefined {
  const known = purseOf(run);
  if (known !== undefined) run.dialogue.purse = known.purse;
  return known;
}

/** The project has lent an agent nothing: its parent has. */
function limitOf({ options, project, family }: Dialogue, more: number, lent: Spending | undefined): Spending {
  const { onEnd: _, ...own } = options.budget ?? {};
  const { onEnd: __, ...ours } = family === undefined ? (project.spending ?? {}) : {};
  return tighter(times(tighter(own, ours), 1 + more), lent);
}

/** Whether a planning stage makes its plan without a model. */
export function asksNoModel(stage: PlanningStage): boolean {
  return stage === 'direct' || stage === 'fallback';
}

/** The work that asks models, or counts as a step. */
function wishOf({ execution, dialogue }: Run, work: Work, askers: Ledger['askers']): Wish | undefined {
  switch (work.kind) {
    case 'plan':
      return dialogue.planning !== undefined && asksNoModel(dialogue.planning.stage) ? undefined : CALLS;
    case 'decide':
    case 'report':
      return CALLS;
    case 'message':
      return work.need.do === 'revise' ? CALLS : undefined;
    case 'node':
      return work.part === undefined ? wishOfNode(execution?.slice, work.node, askers) : undefined;
    case 'draft':
    case 'unused':
    case 'default':
      return undefined;
  }
}

const CALLS: Wish = { calls: true, steps: 0 };

type Executors = { readonly executors: readonly NodeExecutor[]; readonly executorOf: readonly number[] };

function wishOfNode(slice: Executors | undefined, node: number, askers: Ledger['askers']): Wish | undefined {
  const executor = slice?.executors[slice.executorOf[node] ?? -1];
  if (executor === undefined || executor.kind === 'combine') return undefined;
  if (executor.kind === 'agent') return { calls: true, steps: 1, lends: true };
  return { calls: askers.has(executor.label), steps: 1 };
}

/** Whether work that asks a model may begin now. A budget that is at its end is dealt with. */
export function mayBuy(run: Run, at: string): boolean {
  return shareFor(run, CALLS) !== undefined || runShort(run, at);
}

/** Whether there is enough for work that nobody waits for. */
export function canBuy(run: Run): boolean {
  return shareFor(run, CALLS) !== undefined;
}

/** Whether nothing more is bought. */
export function isOver(run: Run): boolean {
  return purseOf(run)?.purse.over === true;
}

/** Whether steps are bounded. */
export function countsSteps(run: Run): boolean {
  return purseOf(run)?.limit.steps !== undefined;
}

/** Whether there is enough for a node to begin, or so little that it can only fail. */
export function mayAfford(run: Run, node: number): boolean {
  const known = purseOf(run);
  const wish = known && wishOfNode(run.execution?.slice, node, known.purse.ledger.askers);
  return wish === undefined || known?.purse.over === true || shareFor(run, wish) !== undefined;
}

/** Whether nothing is left for a node, and nothing more is bought. */
export function isRefused(run: Run, node: number): boolean {
  const known = purseOf(run);
  if (known?.purse.over !== true) return false;
  const wish = wishOfNode(run.execution?.slice, node, known.purse.ledger.askers);
  return wish !== undefined && shareFor(run, wish) === undefined;
}

/** What work with this wish gets; undefined where it has to wait. */
function shareFor(run: Run, wish: Wish): Sums | undefined {
  const known = purseOf(run);
  if (known === undefined) return NONE;
  const { purse, limit } = known;
  if (purse.over && wish.calls) return undefined;
  return shareOf(purse.ledger, limit, wish, wish.calls && !isUnderWay(run, purse.ledger));
}

/** Whether work is under way that may give back some of what it holds. */
export function isUnderWay({ work, dialogue: { children } }: Run, { reserved }: Ledger): boolean {
  const needing = new Set([...children.values()].flatMap((child) => (child.needs === true ? [child.work] : [])));
  for (const name of reserved.keys()) {
    const id = Number(name.startsWith('w') ? name.slice(1) : NaN);
    const one = work.get(id);
    if (one !== undefined && one.waits !== true && !needing.has(id)) return true;
  }
  return false;
}

/** Reserves for work that begins. */
export function reserveFor(run: Run, id: number, work: Work): void {
  const known = ownPurse(run);
  const wish = known && wishOf(run, work, known.purse.ledger.askers);
  if (known === undefined || wish === undefined) return;
  const { purse } = known;
  const share = shareFor(run, wish) ?? { ...NONE, steps: wish.steps };
  // A node that comes again finds its replies in the journal, and they count again: so it needs more than it had.
  if (work.kind === 'node') rename(purse.ledger, nameOf(run, work.node), `w${id}`);
  reserve(purse.ledger, `w${id}`, share);
  if (wish.calls) delete purse.asked;
}

/** More for work that is held since it has spent what it had. @returns whether it may begin again */
export function reserveMore(run: Run, id: number, at: string): boolean {
  const known = ownPurse(run);
  if (known === undefined) return true;
  const share = shareFor(run, CALLS);
  if (share === undefined) return runShort(run, at);
  delete known.purse.asked;
  reserve(known.purse.ledger, `w${id}`, share);
  return true;
}

/** The allowance of work, for its request; undefined where there is no budget. */
export function allowanceFor(run: Run, id: number): Allowance | undefined {
  const known = purseOf(run);
  return known && allowanceOf(known.purse.ledger, `w${id}`, known.limit);
}

/** What the run of an agent was lent so far; the node itself is a step of this run. */
export function lentTo(run: Run, id: number): Spending | undefined {
  const known = purseOf(run);
  if (known === undefined) return undefined;
  const { tokens, money, steps } = known.purse.ledger.reserved.get(`w${id}`) ?? NONE;
  const { limit } = known;
  return {
    ...(limit.tokens !== undefined && { tokens }),
    ...(limit.money !== undefined && { money }),
    ...(limit.steps !== undefined && { steps: Math.max(0, steps - 1) }),
  };
}

/** Work has landed, or is held: of a node that comes again the reservation stays. */
export function settleWork(run: Run, id: number, work: Work, landing: Landing): void {
  const known = ownPurse(run);
  const name = `w${id}`;
  if (known === undefined) return;
  const { ledger } = known.purse;
  const held = landing.ok && isHeld(landing.value) ? landing.value : undefined;
  if (held?.by === 'budget') holdWith(run, ledger, name, work, held.usage);
  run.isFreed = true;
  if (work.kind === 'node' && landing.ok && (held !== undefined || isGivenBack(landing.value))) {
    rename(ledger, name, nameOf(run, work.node));
    return;
  }
  const child = [...run.dialogue.children.values()].find((one) => one.work === id);
  const steps = wishOf(run, work, ledger.askers)?.steps ?? 0;
  if (child?.spent !== undefined && child.isDone === true)
    settleSums(ledger, name, add(child.spent, { ...NONE, steps }));
  else settle(ledger, name, child === undefined ? usageOf(landing) : undefined, steps);
}

/** Work that has spent what it had; a node that did not seem to ask a model does. */
function holdWith(run: Run, ledger: Ledger, name: string, work: Work, usage: unknown): void {
  if (usage !== undefined && problemOf(USAGE, usage) === undefined) hold(ledger, name, usage as Usage);
  const executor = work.kind === 'node' ? executorAt(run, work.node) : undefined;
  if (executor !== undefined) ledger.askers.add(executor.label);
}

/** Work that is no node is held: what it has spent stays reserved. */
export function keepHeld(run: Run, id: number, work: Work, { usage }: Held): void {
  const known = ownPurse(run);
  if (known !== undefined) holdWith(run, known.purse.ledger, `w${id}`, work, usage);
}

/** Undefined where nobody can tell: the worker is gone. */
function usageOf(landing: Landing): Usage | undefined {
  const usage: unknown = landing.ok ? (landing.value as { usage?: unknown } | undefined)?.usage : landing.usage;
  if (usage !== undefined && problemOf(USAGE, usage) === undefined) return usage as Usage;
  const isUnknown = !landing.ok && (landing.end.type.startsWith('Timeout') || landing.end.type === 'WorkerLost');
  return isUnknown ? undefined : NO_USAGE;
}

function executorAt({ execution }: Run, node: number): NodeExecutor | undefined {
  return execution?.slice.executors[execution.slice.executorOf[node] ?? -1];
}

/** A node of the open plan that comes again. */
function nameOf({ execution }: Run, node: number): string {
  return `${execution?.slice.digest.slice(0, 8) ?? ''}.${node}`;
}

/**
 * Work waits for money, and nothing under way will give any back.
 * @returns false, for the caller that asked whether work may begin
 */
export function runShort(run: Run, at: string): false {
  const { dialogue } = run;
  const known = ownPurse(run);
  if (known === undefined || known.purse.over || known.purse.asked !== undefined || dialogue.failure !== undefined)
    return false;
  const { purse } = known;
  if (isUnderWay(run, purse.ledger)) return false;
  if (purse.lent !== undefined && !isOwnSpent(run, purse)) {
    purse.needs ??= 'untold';
    return false;
  }
  if (endOf(dialogue) === 'ask') {
    purse.asked = waitFrom(at, dialogue.options.answerDeadlineMs);
    note(run, at, 'held', `${reasonFor(run)}; it waits for a person`);
  } else endBudget(run, at);
  return false;
}

/** Whether an agent's own part is spent, whatever its parent may still lend. */
function isOwnSpent({ dialogue }: Run, { ledger }: Purse): boolean {
  const { onEnd: _, ...own } = dialogue.options.budget ?? {};
  const left = leftOf(ledger, times(own, 1 + ledger.more));
  return left.tokens <= 0 || left.money <= 0 || left.steps <= 0;
}

function endOf({ options, project }: Dialogue): 'ask' | 'partial' | 'stop' {
  return options.budget?.onEnd ?? project.spending?.onEnd ?? 'ask';
}

/** Nothing more is bought. */
export function endBudget(run: Run, at: string, end = endOf(run.dialogue)): void {
  const { dialogue } = run;
  const known = ownPurse(run);
  if (known === undefined || known.purse.over) return;
  delete known.purse.asked;
  known.purse.over = true;
  run.isFreed = true;
  note(run, at, 'held', `${reasonFor(run)}; nothing more is bought`);
  if (end !== 'partial') dialogue.failure ??= failureFor(run);
  else if (dialogue.loop !== undefined) closeRun(run, 'partial', at, reasonFor(run));
}

/** A person gives as much again. */
export function giveAgain(run: Run, by: string, at: string): void {
  const known = ownPurse(run);
  if (known?.purse.asked === undefined) return;
  delete known.purse.asked;
  known.purse.ledger.more += 1;
  delete known.purse.ledger.unpriced;
  run.isFreed = true;
  note(run, at, 'control', `${by} gives the budget once more`);
}

export function failureFor(run: Run): RunFailure {
  return { type: 'BudgetSpent', message: reasonFor(run), details: [] };
}

/** How work ends for which nothing is left. */
export function spentInVain(run: Run): Extract<Landing, { ok: false }> {
  return { ok: false, end: refusedBy(run), failure: failureFor(run) };
}

export function refusedBy(run: Run): NodeEnd {
  return { status: 'failed', type: 'BudgetSpent', message: reasonFor(run) };
}

/** @example 'the budget is spent: 50,210 of 50,000 tokens, 12 of 40 steps' */
export function reasonFor(run: Run): string {
  const known = purseOf(run);
  if (known === undefined) return '';
  const { ledger } = known.purse;
  const isUnknown = ledger.unpriced && known.limit.money !== undefined;
  const price = isUnknown ? '; a call cost money that nobody can tell: give its model a price' : '';
  return `the budget is spent: ${spentText(sumsOf(run, ledger).spent, known.limit)}${price}`;
}

/** Work that is held has spent what it had. */
function sumsOf({ work }: Run, { spent, reserved }: Ledger): { readonly spent: Sums; readonly reserved: Sums } {
  const sums = { spent, reserved: NONE };
  for (const [name, one] of reserved) {
    const which = work.get(Number(name.slice(1)))?.waits === true || !name.startsWith('w') ? 'spent' : 'reserved';
    sums[which] = add(sums[which], one);
  }
  return sums;
}

export function viewOf(run: Run): BudgetView | undefined {
  const known = purseOf(run);
  if (known === undefined) return undefined;
  const { spent, reserved } = sumsOf(run, known.purse.ledger);
  const isHeldBack = reserved.tokens > 0 || reserved.money > 0 || reserved.steps > 0;
  return { limit: known.limit, spent, ...(isHeldBack && { reserved }) };
}
