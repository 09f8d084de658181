/** What the workflow does around the turns of a run: it obeys their orders, and goes on in one history after another. */

import type { Carried, Outcome, Resume, PlanShape, TraceEntry } from '../../../../src/protocol/index.ts';
import { pressureIn, type Pressure } from '../../../../src/workflows/run/drain.ts';
import { makeHandOver, restoreRun } from '../../../../src/workflows/run/hand-over.ts';
import { isFinished } from '../../../../src/workflows/run/nodes/progress.ts';
import type { CarriedState } from '../../../../src/workflows/run/state.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { shouldReplan } from '../../../../src/workflows/run/replan.ts';
import { takeTurn, type Orders } from '../../../../src/workflows/run/turn.ts';
import { REFUSES, writtenOf, inLine } from '../make-run.ts';
import { checkWorld, essenceOf, seenOf, takenUp } from './invariants.ts';
import { count, hold, isHeld, now, openHistory, type Flight, type World } from './model.ts';
import { begin, hearReplies } from './obey.ts';

/** More turns than anything here may take, one right after the other. */
const MOST_TURNS = 100;

/** What the workflow does after everything that happens: turns, until nothing more is to be done at once. */
export function advance(world: World): void {
  if (world.ended) return;
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const pressure = pressureNow(world);
    const unheard = countUnheard(world);
    const wasOver = world.run.state.approval.phase === 'closed';
    const arrivals = world.line.splice(0);
    const orders = takeTurn(world.run, { at: now(world), verify: REFUSES, arrivals, pressure });
    const isOver = world.run.state.approval.phase === 'closed';
    const isHeldNow = !isOver && isHeld(world, pressure);
    if (isOver && unheard > 0 && ENDED.includes(world.run.state.approval.closed?.outcome)) {
      hold('a run ends when whoever spoke in time was heard', wasOver, true);
    }
    hearReplies(world, orders.replies);
    for (const id of orders.cancel) {
      const flight = world.flights.get(id);
      hold('what is stopped is under way, and was not stopped before', flight?.stopped, false);
      if (flight !== undefined) stop(world, flight);
    }
    for (const part of orders.cancelParts) {
      hold(
        'a part that is told to stop is under way, and was not told before',
        [world.run.parts.has(part), world.halted.has(part)],
        [true, false],
      );
      world.halted.add(part);
      count(world, 'halted');
    }
    const [looks, begun] = partition(orders.begin, (id) => world.run.tasks[id]?.kind === 'look');
    if (isHeldNow || isOver) hold('nothing new begins', begun, []);
    for (const id of begun) begin(world, id);
    for (const id of looks)
      world.line.push({ is: 'ended', taskId: id, ended: { ok: true, value: { agents: [] } }, at: now(world) });
    if (isHeldNow) count(world, `held, ${pressure}`);
    world.turn += 1;
    world.ranOut = hasRunOut(world) ? (world.ranOut ?? now(world)) : undefined;
    world.history.events += 3;
    const isDone = world.flights.size === 0;
    // What stood in line has closed it at the end of this turn: the next one, which is taken at once, ends it.
    if (isOver && isDone && orders.hasMore && orders.next === 'wait') continue;
    const next = isDone && isOver ? 'end' : isDone && isHeldNow && mayGoOn(world) ? 'continue' : 'wait';
    hold('what comes next', orders.next, next);
    if (orders.next === 'end') {
      world.ended = true;
      return;
    }
    if (orders.next === 'continue') {
      count(world, 'asked the store');
      goOn(world);
      continue;
    }
    if (orders.hasMore) continue;
    if (world.line.length > 0) continue;
    checkCalm(world, orders, pressure);
    checkWorld(world, orders, isHeldNow);
    takenUp(world.run);
    world.rest = { ms: world.ms, pressure, due: orders.due };
    return;
  }
  throw new Error(`it took ${MOST_TURNS} turns, and would have taken more`);
}

/** How a run ends whose nodes have all ended. */
const ENDED: readonly (Outcome | undefined)[] = ['done', 'partial', 'failed'];

/** How many have spoken before all nodes had ended, and an activity has still to do something for what they said. */
function countUnheard(world: World): number {
  const until = world.ranOut ?? now(world);
  const { inbox } = world.run.state;
  return inbox.filter(({ waitsFor, at }) => ['room', 'activity'].includes(waitsFor) && at <= until).length;
}

function hasRunOut({ run, flights }: World): boolean {
  const isAtWork = [...flights.values()].some(({ kind }) => kind === 'node' || kind === 'draft');
  return !isAtWork && run.execution !== undefined && isFinished(run.execution.progress) && !shouldReplan(run);
}

function partition<T>(all: readonly T[], fits: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}

function mayGoOn({ history, ms }: World): boolean {
  return ms >= history.notBefore;
}

/** A node's attempt ends by itself; the run hears at once of what else it has stopped for a new history. */
function stop(world: World, flight: Flight): void {
  if (world.run.tasks[flight.id]?.isDrained !== true) {
    flight.stopped = true;
    return;
  }
  const { history, ms } = world;
  hold('what is stopped for a new history had time to end', ms >= (history.drainedAt ?? ms + 1), true);
  flight.drained = true;
  count(world, `drained: ${flight.kind}`);
  if (flight.kind === 'node') {
    if (history.pressure === 'events') world.drainedOnce.add(flight.key ?? '');
    return;
  }
  world.flights.delete(flight.id);
  const end = { status: 'cancelled', type: 'Cancelled', message: 'cancelled' } as const;
  const failure = { type: 'RETRIABLE', message: 'cancelled', details: [] } as const;
  world.line.push({ is: 'ended', taskId: flight.id, ended: { ok: false, end, failure }, at: now(world) });
}

/** A turn in which nothing has happened does nothing. */
function checkCalm(world: World, { due, next }: Orders, pressure: Pressure): void {
  const { run } = world;
  const before = essenceOf(run);
  const again = takeTurn(run, { at: now(world), verify: REFUSES, pressure });
  const nothing = { begin: [], cancel: [], cancelParts: [], replies: [], messageIds: [], runSignals: [] };
  hold('a turn in which nothing has happened', again, { ...nothing, due, hasMore: false, next });
  hold('the run after it', essenceOf(run), before);
}

/** @param more events that are about to be written */
export function pressureNow({ run, history }: World, more = 0): Pressure {
  const events = history.events + more;
  const length = { events, bytes: 0, signals: 0, updates: 0, isSuggested: events >= 4096 };
  return pressureIn(run, length, { events: 0, bytes: 0 });
}

/** Goes on in a new history, where the store takes what is carried over; senders that wait there have to ask again. */
function goOn(world: World): void {
  const { run, history, store, pages } = world;
  const asked = world.seen['asked the store'] ?? 0;
  if (store[asked % store.length] !== true) {
    world.line.push({ is: 'not-stored', reason: 'it is away', at: now(world) });
    history.notBefore = world.ms + 60_000;
    count(world, 'the store refused');
    return;
  }
  const { outbox, tasks } = run;
  const kept = Object.values(tasks).map(({ isDeferred }) => isDeferred);
  if (kept.length > 0) count(world, 'went on with work that begins again');
  const left = [
    outbox.begin,
    outbox.cancel,
    outbox.cancelParts,
    outbox.replies,
    kept.filter((one) => one !== true),
    [...run.parts],
  ];
  hold('nothing is left to be done', left, [[], [], [], [], [], []]);
  world.halted.clear();
  if (inLine(run) > 0) count(world, 'went on with messages in line');
  const { trace: _, ...before } = seenOf(run);
  const entries = traceIn(run, pages);
  world.run = nextRun(run, pages);
  hold('its trace', traceIn(world.run, pages), entries);
  const { trace: __, ...after } = seenOf(world.run);
  hold('what can be seen of it', after, before);
  for (const one of world.sent.values()) if (one.update !== undefined) one.waiting = 0;
  world.looked = world.run.state.trace.last;
  world.history = openHistory(history.number + 1);
  count(world, 'went on');
}

/** Of UTF-16 code units. */
const INLINE = 2000;

/** The run as the next history takes it up, by way of a store. */
function nextRun(run: Run, pages: Map<string, string>): Run {
  const before = writtenOf(run);
  const saved = makeHandOver(run, INLINE);
  const refs = saved.pages.map((page) => keep(page, pages));
  const resume = JSON.parse(JSON.stringify(saved.stored(refs).resume)) as Resume;
  hold('a run that is handed over stays as it is', writtenOf(run), before);
  const { state, planShape } = resume;
  const plan = planShape && (fetched(planShape, pages) as PlanShape);
  return restoreRun(run.workflowId, fetched(state, pages) as CarriedState, plan, resume);
}

function keep(page: string, pages: Map<string, string>): string {
  const ref = `page ${pages.size}`;
  pages.set(ref, page);
  return ref;
}

function fetched(carried: Carried, pages: ReadonlyMap<string, string>): unknown {
  return 'value' in carried ? carried.value : JSON.parse(carried.pages.map((ref) => pages.get(ref) ?? '').join(''));
}

function traceIn({ state: { trace } }: Run, pages: ReadonlyMap<string, string>): readonly TraceEntry[] {
  const stored = trace.stored.flatMap(({ ref }) => JSON.parse(pages.get(ref) ?? '[]') as TraceEntry[]);
  return [...stored, ...trace.entries];
}
