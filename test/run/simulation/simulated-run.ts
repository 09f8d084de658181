/** A run with everything around it but Temporal: work under way, time, people who wait, and one history after another. */

import type { ApprovalRule, HistoryBudget, NodeEnd, Question, RunOptions } from '../../../src/wire/contract/index.ts';
import { nextDeadline } from '../../../src/engine/run/deadlines.ts';
import { isCutOff } from '../../../src/engine/run/kill.ts';
import { land } from '../../../src/engine/run/land.ts';
import type { Landing } from '../../../src/engine/run/landing.ts';
import { mayBegin } from '../../../src/engine/run/may-begin.ts';
import { openRun } from '../../../src/engine/run/run.ts';
import { AT, handle, NO_PROJECT, REFUSES } from '../make-run.ts';
import { sliceOfPlan, type RandomPlan } from '../random-plan.ts';
import { essenceOf, seenOf, takenUp } from './invariants.ts';
import { count, digestOf, hold, isCovered, now, openHistory, type Flight, type World } from './model.ts';
import { isPiece, landPiece, resultOf } from './parts.ts';
import { advance } from './turns.ts';

/** `asks first`: its worker asks the run whether the effect may begin, and it succeeds or is held back. */
export type Ending = 'succeeded' | 'failed' | 'uncertain' | 'cancelled' | 'asks first' | Question;
/** What an activity gives that was to store a value or to compile a plan: it, a refusal, or nothing. */
export type Arriving = 'there' | 'invalid' | 'failed';

const BROKE = { type: 'CRITICAL', message: 'broke' };
const FAILURE = { type: 'CRITICAL', message: 'broke', details: [] } as const;

export function openWorld(
  plan: RandomPlan,
  rules: readonly ApprovalRule[],
  options: Partial<RunOptions>,
  { budget, store = [true] }: { budget?: HistoryBudget | undefined; store?: readonly boolean[] } = {},
): World {
  const run = openRun('plan-1', AT);
  Object.assign(run.dialogue, {
    source: { document: {} },
    options: { ...run.dialogue.options, ...options, approval: { rules } },
  });
  const world: World = {
    run,
    ms: 0,
    plan,
    rules,
    budget,
    flights: new Map(),
    sent: new Map(),
    stands: new Map(),
    readers: new Set(),
    started: new Set(),
    halted: new Set(),
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
  const project = { ...NO_PROJECT, ...(budget !== undefined && { budget }) };
  bring(world, draft, { ok: true, value: { ok: true, slice: sliceOfPlan(plan, digestOf(1)), project } });
  hold('it is compiled', run.execution !== undefined || isCutOff(run), true);
  advance(world);
}

/** Work on a node ends, if there is any. */
export function landNode(world: World, pick: number, ending: Ending): void {
  const flights = [...world.flights.values()].filter(({ kind }) => kind === 'node');
  const flight = flights[pick % Math.max(1, flights.length)];
  if (flight === undefined) return;
  if (isPiece(flight)) {
    const isWell = ending === 'succeeded' || ending === 'asks first';
    landPiece(world, flight, pick, () => (isWell ? 'succeeded' : 'failed'));
    return;
  }
  const { run } = world;
  const work = run.work.get(flight.id);
  if (ending === 'asks first' && isHeldBack(world, flight)) {
    bring(world, flight, { ok: true, value: { held: 'it may not begin' } });
    if (!flight.stopped) world.started.delete(flight.key ?? '');
    count(world, work?.kind === 'unused' ? 'held back, and unused' : 'held back');
    advance(world);
    return;
  }
  bring(world, flight, landingOf(flight, ending));
  if (work?.kind === 'unused') {
    count(world, 'landed unused');
  } else {
    const node = work?.kind === 'node' ? work.node : -1;
    for (const asked of run.dialogue.questions.values()) {
      if (asked.node === node) world.askedBy.set(asked.id, flight.key ?? '');
    }
    count(world, typeof ending === 'object' ? 'landed question' : `landed ${ending}`);
    if (flight.stopped && isCutOff(run))
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
function isHeldBack({ run, plan, ...world }: World, { id, key, effect, stopped }: Flight): boolean {
  if (effect === 'read') return false;
  const node = plan.findIndex((one) => one.key === key);
  const { paused, cancelled, approval } = run.dialogue;
  const isStopped = paused || cancelled || stopped || approval.rejected || approval.phase === 'closed';
  const stands = node >= 0 && !isStopped && isCovered({ run, plan, ...world }, node);
  hold(`${key} may begin`, mayBegin(run, id).ok, stands);
  return !stands;
}

function landingOf({ key = '', effect, stopped }: Flight, ending: Ending): Landing {
  if (ending === 'succeeded' || ending === 'asks first') return { ok: true, value: handle(resultOf(key)) };
  if (typeof ending === 'object') return { ok: true, value: { asks: ending } };
  const isUnsure = effect === 'at-most-once' && ending !== 'failed';
  const status = isUnsure ? 'uncertain' : ending === 'cancelled' && stopped ? 'cancelled' : 'failed';
  const end: NodeEnd = { ...BROKE, status };
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
  if (reply?.ok === true && edited !== undefined && run.execution?.slice.digest === edited.digest) {
    world.plan = edited.plan;
    const keys = new Set(edited.plan.map(({ key }) => key));
    for (const key of world.stands.keys()) if (!keys.has(key)) world.stands.delete(key);
    edited.plan.forEach(({ key, effect }, node) => {
      // A read that failed is tried anew in the new plan.
      if (statuses[edited.sameAs[node] ?? -1] === 'failed' && effect === 'read') world.started.delete(key);
    });
  }
  advance(world);
}

function arrivalOf({ edited, value, asksKeys }: Flight, how: Arriving): Landing {
  if (how === 'failed') return { ok: false, end: { ...BROKE, status: 'failed' }, failure: FAILURE };
  if (asksKeys === true) return { ok: true, value: { keys: {}, unsigned: true } };
  const issues = [{ severity: 'error', path: '$', message: 'Wrong.' }];
  if (edited !== undefined) {
    const { plan, sameAs, digest } = edited;
    const compiled = { ok: true, slice: sliceOfPlan(plan, digest), sameAs, project: NO_PROJECT };
    return { ok: true, value: how === 'there' ? compiled : { ok: false, issues } };
  }
  const stored = { ok: true, handle: handle(`ref-${JSON.stringify(value)}`) };
  return { ok: true, value: how === 'there' ? stored : { ok: false, reason: 'it does not fit' } };
}

function bring(world: World, { id }: Flight, landing: Landing): void {
  world.flights.delete(id);
  world.history.events += 2;
  land(world.run, id, landing, now(world), REFUSES);
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
  const before = seenOf(world.run);
  world.run = takenUp(world.run);
  hold('what can be seen of it', seenOf(world.run), before);
  delete world.history.held;
  world.history.notBefore = 0;
  count(world, 'taken up');
  if (world.flights.size > 0) count(world, 'taken up with work under way');
  advance(world);
}
