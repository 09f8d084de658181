/** A run with everything around it but Temporal: work under way, time, people who wait, and one history after another. */

import {
  type ApprovalRule,
  type HistoryBudget,
  type NodeEnd,
  type Question,
  type RunOptions,
  NO_USAGE,
} from '../../../../src/protocol/index.ts';
import { nextDeadline } from '../../../../src/workflows/run/deadlines.ts';
import { openRun, cancelsEverything } from '../../../../src/workflows/run/run.ts';
import { applyEnd } from '../../../../src/workflows/run/arrive.ts';
import type { TaskEnd } from '../../../../src/workflows/run/task-traits.ts';
import { permissionOf } from '../../../../src/workflows/run/may-begin.ts';
import { shouldReplan } from '../../../../src/workflows/run/replan.ts';
import { AT, handle, NO_PROJECT, REFUSES } from '../make-run.ts';
import { applyEdit, planShapeOf, type RandomEdit, type RandomPlan } from '../random-plan.ts';
import { essenceOf, seenOf, takenUp } from './invariants.ts';
import { count, digestOf, hold, isCovered, makeAnew, now, openHistory, type Flight, type World } from './model.ts';
import { isPiece, landPiece, resultOf } from './parts.ts';
import { advance } from './turns.ts';

/** `asks first`: its worker asks the run whether the effect may begin, and it succeeds or is held back. */
export type Ending =
  | 'succeeded'
  | 'failed'
  | 'needs another plan'
  | 'uncertain'
  | 'cancelled'
  | 'asks first'
  | Question;
/** What an activity gives that was to store a value or to compile a plan: it, a refusal, or nothing. */
export type Arriving = 'there' | 'invalid' | 'failed';

/** What the planner comes to, or its activity. */
export type Planned = 'a plan' | 'no plan' | 'nothing selected' | 'a question' | 'no model' | 'a broken worker';

const BROKE = { type: 'CRITICAL', message: 'broke' };
const FAILURE = { type: 'CRITICAL', message: 'broke', details: [] } as const;

export function openWorld(
  plan: RandomPlan,
  rules: readonly ApprovalRule[],
  options: Partial<RunOptions>,
  { budget, store = [true] }: { budget?: HistoryBudget | undefined; store?: readonly boolean[] } = {},
): World {
  const run = openRun('plan-1', AT);
  Object.assign(run.state, {
    source: { document: {} },
    options: { ...run.state.options, ...options, approval: { rules } },
    // Nobody words a failure here.
    report: 'done',
  });
  const world: World = {
    run,
    ms: 0,
    plan,
    rules,
    ownRules: rules,
    budget,
    flights: new Map(),
    sent: new Map(),
    stands: new Map(),
    readers: new Set(),
    started: new Set(),
    halted: new Set(),
    drainedOnce: new Set(),
    askedBy: new Map(),
    seen: {},
    plans: 1,
    history: openHistory(1),
    store,
    pages: new Map(),
    looked: 0,
    turn: 0,
    rest: undefined,
    ranOut: undefined,
    ended: false,
    line: [],
  };
  advance(world);
  return world;
}

/** The plan is compiled, and what came before it is heard. */
export function compile(world: World): void {
  const { run, plan, budget } = world;
  const draft = [...world.flights.values()].find(({ kind }) => kind === 'draft');
  if (draft === undefined) return;
  const { onFailure } = run.state.options;
  const planner = onFailure === 'replan' ? { planner: true as const } : {};
  const project = { ...NO_PROJECT, ...planner, ...(budget !== undefined && { budget }) };
  bring(world, draft, { ok: true, value: { ok: true, planShape: planShapeOf(plan, digestOf(1)), project } });
  hold('it is compiled', run.execution !== undefined || cancelsEverything(run), true);
  advance(world);
}

/** Work on a node ends, if there is any. */
export function applyNode(world: World, pick: number, ending: Ending): void {
  const flights = [...world.flights.values()].filter(({ kind }) => kind === 'node');
  const flight = flights[pick % Math.max(1, flights.length)];
  if (flight === undefined) return;
  if (isPiece(flight)) {
    landPiece(world, flight, pick, () => ending === 'succeeded' || ending === 'asks first');
    return;
  }
  const { run } = world;
  const work = run.tasks[flight.id];
  if (ending === 'asks first' && isHeldBack(world, flight)) {
    bring(world, flight, { ok: true, value: { deferred: 'run', reason: 'it may not begin' } });
    if (!flight.stopped) world.started.delete(flight.key ?? '');
    count(world, work?.kind === 'unused' ? 'held back, and unused' : 'held back');
    advance(world);
    return;
  }
  const drained = flight.drained === true && !flight.stopped && work?.kind === 'node';
  bring(world, flight, landingOf(flight, ending));
  if (drained && comesBack(flight, ending)) {
    world.started.delete(flight.key ?? '');
    count(world, `came back: ${flight.effect}`);
  } else if (work?.kind === 'unused') {
    count(world, 'landed unused');
  } else {
    const node = work?.kind === 'node' ? work.node : -1;
    for (const asked of Object.values(run.state.questions)) {
      if (asked.node === node) world.askedBy.set(asked.id, flight.key ?? '');
    }
    count(world, typeof ending === 'object' ? 'landed question' : `landed ${ending}`);
    if (flight.stopped && cancelsEverything(run))
      count(world, `cut off, and then ${typeof ending === 'object' ? 'asks' : ending}`);
    else if (flight.stopped) {
      const status = run.execution?.progress.status[node] ?? '';
      hold('what was cancelled is cancelled', ['cancelled', 'uncertain'].includes(status), true);
      count(world, `cancelled, and then ${typeof ending === 'object' ? 'asks' : ending}`);
    }
  }
  advance(world);
}

/** What the run says must be what the model knows: who stands by the node, and who has stopped what. */
function isHeldBack({ run, plan, ...world }: World, { id, key, effect, stopped, drained }: Flight): boolean {
  if (effect === 'read') return false;
  const node = plan.findIndex((one) => one.key === key);
  const { paused, cancelled, approval } = run.state;
  const isOver = approval.rejected || approval.phase === 'closed';
  const isStopped = paused || cancelled || stopped || drained === true || isOver || shouldReplan(run);
  const stands = node >= 0 && !isStopped && isCovered({ run, plan, ...world }, node);
  hold(`${key} may begin`, permissionOf(run, id).ok, stands);
  return !stands;
}

/** Whether a node that was stopped for a new history begins again there: this end is no end. */
function comesBack({ effect }: Flight, ending: Ending): boolean {
  return ending === 'cancelled' && effect !== 'at-most-once';
}

function landingOf({ key = '', effect, stopped, drained }: Flight, ending: Ending): TaskEnd {
  if (ending === 'succeeded' || ending === 'asks first') return { ok: true, value: handle(resultOf(key)) };
  if (typeof ending === 'object') return { ok: true, value: { asks: ending } };
  const isUnsure = effect === 'at-most-once' && ending !== 'failed';
  const isStopped = stopped || drained === true;
  const status = isUnsure ? 'uncertain' : ending === 'cancelled' && isStopped ? 'cancelled' : 'failed';
  const type = /[13579]$/.test(key) ? 'RECLASSIFICATION' : 'REPLANNING';
  const end: NodeEnd = { ...BROKE, ...(ending === 'needs another plan' && { type }), status };
  return { ok: false, end, failure: FAILURE };
}

/** What an activity does for a message, or for a default, is there. */
export function arrive(world: World, pick: number, how: Arriving): void {
  const flights = [...world.flights.values()].filter(({ kind }) => kind === 'message' || kind === 'default');
  const flight = flights[pick % Math.max(1, flights.length)];
  if (flight === undefined) return;
  const { run } = world;
  const { edited } = flight;
  const statuses = [...(run.execution?.progress.status ?? [])];
  const before = essenceOf(run);
  const replies = run.outbox.replies.length;
  bring(world, flight, arrivalOf(flight, how));
  const reply = run.outbox.replies[replies]?.reply;
  if (flight.kind === 'message') hold('it is replied to', reply === undefined, false);
  if (reply?.ok === false) hold('a refusal changes nothing', essenceOf(run), before);
  if (reply?.ok === true && edited !== undefined && run.execution?.planShape.digest === edited.digest) {
    world.plan = edited.plan;
    world.rules = world.ownRules;
    const keys = new Set(edited.plan.map(({ key }) => key));
    for (const key of world.stands.keys()) if (!keys.has(key)) world.stands.delete(key);
    tryAgain(world, edited, statuses);
  }
  advance(world);
}

/** The planner, that makes the plan anew, ends a stage. @param edit how its plan differs from the open one */
export function landPlan(world: World, how: Planned, edit: RandomEdit): void {
  const flight = [...world.flights.values()].find(({ kind }) => kind === 'plan');
  if (flight === undefined) return;
  const { run } = world;
  world.plans += 1;
  const made = { ...applyEdit(world.plan, edit, world.plans), digest: digestOf(world.plans) };
  const statuses = [...(run.execution?.progress.status ?? [])];
  const isWanted = shouldReplan(run);
  const { planning } = run.state;
  const settled = ofStage(how, planning?.stage === 'select');
  bring(world, flight, plannedBy(settled, made));
  const isOpen = run.execution?.planShape.digest === made.digest;
  if (settled === 'a plan') hold('a plan that is wanted is the open one', isOpen, isWanted && !flight.stopped);
  if (isOpen) {
    const isFallback = planning?.stage === 'fallback';
    makeAnew(world, made.plan, isFallback);
    tryAgain(world, made, statuses);
    const { approval } = run.state;
    count(world, isFallback ? 'made anew, as a fallback' : 'made anew');
    count(world, `made anew: ${approval.phase}`);
  } else count(world, isWanted ? `the planner has ${settled}` : 'what the planner has is not used');
  advance(world);
}

/** Only where capabilities are selected does a planner have none, and no plan yet. */
function ofStage(how: Planned, isSelecting: boolean): Planned | 'something selected' {
  if (isSelecting) return how === 'a plan' ? 'something selected' : how;
  return how === 'nothing selected' ? 'no plan' : how;
}

function plannedBy(
  how: Planned | 'something selected',
  { plan, sameAs, digest }: NonNullable<Flight['edited']>,
): TaskEnd {
  if (how === 'a broken worker') return { ok: false, end: { ...BROKE, status: 'failed' }, failure: FAILURE };
  const trouble = { severity: 'REPLANNING', message: 'no' };
  const outcomes = {
    'a plan': { is: 'compiled', planShape: planShapeOf(plan, digest), sameAs },
    'something selected': { is: 'selected', count: 1 },
    'nothing selected': { is: 'selected', count: 0 },
    'no plan': { is: 'invalid', trouble, issues: [] },
    'no model': { is: 'failed', trouble },
    'a question': { is: 'asks', question: { text: 'which?' } },
  } as const;
  return { ok: true, value: { notes: 'n', usage: NO_USAGE, project: NO_PROJECT, outcome: outcomes[how] } };
}

/** A read that failed is tried anew in the new plan. */
function tryAgain(
  { started }: World,
  { plan, sameAs }: NonNullable<Flight['edited']>,
  statuses: readonly string[],
): void {
  plan.forEach(({ key, effect }, node) => {
    if (statuses[sameAs[node] ?? -1] === 'failed' && effect === 'read') started.delete(key);
  });
}

function arrivalOf({ edited, value, asksKeys, isPlanned }: Flight, how: Arriving): TaskEnd {
  if (how === 'failed') return { ok: false, end: { ...BROKE, status: 'failed' }, failure: FAILURE };
  if (asksKeys === true) return { ok: true, value: { keys: {}, unsigned: true } };
  const issues = [{ severity: 'error', path: '$', message: 'Wrong.' }];
  if (edited !== undefined && isPlanned === true) return plannedBy(how === 'there' ? 'a plan' : 'no model', edited);
  if (edited !== undefined) {
    const { plan, sameAs, digest } = edited;
    const compiled = { ok: true, planShape: planShapeOf(plan, digest), sameAs, project: NO_PROJECT };
    return { ok: true, value: how === 'there' ? compiled : { ok: false, issues } };
  }
  const stored = { ok: true, handle: handle(`ref-${JSON.stringify(value)}`) };
  return { ok: true, value: how === 'there' ? stored : { ok: false, reason: 'it does not fit' } };
}

function bring(world: World, { id }: Flight, ended: TaskEnd): void {
  world.flights.delete(id);
  world.history.events += 2;
  applyEnd(world.run, id, ended, now(world), REFUSES);
}

/** Time passes; the alarm may ring later than what is said at that time. */
export function wait(world: World, ms: number, rings: boolean): void {
  if (world.ended) return;
  world.ms += ms;
  if (!rings) return;
  const due = nextDeadline(world.run);
  if (due !== undefined && due <= now(world)) count(world, 'deadline');
  advance(world);
}

/** Somebody cancels the run through Temporal. */
export function cancel(world: World): void {
  if (world.ended) return;
  world.line.push({ is: 'cancelled', at: now(world) });
  count(world, 'cancelled by Temporal');
  advance(world);
}

/** The run is written down and taken up again, in the midst of whatever is under way. */
export function takeUp(world: World): void {
  // No history is handed over while a part is under way.
  if (world.ended || world.run.parts.size > 0) return;
  // Only this history waits for the store.
  delete world.run.drain.backoff;
  const before = seenOf(world.run);
  world.run = takenUp(world.run);
  hold('what can be seen of it', seenOf(world.run), before);
  delete world.history.drainedAt;
  world.history.notBefore = 0;
  count(world, 'taken up');
  if (world.flights.size > 0) count(world, 'taken up with work under way');
  advance(world);
}
