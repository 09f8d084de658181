/** Watches a run until it ends: asks it how it stands, tells a view, and lets a person decide when it waits for one. */

import type { RunEnd, RunHandle } from '../../client/index.ts';
import { toCliError } from '../cli-error.ts';
import type { NodeView, RunStatus } from '../../run/index.ts';

/** Shows a run on stderr. */
export interface ProgressView {
  phase(status: RunStatus): void;
  nodes(nodes: readonly NodeView[], status: RunStatus): void;
  /** The same trouble is told once, until the run answers again. */
  trouble(message: string): void;
  close(): void;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly view: ProgressView;
  /** The plan waits for a decision. `left` ends the watch; the signal is aborted when the wait is over. */
  readonly onWaiting: (status: RunStatus, over: AbortSignal) => Promise<'left' | 'go-on'>;
}

/** A question costs the worker a workflow task, so large runs, which answer slower, are asked less often. */
const PAUSE_MS = 300;
const PAUSE_PER_ANSWER = 5;

/** @throws the reason of the signal, or what `onWaiting` throws. */
export async function followRun(run: RunHandle, { signal, view, onWaiting }: FollowOptions): Promise<RunEnd | 'left'> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    const end = await Promise.race([run.end(either), watch(run, view, onWaiting, either)]);
    if (end !== 'left') await showLast(run, view);
    return end;
  } finally {
    over.abort();
    view.close();
  }
}

/** Resolves only when the person leaves. */
async function watch(
  run: RunHandle,
  view: ProgressView,
  onWaiting: FollowOptions['onWaiting'],
  over: AbortSignal,
): Promise<'left'> {
  let before: RunStatus | undefined;
  let asking: { readonly answer: Promise<'left' | 'go-on'>; readonly stop: AbortController } | undefined;
  for (;;) {
    const asked = Date.now();
    const status = await ask(run, view);
    over.throwIfAborted();
    if (status !== undefined) {
      if (status.phase !== before?.phase) view.phase(status);
      if (isNews(status, before)) view.nodes(await nodesOf(run), status);
      before = status;
      if (status.phase === 'awaiting-approval' && asking === undefined) {
        const stop = new AbortController();
        asking = { answer: onWaiting(status, AbortSignal.any([stop.signal, over])), stop };
      } else if (status.phase !== 'awaiting-approval') {
        asking?.stop.abort();
      }
    }
    const wait = pause(Math.max(PAUSE_MS, (Date.now() - asked) * PAUSE_PER_ANSWER), over);
    const said = await (asking === undefined ? wait : Promise.race([wait, asking.answer.then(leaving)]));
    if (said === 'left') return said;
    await wait;
  }
}

/** A run that cannot answer now (no worker, no server) is asked again; it is durable. */
async function ask(run: RunHandle, view: ProgressView): Promise<RunStatus | undefined> {
  try {
    return await run.status();
  } catch (error) {
    if (!isPassing(error)) throw error;
    view.trouble(toCliError(error).message);
    return undefined;
  }
}

async function showLast(run: RunHandle, view: ProgressView): Promise<void> {
  try {
    const status = await run.status();
    view.nodes(await nodesOf(run), status);
    view.phase(status);
  } catch (error) {
    if (!isPassing(error)) throw error;
  }
}

async function nodesOf(run: RunHandle): Promise<readonly NodeView[]> {
  const nodes: NodeView[] = [];
  for await (const node of run.nodes()) nodes.push(node);
  return nodes;
}

function isPassing(error: unknown): boolean {
  const { code } = toCliError(error);
  return code === 'NO_WORKER' || code === 'NO_SERVER';
}

function isNews(now: RunStatus, before: RunStatus | undefined): boolean {
  return now.counts.total > 0 && JSON.stringify(now.counts) !== JSON.stringify(before?.counts);
}

function leaving(said: 'left' | 'go-on'): 'left' | undefined {
  return said === 'left' ? said : undefined;
}

function pause(ms: number, over: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    over.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve(undefined);
    }
  });
}
