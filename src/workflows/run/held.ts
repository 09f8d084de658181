/**
 * Work that has not begun and begins again later, in one mechanism for nodes and for everything else: its run said no, its worker
 * has another version, or the store, the disk, the server or the model's server is away. A node is as ready as before; other
 * work stays under way by its id. A fault holds the whole run: nothing begins but a probe now and then, until one of them
 * succeeds. A model that is away holds what asks it, and nothing else.
 */

import type { Fault, Holding, Work } from './work-state.ts';
import { numbered } from './records.ts';
import type { Held } from '../../protocol/index.ts';
import { cutBytes, visible } from '../../plan/text/index.ts';
import { later, waitFrom } from './dialogue.ts';
import { isLoss, type WorkEnd } from './work-end.ts';
import { note, pauseOf } from './run.ts';
import type { Run } from './in-memory.ts';
import { reserveMore, settleWork } from './spending/spend.ts';

/**
 * A queue hands work to pollers in the order in which they wait, and a worker has ten: a node may come to the same
 * worker as often before it comes to another one. So it is looked for often at first: each second pause is twice as
 * long.
 * @bound .first the first pause of what is held, by another version or a fault
 * @beyond then twice as long; for another version every second time
 * @bound .most the longest pause of what is held
 * @beyond the pause stays so long
 */
const PAUSE_MS = { first: 250, most: 15_000 };
/**
 * A server that has too much to do is asked the less the longer.
 * @bound .first the pause before a model's server that is away is tried again, at first
 * @beyond tried again
 * @bound .most the pause before a model's server that is away is tried again, at most
 * @beyond tried again
 */
const MODEL_PAUSE_MS = { first: 2000, most: 60_000 };
/**
 * How long anything that is away is waited for before a person is asked: the store, the disk, the server, the approved version, or a
 * model without a `patience` of its own.
 * @bound how long a run waits for what is away
 * @beyond a person is asked: wait, skip or fallback where there is one, stop
 */
const ASK_AFTER_MS = 10 * 60_000;
/**
 * @bound the pause between two tries while a person is asked about what is away
 * @beyond after `answerDeadline` without a word the run fails (`Unavailable`)
 */
const ASKED_PAUSE_MS = 5 * 60_000;
/**
 * At a minute each, where no run answers the worker: more than an hour.
 * @bound times one piece of work is held back
 * @beyond `RETRIABLE`
 */
const MAX_HELD = 100;
/**
 * @bound the reason why work was held back
 * @beyond cut
 */
const MAX_REASON_BYTES = 500;
const APPROVED = 'a worker with the approved version';

/**
 * @param isWholeRun the run waits as a whole, and asks
 * @returns how it waits from now on; undefined when it has waited for as long as it may
 */
export function holdAgain(
  before: Holding | undefined,
  { held, by, pauseMs = 0 }: Held,
  at: string,
  isWholeRun = false,
): Holding | undefined {
  const times = (before?.times ?? 0) + 1;
  const since = before !== undefined && before.by === by ? before.since : at;
  if (by === 'worker') return { times, since, until: NEVER, reason: reasonOf(held), by };
  const isSpent = (by !== 'model' && times >= MAX_HELD) || (by === 'version' && at >= later(since, ASK_AFTER_MS));
  if (isSpent && !(isWholeRun && by === 'version')) return undefined;
  const pause =
    by === 'model' ? Math.max(delayOf(times - 1, MODEL_PAUSE_MS), pauseMs) : delayOf(Math.floor((times - 1) / 2));
  const until = by === 'version' || by === 'model' ? later(at, pause) : '';
  return { times, since, until, reason: reasonOf(held), ...(by !== undefined && { by }) };
}

/** Until a person says so. */
const NEVER = '9999-12-31T00:00:00.000Z';

/** A plan or a step whose making ends its workers: the run waits for a person to have it tried again. */
export function heldByLoss(
  { dialogue: { approval, cancelled } }: Run,
  work: Work,
  { end }: Extract<WorkEnd, { ok: false }>,
): Held | undefined {
  const isHeldBack = isLoss(end) && isRunsOwn(work) && !asksForPlan(work) && !cancelled && approval.phase !== 'closed';
  return isHeldBack
    ? { held: `a person, since ${NAMES[work.kind]} lost its workers: ${end.message}`, by: 'worker' }
    : undefined;
}

/** In at most 500 bytes, for people. */
export function reasonOf(held: string): string {
  return cutBytes(visible(held), MAX_REASON_BYTES);
}

/** @returns whether the work waits; else it has waited in vain, or has no use any more */
export function holdWork(run: Run, work: Work, held: Held, at: string): boolean {
  // Words are no reason to keep a run that has failed.
  if (work.kind === 'report' && held.by !== undefined) return false;
  const holding = holdAgain(work.holding, held, at, isRunsOwn(work));
  if (holding === undefined) return false;
  const isLesser = held.by === 'model' || held.by === 'worker' || (held.by === 'version' && isRunsOwn(work));
  const isAsked = held.by !== 'worker' && isLesser && run.dialogue.fault?.deadline !== undefined;
  const isTold = held.by === 'worker' || (isLesser && holding.times > 1);
  const pause = Math.max(ASKED_PAUSE_MS, held.pauseMs ?? 0);
  // A model that is away, or a person, gives it a new try with all its attempts.
  const isNewTry = held.by === 'model' || held.by === 'worker';
  work.attempts = isNewTry ? 0 : (work.attempts ?? 0) + (held.attempts ?? 0);
  Object.assign(work, { holding: isAsked ? { ...holding, until: later(at, pause) } : holding, waits: true });
  // A server may be away for hours: its first try is in the trace, and the status tells the next.
  if (!isTold) note(run, at, 'held', `${NAMES[work.kind]} has not begun: ${holding.reason}`);
  return true;
}

/** It makes a plan or a step, so that no node can say that it waits: the run does. */
export function isRunsOwn(work: Work): boolean {
  return ['draft', 'plan', 'decide'].includes(work.kind) || asksForPlan(work);
}

/** An edit, or a wish for a better plan. */
function asksForPlan(work: Work): boolean {
  return work.kind === 'message' && (work.request.do === 'compile' || work.request.do === 'revise');
}

export function asksModel(work: Work): boolean {
  return ['plan', 'decide', 'report'].includes(work.kind) || (work.kind === 'message' && work.request.do === 'revise');
}

const NAMES: Readonly<Record<Work['kind'], string>> = {
  draft: 'the compiling of the plan',
  plan: 'the planning',
  report: 'the report',
  look: "a look at agents' runs",
  decide: 'the next decision',
  node: 'a node',
  unused: 'a node',
  message: 'what a message asks for',
  default: 'the default of a question',
};

/** How work ends that was held for as long as it may be. */
export function heldInVain({ held, by }: Held): Extract<WorkEnd, { ok: false }> {
  const type = by === 'version' ? 'CapabilityChanged' : by === 'fault' ? 'Unavailable' : 'RETRIABLE';
  const message = `it has not begun: ${reasonOf(held)}`;
  return { ok: false, end: { status: 'failed', type, message }, failure: { type, message, details: [] } };
}

/** Work that is held begins no more: it is not wanted any more, or has waited in vain. */
export function dropHeld(run: Run, id: number): void {
  const work = run.work[id];
  if (work === undefined) return;
  settleWork(run, id, work, heldInVain({ held: work.holding?.reason ?? '' }));
  delete run.work[id];
}

/** Begins work again that has waited long enough. Paid work waits for the end of a pause. */
export function beginHeld(run: Run, at: string): void {
  const isPaused = pauseOf(run) !== undefined;
  for (const [id, work] of numbered(run.work)) {
    if (work.waits !== true || at < (work.holding?.until ?? '') || (isPaused && isBought(work))) continue;
    if (work.holding?.by === 'budget' && !reserveMore(run, id, at)) continue;
    delete work.waits;
    run.outbox.begin.push(id);
    if (holdsAll(run)) return;
  }
}

function isBought({ kind, holding }: Work): boolean {
  return (holding !== undefined && holding.by === undefined) || kind === 'plan' || kind === 'decide';
}

/** Nodes whose pause is over, each once. */
export function comeAgain({ execution }: Run, at: string): readonly number[] {
  const nodes: number[] = [];
  for (const [node, holding] of numbered(execution?.heldBack)) {
    if (holding.until === '' || at < holding.until || execution?.progress.status[node] !== 'pending') continue;
    execution.heldBack[node] = { ...holding, until: '' };
    nodes.push(node);
  }
  return nodes;
}

/** Whether a node has waited long enough since it was held back last. */
export function mayComeAgain({ execution }: Run, node: number, at: string): boolean {
  return at >= (execution?.heldBack?.[node]?.until ?? '');
}

/** A store, a disk or a server has failed, that of a model too: it is waited out. A model is the lesser of two faults. */
export function holdForFault(run: Run, { held, by, patienceMs }: Held, at: string): void {
  const { dialogue } = run;
  if (dialogue.approval.phase === 'closed' || (by !== 'fault' && holdsAll(run))) return;
  const reason = by === 'version' ? `${APPROVED}: ${reasonOf(held)}` : reasonOf(held);
  const lesser = by === 'fault' || by === 'budget' ? undefined : by;
  const before = dialogue.fault?.by === lesser ? dialogue.fault : undefined;
  if (before === undefined) note(run, at, 'held', `waits for ${reason}`);
  // It is asked about at once: to try it again costs more workers.
  const asked = by === 'worker' && { deadline: waitFrom(at, dialogue.options.answerDeadlineMs).deadline };
  const ofLesser = lesser && { by: lesser, ...asked, ...(patienceMs !== undefined && { patienceMs }) };
  dialogue.fault = { times: 0, since: at, until: later(at, delayOf(0)), ...before, reason, ...ofLesser };
}

/** Whether a fault holds whatever the run would begin. */
function holdsAll({ dialogue: { fault } }: Run): boolean {
  return fault !== undefined && fault.by === undefined;
}

/** Work that needs it has succeeded, or a person says that it may. */
export function endFault(run: Run, at: string, why = 'what it waited for is there again'): void {
  const { fault } = run.dialogue;
  if (fault === undefined) return;
  delete run.dialogue.fault;
  run.isFreed = true;
  for (const work of Object.values(run.work)) {
    const { holding } = work;
    if (holding?.by === 'worker' || (holding !== undefined && fault.by !== undefined && holding.by === fault.by))
      work.holding = { ...holding, since: at, times: 0, until: '' };
  }
  note(run, at, 'held', `${why}; it had waited since ${fault.since}`);
}

/** Whether this work could not have succeeded while the run waits for what it waits for. */
export function endsFault(run: Run, work: Work): boolean {
  const by = run.dialogue.fault?.by;
  return by === undefined ? needsStore(run, work) : isRunsOwn(work) && (by !== 'model' || asksModel(work));
}

function needsStore({ execution }: Run, work: Work): boolean {
  if (work.kind === 'message') return work.request.do !== 'keys';
  if (work.kind !== 'node') return !['unused', 'report', 'look'].includes(work.kind);
  const { slice } = execution ?? {};
  return slice !== undefined && slice.executors[slice.executorOf[work.node] ?? -1]?.kind !== 'agent';
}

/** Whether nothing may begin now, since the last probe has just failed or has not ended. */
export function isWaitingOut(run: Run, at: string): boolean {
  return holdsAll(run) && at < (run.dialogue.fault?.until ?? '');
}

/** Something has begun though the fault stands: the next may after a longer pause. */
export function countProbe(run: Run, at: string): void {
  const { dialogue, outbox } = run;
  const { fault } = dialogue;
  if (fault === undefined || !holdsAll(run) || outbox.begin.length === 0) return;
  const pause = fault.deadline === undefined ? delayOf(fault.times + 1) : ASKED_PAUSE_MS;
  dialogue.fault = { ...fault, times: fault.times + 1, until: later(at, pause) };
}

/**
 * A fault that lasts is asked about; where no answer comes, the run fails.
 * @returns whether something has waited in vain that the run can do without: a planning, which has its fallback, or messages
 */
export function passFault(run: Run, at: string): boolean {
  const { dialogue } = run;
  const { fault, options } = dialogue;
  if (fault === undefined || at < dueOf(fault) || dialogue.approval.phase === 'closed') return false;
  if (fault.deadline === undefined) {
    dialogue.fault = { ...fault, deadline: waitFrom(at, options.answerDeadlineMs).deadline };
    return false;
  }
  if ((canFallBack(fault) && dialogue.planning !== undefined) || heldMessages(run).length > 0) return true;
  const message = `it waited since ${fault.since} for ${fault.reason}, and nobody said what is to become of it`;
  dialogue.failure ??= { type: 'Unavailable', message, details: [] };
  return false;
}

/** Whether a planning has a fallback for what it waits for. */
export function canFallBack({ by }: Fault): boolean {
  return by === 'model' || by === 'worker';
}

/** The messages that wait for what the run asks about, where nothing else does. */
export function heldMessages({ dialogue: { fault }, work }: Run): readonly number[] {
  if (fault?.by === undefined) return [];
  const waiting = [...numbered(work)].filter(([, one]) => isHeldBy(one, fault.by));
  return waiting.every(([, one]) => asksForPlan(one)) ? waiting.map(([id]) => id) : [];
}

function dueOf({ since, deadline, patienceMs = ASK_AFTER_MS }: Fault): string {
  return deadline ?? later(since, patienceMs);
}

/**
 * The time at which held work may begin again, or is asked about (ISO 8601); work whose time is past waits for
 * something else.
 */
export function nextBegin(run: Run, at: string): string | undefined {
  const { dialogue, work, execution } = run;
  const { fault } = dialogue;
  const times: string[] = fault === undefined ? [] : [dueOf(fault), ...(holdsAll(run) ? [fault.until] : [])];
  for (const { waits, holding } of Object.values(work))
    if (waits === true && holding !== undefined) times.push(holding.until);
  for (const [node, { until }] of numbered(execution?.heldBack)) {
    if (execution?.progress.status[node] === 'pending') times.push(until);
  }
  return times.filter((time) => time > at).toSorted()[0];
}

/**
 * What the run waits for beside people, in words.
 * @example 'waits for the store: ENOSPC, since 14:02:11 UTC; try 6 at 14:02:19 UTC; a person is asked at 14:12:11 UTC'
 */
export function waitsFor(run: Run): string | undefined {
  const { notBefore, reason } = run.hold;
  const waits = waitsSince(run, true);
  if (waits !== undefined || notBefore === undefined || reason === undefined) return waits;
  return `waits for the result store, to continue in a new history: ${reasonOf(reason)}; next try at ${utc(notBefore)}`;
}

/** The same for a parent, which gets no signal for each try; where the run waits for nothing, what the first of its agents does. */
export function waitsForParent(run: Run): string | undefined {
  const children = Object.values(run.dialogue.children);
  return waitsSince(run, false) ?? children.find(({ waits }) => waits !== undefined)?.waits;
}

function waitsSince(run: Run, hasTries: boolean): string | undefined {
  const { fault } = run.dialogue;
  if (fault !== undefined) {
    const next = holdsAll(run)
      ? { ...fault, times: fault.times + 1 }
      : Object.values(run.work).find((one) => isHeldBy(one, fault.by))?.holding;
    return waitOf(
      fault.reason,
      fault.since,
      hasTries && fault.by !== 'worker' ? next : undefined,
      fault.deadline === undefined ? dueOf(fault) : undefined,
    );
  }
  for (const [node] of numbered(run.execution?.heldBack)) {
    const words = waitsForVersion(run, node, hasTries);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The wait of a node that other workers have refused, in words. */
export function waitsForVersion({ execution }: Run, node: number, hasTries = true): string | undefined {
  const holding = execution?.heldBack?.[node];
  const status = execution?.progress.status[node];
  // Who is not told of tries is not told that one is under way.
  const isWaiting = status === 'pending' || (status === 'running' && !hasTries);
  if (holding?.by !== 'version' || !isWaiting) return undefined;
  const { reason, since } = holding;
  return waitOf(`${APPROVED}: ${reason}`, since, hasTries ? holding : undefined, later(since, ASK_AFTER_MS));
}

/** @param next how often it was tried, and when it is tried again */
export function waitOf(
  reason: string,
  since: string,
  next?: Pick<Holding, 'times' | 'until'>,
  askedAt?: string,
): string {
  const tried = next === undefined || next.until === '' ? '' : `; try ${next.times + 1} at ${utc(next.until)}`;
  const asked = askedAt === undefined ? '' : `; a person is asked at ${utc(askedAt)}`;
  return `waits for ${reason}, since ${utc(since)}${tried}${asked}`;
}

function utc(time: string): string {
  return `${time.slice(11, 19)} UTC`;
}

function isHeldBy({ holding, waits }: Work, by: Held['by']): boolean {
  return waits === true && holding?.by === by;
}

function delayOf(times: number, { first, most } = PAUSE_MS): number {
  return Math.min(first * 2 ** Math.min(times, 20), most);
}
