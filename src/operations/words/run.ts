import { spentText } from '../../workflows/run/index.ts';
import { nodeName } from '../../plan/outline/index.ts';
import { counted, durationText, grouped, oneLine } from '../../plan/text/index.ts';
import {
  amountOf,
  unattendedText,
  uncertainText,
  type AttemptView,
  type BudgetView,
  type ChildView,
  type LoopView,
  type PlanningView,
  type ReplannedView,
  type RunStatus,
  type RunView,
  type LoopStep,
  type UnattendedQueue,
  type Usage,
} from '../../protocol/index.ts';
import type { EndReport } from '../ending.ts';
import { attemptNow, isInTrouble } from './nodes.ts';

type Ended = Pick<EndReport, 'result' | 'receipt' | 'written'> & { readonly outcome: string };

export const FALLBACK_PLAN = 'a fallback plan: no model has made a valid one';
const AGENTS_NAMED = 8;

type AtWork = Pick<RunStatus, 'planning' | 'loop' | 'children' | 'fallback' | 'grants' | 'replanned'> &
  Partial<Pick<RunStatus, 'phase'>>;

/** Lines that say what a run is doing: planning, its loop, its agents. Empty if it only runs a written plan. */
export function workLines({
  planning,
  loop,
  children = [],
  fallback,
  grants = [],
  replanned,
  phase,
}: AtWork): string[] {
  const agents = children.slice(0, AGENTS_NAMED).map(agentLine);
  const more = children.length - agents.length;
  return [
    ...(planning === undefined ? [] : [planningLine(planning)]),
    ...grants.map((one) => `approved by ${one}`),
    ...(replanned === undefined ? [] : [replannedLine(replanned)]),
    ...(fallback === true ? [FALLBACK_PLAN] : []),
    ...(loop === undefined ? [] : [loopLine(loop, phase)]),
    ...agents,
    ...(more > 0 ? [`and ${more} more agents`] : []),
  ];
}

/** Texts such as `3 of 8 nodes done` and `2 under way`; empty without a plan. */
export function countsOf(counts: RunStatus['counts'], attempts: readonly AttemptView[] = []): readonly string[] {
  if (counts.total === 0) return [];
  const queued = attempts.filter(({ state, part }) => state === 'waits for a worker' && part === undefined).length;
  return [
    `${grouped(counts.succeeded + counts.reused)} of ${counted(counts.total, 'node')} done`,
    ...many(counts.running - queued, 'under way'),
    ...many(queued, 'queued'),
    ...many(counts.failed, 'failed'),
    ...many(counts.uncertain, 'uncertain'),
    ...many(counts.skipped, 'skipped'),
    ...many(counts.cancelled, 'cancelled'),
  ];
}

function many(count: number, what: string): readonly string[] {
  return count <= 0 ? [] : [`${grouped(count)} ${what}`];
}

export type WorkRow = ReturnType<typeof workRows>[number];

/** The running nodes, trouble first. None if no server answers, since its last list of attempts is out of date. */
export function workRows({ attempts, trouble }: Pick<RunView, 'attempts' | 'trouble'>, now: number) {
  const rows = trouble?.code === 'no-server' ? [] : attempts;
  const rank = (one: AttemptView) => (isInTrouble(one, now) ? 0 : one.state === 'waits for a worker' ? 2 : 1);
  return rows
    .toSorted((a, b) => rank(a) - rank(b))
    .map((one) => {
      const { id, at, part } = one;
      const { says, by = '' } = attemptNow(one, now);
      const done = part === undefined || part.of === 0 ? '' : `${grouped(part.done)} of ${counted(part.of, 'node')}`;
      const standing = one.state === 'waits for a worker' ? ('queued' as const) : ('running' as const);
      return { id, at, standing, isTrouble: rank(one) === 0, facts: [done, says, by].filter(Boolean).join(', ') };
    });
}

/** Text such as `running: 3 of 8 nodes done`; without a plan only the phase. */
export function progressText(phase: string, counts?: RunStatus['counts']): string {
  return [phase, counts && countsOf(counts).join(', ')].filter(Boolean).join(': ');
}

/** Text such as `planning: write, plan 1, call 2; the last was wrong: ...`. */
export function planningLine({ stage, plan, call, why, trouble }: PlanningView): string {
  const what = why === undefined ? 'planning' : `replanning since ${oneLine(why)}`;
  const which = plan === 0 ? '' : `, plan ${plan}, call ${call}`;
  // If both texts are equal, as in the stage `select`, the failure is printed once.
  const wrong = trouble === undefined || trouble === why ? '' : `; the last was wrong: ${oneLine(trouble)}`;
  return `${what}: ${stage}${which}${wrong}`;
}

/** Text such as `replanned once, as revision 2, since node_2 (Read) failed as REPLANNING: ...`. */
export function replannedLine({ times, revision, why }: ReplannedView, digest?: string): string {
  const of = digest === undefined ? '' : `, digest ${digest}`;
  return `replanned ${times === 1 ? 'once,' : 'twice, the last'} as revision ${revision}${of}, since ${oneLine(why)}`;
}

/** Text such as `round 3 of at most 100: look up the genes`. */
export function loopLine({ round, maxRounds, step }: LoopView, phase?: RunStatus['phase']): string {
  const next = phase === 'closed' ? '' : ': the next step is decided';
  return `round ${round} of at most ${maxRounds}${step === undefined ? next : `: ${oneLine(step)}`}`;
}

function agentLine({ node, workflowId, waitingFor, waits }: ChildView): string {
  const person = waitingFor === 0 ? '' : `, waits for a person (${waitingFor})`;
  return `agent of ${node}: run ${workflowId}${person}${waits === undefined ? '' : `, ${waits}`}`;
}

/** Text such as `agent of node_2: step_1: look up the genes, digest 3fa9c1d2`. */
export function stepLine({ node, entry }: LoopStep): string {
  return `${node === undefined ? '' : `agent of ${node}: `}${oneLine(entry.text)}`;
}

export function unansweredText({ unattended }: { readonly unattended?: UnattendedQueue }): string {
  return unattended === undefined ? 'no worker answers' : unattendedText(unattended);
}

/** Decimal places of a cost. A plan's calls may cost fractions of a cent. */
const MONEY_DIGITS = 6;

export function budgetText({ limit, spent }: BudgetView): string {
  return `budget: ${spentText(spent, limit)}`;
}

/**
 * Model usage as text: `4 model calls, 12,345 tokens read (2,000 of them cached), 678 written, cost 0.0123`. Without a
 * price, says that the cost is unknown.
 */
export function usageText({ calls, inputTokens, cachedInputTokens, outputTokens, cost }: Usage): string {
  const [read, cached, written] = [inputTokens, cachedInputTokens, outputTokens].map((one) =>
    one.toLocaleString('en-US'),
  );
  const cachedText = cachedInputTokens === 0 ? '' : ` (${cached} of them cached)`;
  const money =
    cost === undefined
      ? 'cost not known: the model has no price under model.prices'
      : `cost ${Number(cost.toFixed(MONEY_DIGITS))}`;
  return `${calls} model call${calls === 1 ? '' : 's'}, ${read} tokens read${cachedText}, ${written} written, ${money}`;
}

const NAMED = 3;
const NOTES = 10;

/** Text such as `done in 10.6 s: 2,149 records; 1 retry (node_2, worker lost); approved by reviewer`. */
export function receiptText({ outcome, result, written, receipt }: Ended): string {
  const { ms, retried, approvedBy, resultOf } = receipt;
  const by =
    resultOf === undefined ? '' : `, ${written === undefined ? 'reused from' : 'written by'} ${oneLine(resultOf)}`;
  const head = `${outcome}${ms === undefined ? '' : ` in ${durationText(ms)}`}`;
  const retries = retried.reduce((sum, { attempt }) => sum + attempt - 1, 0);
  const why = retried
    .slice(0, NAMED)
    .map((one) => [nodeName(one), ...(one.before === undefined ? [] : [one.before])].join(', '));
  const more = retried.length > NAMED ? ` and ${retried.length - NAMED} more` : '';
  return [
    `${head}${result === undefined ? '' : `: ${written ?? (result.kind === 'text' ? 'a text' : amountOf(result))}${by}`}`,
    ...(retries === 0 ? [] : [`${retries} ${retries === 1 ? 'retry' : 'retries'} (${oneLine(why.join('; '))}${more})`]),
    ...(approvedBy.length === 0 ? [] : [`approved by ${peopleOf(approvedBy)}`]),
  ].join('; ');
}

/** A line for each note on a result, such as `peaks: 2 lines were left out`. */
export function noteLines({
  uncertain,
  receipt: { notes = [] },
}: Pick<EndReport, 'receipt' | 'uncertain'>): readonly string[] {
  const lines = notes.flatMap((node) => (node.notes ?? []).map((text) => `${nodeName(node)}: ${oneLine(text)}`));
  return [
    ...(uncertain ?? []).map(uncertainText),
    ...lines.slice(0, NOTES),
    ...(lines.length > NOTES ? [`and ${counted(lines.length - NOTES, 'more note')}`] : []),
  ];
}

function peopleOf(names: readonly string[]): string {
  const named = names.slice(0, NAMED).map((name) => oneLine(name));
  return `${named.join(', ')}${names.length > NAMED ? ` and ${counted(names.length - NAMED, 'other')}` : ''}`;
}
