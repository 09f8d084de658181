/** Follows each run that has readers, once for all readers. The mark of its page changes whenever a part changes. */

import { randomBytes } from 'node:crypto';
import { NO_VIEW, pause } from '../client/follow.ts';
import type { RunSession } from '../config/project/index.ts';
import type { Plans } from '../operations/index.ts';
import type { CompiledPlan } from '../plan/index.ts';
import { given, type RunView } from '../protocol/index.ts';
import { AccessError } from './access.ts';
import type { Html } from './markup.ts';

export interface Seen extends Omit<RunView, 'compiled'> {
  readonly workflowId: string;
  readonly listed?: NonNullable<RunSession['listed']>;
  /** The open plan, if this store has it. */
  readonly plan?: CompiledPlan;
}

export type PageParts = ReadonlyMap<string, Html>;

type Render = (seen: Seen) => PageParts | Promise<PageParts>;

export type Watches = ReturnType<typeof createWatches>;

/** Time limit in ms of one view of a run. A running worker answers within milliseconds. */
const LOOK_MS = 2500;
/** How long a run without readers is followed, in ms, for example between two of its pages. */
const LINGER_MS = 15_000;
const SWEEP_MS = 1000;
/** Interval in ms at which running nodes are redrawn, since their durations change. */
const TICK_MS = 5000;
/** Maximum number of runs that are followed at once. */
const MAX_RUNS = 200;

export function createWatches(plans: Pick<Plans, 'run'>, render: Render) {
  const watches = new Map<string, ReturnType<typeof watchOf>>();
  const sweeping = setInterval(() => {
    for (const [id, one] of watches) if (one.isLeft()) end(id);
  }, SWEEP_MS);
  sweeping.unref();

  function end(id: string): void {
    watches.get(id)?.stop();
    watches.delete(id);
  }

  async function begin(id: string) {
    const session = await plans.run(id);
    const existing = watches.get(id);
    if (existing !== undefined) return existing;
    if (watches.size >= MAX_RUNS) {
      const idle = [...watches].find(([, one]) => one.isFree());
      if (idle === undefined) throw new AccessError(503, `${MAX_RUNS} runs are being watched; close the page of one`);
      end(idle[0]);
    }
    const made = watchOf(session, render);
    watches.set(id, made);
    return made;
  }

  return {
    /** Looks at a run. After 2.5 s, returns what is known by then. @throws the errors of the client */
    async look(id: string) {
      const watch = watches.get(id) ?? (await begin(id));
      try {
        return await watch.look();
      } catch (error) {
        if (watches.get(id) === watch) end(id);
        throw error;
      }
    },
    /** Marks the view as old, so that the next page after a message waits for a newer one. */
    renew(id: string): void {
      // If an ended run continues after all, a new watch follows it.
      if (watches.get(id)?.isOver() === true) end(id);
      else watches.get(id)?.renew();
    },
    close() {
      clearInterval(sweeping);
      for (const id of watches.keys()) end(id);
    },
  };
}

function watchOf(session: RunSession, render: Render) {
  const { run, listed } = session;
  const over = new AbortController();
  // Marks of another watch, for example from before a restart, are invalid, since each watch has a random name.
  const name = randomBytes(6).toString('base64url');
  const listeners = new Set<() => void>();
  const rests = restsBetween();
  let version = 0;
  let holders = 0;
  let usedAt = Date.now();
  let isOver = false;
  let failure: unknown;
  let seen: Seen = { ...NO_VIEW, workflowId: run.workflowId, ...given({ listed }) };
  let parts: PageParts = new Map();

  const following = follow()
    .catch((error: unknown) => {
      if (over.signal.aborted) return;
      failure = error;
      // Changes the mark, so that browsers reload the page, which then shows the failure.
      version += 1;
    })
    .then(() => {
      isOver = true;
      rests.settle();
      notify();
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
    const rendered = await render(next);
    // A newer view arrived during the layout.
    if (seen !== next) return;
    if ([...rendered].some(([id, part]) => String(parts.get(id)) !== String(part))) version += 1;
    parts = rendered;
    notify();
  }

  function notify(): void {
    for (const listener of listeners) listener();
  }

  const markOf = () => `${name}.${version}`;
  const watched = () => ({
    /** `mark` identifies the contents of the page. After the run's end it does not change any more. */
    ...{ seen, parts, mark: markOf(), markNow: markOf, isOver: () => isOver },
    /** Resolves if the contents do not match `mark` any more, at the end, or on abort. */
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
    /** Follows the run for a live view until the caller releases it. */
    hold(): () => void {
      holders += 1;
      return () => {
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

const QUERY_MS = 500;
const PAGE = { nodes: 500, items: 100 };

/** Maximum number of queries for a view: status, nodes, items, steps, a new plan, and three for each agent. */
function queriesOf({ status, nodes, open }: Pick<RunView, 'status' | 'nodes' | 'open'>): number {
  const pages = (count: number, page: number) => Math.max(1, Math.ceil(count / page));
  const waits = Math.max(open.length, status?.waitingFor ?? 0);
  const total = Math.max(nodes.length, status?.counts.total ?? 0);
  return 2 + pages(total, PAGE.nodes) + pages(waits, PAGE.items) + (status?.loop === undefined ? 0 : 1);
}

/** Pauses between readings, so that there are at most two queries a second. No pause follows a message. */
function restsBetween() {
  let isFresh = false;
  let isSpoken = false;
  let waiting: (() => void)[] = [];
  let sooner = new AbortController();

  function settle(): void {
    isFresh = true;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    async rest(view: RunView, over: AbortSignal): Promise<void> {
      // After a message, reads again at once: a reading that began before the message may not show its effect.
      if (!isSpoken) {
        settle();
        sooner = new AbortController();
        await pause(QUERY_MS * queriesOf(view), AbortSignal.any([over, sooner.signal]));
      }
      isSpoken = false;
    },
    /** Starts the next reading of the run at once. `fresh` waits for that reading. */
    renew(): void {
      isFresh = false;
      isSpoken = true;
      sooner.abort();
    },
    /** Waits for a reading of the run that began after the last message (`renew`), but at most `ms` milliseconds. */
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
