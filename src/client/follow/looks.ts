/** Asks a run how it stands, again and again, until it ends. */

import type { RunEnd } from '../run-end.ts';
import type { ClientError } from '../client-error.ts';
import type { RunHandle } from '../run-handle.ts';
import { countWaiting, type OpenItem, type RunStatus } from '../../protocol/index.ts';
import { passingCode, pause } from './waits.ts';
import { createEars, type AgentEars } from './hear-agents.ts';
import { createPlannerEars, type PlannerEars } from './hear-planner.ts';
import { NO_VIEW, type RunView, type Trouble } from './run-view.ts';

export interface FollowOptions {
  /** Ends the watch, which then throws the signal's reason; the run goes on. */
  readonly signal: AbortSignal;
  /** Tells a server that is gone from a run without a worker. */
  readonly server: { readonly address: string; answers(): Promise<boolean> };
  /** Milliseconds between two looks at the run. Default 300. */
  readonly everyMs?: number;
  /** The wait between two looks, in place of `everyMs`, of a watcher with a pace of its own; called after each look. */
  readonly rest?: (view: RunView, over: AbortSignal) => Promise<unknown>;
}

/** A question costs the worker a workflow task, so large runs, which answer slower, are asked less often. */
const PAUSE_MS = 300;
const PAUSE_PER_ANSWER = 5;

/** The views of a run as far as the run itself tells them, a view for each change, the last one with its end. */
export async function* looksAt(run: RunHandle, options: FollowOptions): AsyncGenerator<RunView, void> {
  const { signal, everyMs = PAUSE_MS, rest } = options;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const ended = run.end(either);
  const ears = { agents: createEars(run), planner: createPlannerEars(run) };
  let view = NO_VIEW;
  try {
    for (;;) {
      const asked = Date.now();
      const looking = look(run, ears, view, options);
      const next = await Promise.race([ended, looking]);
      if ('how' in next) {
        // Two looks at once would each take the other's half for told.
        await looking.catch(() => undefined);
        yield await lastView(run, ears, view, next);
        return;
      }
      if (next !== view) yield next;
      view = next;
      const wait = () => pause(Math.max(everyMs, (Date.now() - asked) * PAUSE_PER_ANSWER), either);
      await Promise.race([ended, rest?.(next, either) ?? wait()]);
    }
  } finally {
    over.abort();
  }
}

interface Ears {
  readonly agents: AgentEars;
  readonly planner: PlannerEars;
}

/** The view after this one; the same where nothing has changed. */
async function look(run: RunHandle, ears: Ears, before: RunView, { server }: FollowOptions): Promise<RunView> {
  try {
    const status = await run.status();
    const nodes = isProgress(status, before.status) ? await listed(run.nodes()) : before.nodes;
    const open = mayWaitAnew(status, before.status) ? await openOf(run, status) : before.open;
    const heard = await ears.agents.listen(status);
    const feedback = await ears.planner(status, nodes);
    const now = { status, nodes, open, attempts: before.attempts, feedback, ...heard };
    return before.trouble === undefined && isSameView(now, before) ? before : now;
  } catch (error) {
    const trouble = await troubleOf(error, server);
    if (trouble === undefined) throw error;
    const isKnown = before.trouble?.message === trouble.message && !before.trouble.unattended === !trouble.unattended;
    return isKnown ? before : { ...before, trouble };
  }
}

/** A worker that has much to do may miss the first question about a run that has ended. */
const LAST_LOOKS = 2;

/** The last view of a run, as it stood in the end where somebody can still tell. */
async function lastView(
  run: RunHandle,
  ears: Ears,
  before: RunView,
  end: RunEnd,
  looks = LAST_LOOKS,
): Promise<RunView> {
  const over = { open: [], attempts: [], feedback: [], end };
  try {
    const status = await run.status();
    const nodes = await listed(run.nodes());
    await ears.agents.listen(status);
    const feedback = await ears.planner(status, nodes);
    return { status, nodes, ...(await ears.agents.lookBack(status, nodes)), ...over, feedback };
  } catch (error) {
    if (passingCode(error) === undefined) throw error;
    if (looks > 1) return lastView(run, ears, before, end, looks - 1);
    const { trouble: _, ...last } = before;
    return { ...last, ...over };
  }
}

/** Lists are the same as long as nothing in them has changed. */
function isSameView({ status, ...now }: RunView, before: RunView): boolean {
  const lists = ['nodes', 'open', 'feedback', 'agents', 'steps'] as const;
  return status !== undefined && isSame(status, before.status) && lists.every((name) => now[name] === before[name]);
}

async function openOf(run: RunHandle, status: RunStatus): Promise<readonly OpenItem[]> {
  if (countWaiting(status) === 0) return [];
  const items = await listed(run.questions());
  return items.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ kind }: OpenItem): number {
  return kind === 'approval' ? 1 : 0;
}

async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A server that is gone looks from here like a worker that does not answer. */
async function troubleOf(error: unknown, server: FollowOptions['server']): Promise<Trouble | undefined> {
  const code = passingCode(error);
  if (code === undefined) return undefined;
  if (code === 'no-worker' && (await server.answers())) {
    const { message, unattended } = error as ClientError;
    return { code, message, ...(unattended && { unattended }) };
  }
  const message = `the Temporal server at ${server.address} is gone; the run is kept there, and goes on when it is back`;
  return { code: 'no-server', message };
}

function isProgress(now: RunStatus, before: RunStatus | undefined): boolean {
  const changed = now.revision !== before?.revision || !isSame(now.counts, before.counts);
  return now.counts.total > 0 && changed;
}

function mayWaitAnew(now: RunStatus, before: RunStatus | undefined): boolean {
  return before === undefined ? countWaiting(now) > 0 : !isSame(now, before);
}

function isSame(one: object, other: object | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
