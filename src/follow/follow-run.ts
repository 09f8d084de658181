/** Watches a run until it ends: asks it how it stands, again and again, and gives a view of it for each change. */

import { ClientError, type RunEnd, type RunHandle } from '../client/index.ts';
import type { OpenItem, RunStatus } from '../contract/index.ts';
import { pause } from './pause.ts';
import type { RunView, Trouble } from './run-view.ts';
import { waitForEnd } from './wait-for-end.ts';

export interface FollowOptions {
  /** Ends the watch, which then throws the signal's reason; the run goes on. */
  readonly signal: AbortSignal;
  /** Tells a server that is gone from a run without a worker. */
  readonly server: { readonly address: string; answers(): Promise<boolean> };
  /** Milliseconds between two questions to the run. Default 300. */
  readonly everyMs?: number;
}

/** A question costs the worker a workflow task, so large runs, which answer slower, are asked less often. */
const PAUSE_MS = 300;
const PAUSE_PER_ANSWER = 5;

/**
 * The views of a run, the last one with its `end`. A run that cannot answer (no worker, no server) is asked again, since
 * it is durable; its view says so meanwhile.
 * @throws the reason of the signal, and ClientError where no run can be followed.
 * @example for await (const { status, end } of followRun(run, { signal, server })) show(status, end);
 */
export async function* followRun(run: RunHandle, options: FollowOptions): AsyncGenerator<RunView, void> {
  const { signal, everyMs = PAUSE_MS } = options;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const ended = waitForEnd(run, either);
  let view: RunView = { nodes: [], open: [], repeated: [] };
  try {
    for (;;) {
      const asked = Date.now();
      const next = await Promise.race([ended, look(run, view, options)]);
      if ('how' in next) {
        yield await lastView(run, view, next);
        return;
      }
      if (next !== view) yield next;
      view = next;
      const wait = pause(Math.max(everyMs, (Date.now() - asked) * PAUSE_PER_ANSWER), either);
      await Promise.race([ended, wait]);
    }
  } finally {
    over.abort();
  }
}

/** The same, told view by view; gives how the run ended. What `tell` throws ends the watch. */
export async function followToEnd(
  run: RunHandle,
  options: FollowOptions,
  tell: (view: RunView) => void,
): Promise<RunEnd> {
  for await (const view of followRun(run, options)) {
    tell(view);
    if (view.end !== undefined) return view.end;
  }
  throw new Error(`run ${run.workflowId} was followed past its end`);
}

/** The view after this one; the same where nothing has changed. */
async function look(run: RunHandle, before: RunView, { server }: FollowOptions): Promise<RunView> {
  try {
    const status = await run.status();
    const nodes = isProgress(status, before.status) ? await listed(run.nodes()) : before.nodes;
    const open = mayWaitAnew(status, before.status) ? await openOf(run, status) : before.open;
    const repeated = await repeatedOf(run, status, before);
    const isOld = before.trouble === undefined && isSame(status, before.status) && repeated === before.repeated;
    return isOld ? before : { status, nodes, open, repeated };
  } catch (error) {
    const trouble = await troubleOf(error, server);
    if (trouble === undefined) throw error;
    return before.trouble?.message === trouble.message ? before : { ...before, trouble };
  }
}

/** The last view of a run, as it stood in the end where somebody can still tell. */
async function lastView(run: RunHandle, before: RunView, end: RunEnd): Promise<RunView> {
  try {
    const status = await run.status();
    return { status, nodes: await listed(run.nodes()), open: [], repeated: [], end };
  } catch (error) {
    if (passingCode(error) === undefined) throw error;
    const { status, nodes } = before;
    return { ...(status !== undefined && { status }), nodes, open: [], repeated: [], end };
  }
}

/** Asked of the server alone, and only while something is under way. */
async function repeatedOf(run: RunHandle, { counts }: RunStatus, { repeated }: RunView) {
  const now = counts.running === 0 ? [] : (await run.attempts()).filter(({ attempt }) => attempt > 1);
  return isSame(now, repeated) ? repeated : now;
}

async function openOf(run: RunHandle, { waitingFor }: RunStatus): Promise<readonly OpenItem[]> {
  if (waitingFor === 0) return [];
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
  if (code === 'no-worker' && (await server.answers())) return { code, message: (error as Error).message };
  const message = `the Temporal server at ${server.address} is gone; the run is kept there, and goes on when it is back`;
  return { code: 'no-server', message };
}

function passingCode(error: unknown): Trouble['code'] | undefined {
  if (!(error instanceof ClientError)) return undefined;
  return error.code === 'no-worker' || error.code === 'no-server' ? error.code : undefined;
}

function isProgress(now: RunStatus, before: RunStatus | undefined): boolean {
  const changed = now.revision !== before?.revision || !isSame(now.counts, before.counts);
  return now.counts.total > 0 && changed;
}

function mayWaitAnew(now: RunStatus, before: RunStatus | undefined): boolean {
  return before === undefined ? now.waitingFor > 0 : !isSame(now, before);
}

function isSame(one: object, other: object | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
