/**
 * The runs that somebody looks at: each is followed once, however many look, and no longer than they do. What it shows has
 * a mark, which becomes another one when any part of the page does.
 */

import { randomBytes } from 'node:crypto';
import { NO_VIEW, pause } from '../client/follow.ts';
import type { RunSession } from '../config/project/index.ts';
import type { Plans } from '../operations/index.ts';
import type { CompiledPlan } from '../plan/index.ts';
import { given, type RunView } from '../protocol/index.ts';
import { DoorError } from './door.ts';
import type { Html } from './markup.ts';

/** A run as the page shows it. */
export interface Seen extends Omit<RunView, 'compiled'> {
  readonly workflowId: string;
  /** As the server lists it, which needs no worker. */
  readonly listed?: NonNullable<RunSession['listed']>;
  /** The open plan, where the store at hand has it. */
  readonly plan?: CompiledPlan;
}

/** The parts of a page, by the ids of their elements. */
export type Parts = ReadonlyMap<string, Html>;

type Render = (seen: Seen) => Parts | Promise<Parts>;

export type Watches = ReturnType<typeof createWatches>;

/**
 * A worker that is there answers in milliseconds.
 * @bound a view of a run that a page waits for
 * @beyond the page shows what is known, and says that the worker has not answered
 */
const LOOK_MS = 2500;
/** Between a page and its live view, and from one page of a run to the next. */
const LINGER_MS = 15_000;
const SWEEP_MS = 1000;
/** What is under way is told again so often: time goes by. */
const TICK_MS = 5000;
/**
 * Runs that are followed at once, and the live views of all.
 * @bound .runs runs that are followed at once
 * @beyond the page of one that nobody looks at makes room, else 503
 * @bound .views live views of runs at once
 * @beyond 503
 */
const MOST = { runs: 200, views: 1000 };

export function createWatches(plans: Pick<Plans, 'run'>, render: Render) {
  const watches = new Map<string, ReturnType<typeof watchOf>>();
  let views = 0;
  const sweeping = setInterval(() => {
    for (const [id, one] of watches) if (one.isLeft()) end(id);
  }, SWEEP_MS);
  sweeping.unref();

  function end(id: string): void {
    watches.get(id)?.stop();
    watches.delete(id);
  }

  function hold(): () => void {
    if (views >= MOST.views)
      throw new DoorError(503, `${MOST.views} live views are open; close some, or load the page again`);
    views += 1;
    return () => void (views -= 1);
  }

  async function begin(id: string) {
    const session = await plans.run(id);
    const known = watches.get(id);
    if (known !== undefined) return known;
    if (watches.size >= MOST.runs) {
      const idle = [...watches].find(([, one]) => one.isFree());
      if (idle === undefined) throw new DoorError(503, `${MOST.runs} runs are being watched; close the page of one`);
      end(idle[0]);
    }
    const made = watchOf(session, render, hold);
    watches.set(id, made);
    return made;
  }

  return {
    /** A run as it stands now, or as far as is known within 2.5 s. @throws the errors of the rooms below */
    async look(id: string) {
      const watch = watches.get(id) ?? (await begin(id));
      try {
        return await watch.look();
      } catch (error) {
        if (watches.get(id) === watch) end(id);
        throw error;
      }
    },
    /** Somebody has said something to the run: the next look waits for how it stands after that. */
    renew(id: string): void {
      // One that has ended is followed by another, should it go on all the same.
      if (watches.get(id)?.isOver() === true) end(id);
      else watches.get(id)?.renew();
    },
    close() {
      clearInterval(sweeping);
      for (const id of watches.keys()) end(id);
    },
  };
}

/** Follows one run. */
function watchOf(session: RunSession, render: Render, holdView: () => () => void) {
  const { run, listed } = session;
  const over = new AbortController();
  // A mark of another watch, as after a restart, says nothing here.
  const name = randomBytes(6).toString('base64url');
  const listeners = new Set<() => void>();
  const rests = restsBetween();
  let version = 0;
  let holders = 0;
  let usedAt = Date.now();
  let isOver = false;
  let failure: unknown;
  let seen: Seen = { ...NO_VIEW, workflowId: run.workflowId, ...given({ listed }) };
  let parts: Parts = new Map();

  const following = follow()
    .catch((error: unknown) => {
      if (over.signal.aborted) return;
      failure = error;
      // Whoever looks loads the page again, and is told.
      version += 1;
    })
    .then(() => {
      isOver = true;
      rests.settle();
      tell();
    });
  const ticking = setInterval(() => {
    if (!isOver && holders > 0 && (seen.attempts.length > 0 || seen.trouble !== undefined)) void publish(seen);
  }, TICK_MS);
  ticking.unref();

  async function follow(): Promise<void> {
    await publish(seen);
    const options = { signal: over.signal, contents: true, rest: rests.rest };
    for await (const { compiled: plan, ...view } of run.follow(options))
      await publish({ ...view, workflowId: run.workflowId, ...given({ listed, plan }) });
  }

  async function publish(next: Seen): Promise<void> {
    seen = next;
    const shown = await render(next);
    // A plan is laid out meanwhile; what came later is shown.
    if (seen !== next) return;
    if ([...shown].some(([id, part]) => String(parts.get(id)) !== String(part))) version += 1;
    parts = shown;
    tell();
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  const markOf = () => `${name}.${version}`;
  const watched = () => ({
    /** `mark` names what is shown; once it is over, it will not change any more. */
    ...{ seen, parts, mark: markOf(), markNow: markOf, isOver: () => isOver },
    /** Resolves when something else is shown than under this mark, when it is over, or when the signal is aborted. */
    changed: (mark: string, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const listener = () => {
          if (markOf() === mark && !isOver && !signal.aborted) return;
          listeners.delete(listener);
          signal.removeEventListener('abort', listener);
          resolve();
        };
        listeners.add(listener);
        signal.addEventListener('abort', listener, { once: true });
        listener();
      }),
    /** Keeps it for somebody who stays, until they let go. @throws DoorError beyond so many */
    hold(): () => void {
      const letGo = holdView();
      holders += 1;
      return () => {
        letGo();
        holders -= 1;
        usedAt = Date.now();
      };
    },
  });

  return {
    async look() {
      usedAt = Date.now();
      await rests.fresh(LOOK_MS);
      if (failure !== undefined) throw failure;
      return watched();
    },
    renew: rests.renew,
    isOver: () => isOver,
    isFree: () => holders === 0,
    isLeft: () => holders === 0 && Date.now() - usedAt > LINGER_MS,
    stop() {
      clearInterval(ticking);
      rests.settle();
      over.abort(new Error('nobody looks at it any more'));
      void following;
    },
  };
}

/** The time that one query of a run takes up. */
const QUERY_MS = 500;
/** Pages of the queries `nodes` and `questions`. */
const PAGE = { nodes: 500, items: 100 };

/**
 * The queries of a look at most: its status, its nodes and open items, the steps of a loop, the plan of a new revision.
 * An agent at work is a run of its own, asked three times a look at most.
 */
function queriesOf({ status, nodes, open }: Pick<RunView, 'status' | 'nodes' | 'open'>): number {
  const pages = (count: number, page: number) => Math.max(1, Math.ceil(count / page));
  const waits = Math.max(open.length, status?.waitingFor ?? 0);
  const total = Math.max(nodes.length, status?.counts.total ?? 0);
  return 2 + pages(total, PAGE.nodes) + pages(waits, PAGE.items) + (status?.loop === undefined ? 0 : 1);
}

/** The rests between the readings of one watch: at most two queries a second, and none after somebody said something. */
function restsBetween() {
  let isFresh = false;
  let isSpoken = false;
  let waiting: (() => void)[] = [];
  let sooner = new AbortController();

  /** There is no other reading to wait for. */
  function settle(): void {
    isFresh = true;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    async rest(view: RunView, over: AbortSignal): Promise<void> {
      // A reading that was under way when somebody spoke may have missed it.
      if (!isSpoken) {
        settle();
        sooner = new AbortController();
        await pause(QUERY_MS * queriesOf(view), AbortSignal.any([over, sooner.signal]));
      }
      isSpoken = false;
    },
    /** The next reading is made at once; `fresh` waits for it. */
    renew(): void {
      isFresh = false;
      isSpoken = true;
      sooner.abort();
    },
    /** Resolves when a reading has ended that began after the last `renew`, or after so many milliseconds. */
    fresh: (ms: number) =>
      new Promise<void>((resolve) => {
        if (isFresh) resolve();
        else {
          waiting.push(resolve);
          setTimeout(resolve, ms);
        }
      }),
    settle,
  };
}
