/** Watches a run until it ends: asks it how it stands, tells a view, and tells whatever waits for a person. */

import type { RunEnd, RunHandle } from '../../client/index.ts';
import { toCliError } from '../cli-error.ts';
import type { NodeView, OpenItem, RunStatus } from '../../contract/index.ts';

/** Shows a run on stderr. */
export interface ProgressView {
  phase(status: RunStatus): void;
  nodes(nodes: readonly NodeView[], status: RunStatus): void;
  /** A line that stays. */
  note(line: string): void;
  /** The same trouble is told once, until the run answers again. */
  trouble(message: string): void;
  /** While a person is asked nothing is shown; it is when the question is over. */
  hold(held: boolean): void;
  close(): void;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly view: ProgressView;
  /** Something new waits for a person. `left` ends the watch; `over` is aborted when it waits no more. */
  readonly onOpen: (item: OpenItem, over: AbortSignal) => Promise<'left' | 'go-on'>;
}

/** A question costs the worker a workflow task, so large runs, which answer slower, are asked less often. */
const PAUSE_MS = 300;
const PAUSE_PER_ANSWER = 5;

/** @throws the reason of the signal, or what `onOpen` throws. */
export async function followRun(run: RunHandle, { signal, view, onOpen }: FollowOptions): Promise<RunEnd | 'left'> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const { left, show } = followOpen(onOpen, either);
  try {
    const end = await Promise.race([run.end(either), watch(run, view, show, either), left]);
    if (end !== 'left') await showLast(run, view);
    return end;
  } finally {
    over.abort();
    view.close();
  }
}

/** Never resolves. */
async function watch(
  run: RunHandle,
  view: ProgressView,
  show: (items: readonly OpenItem[]) => void,
  over: AbortSignal,
): Promise<never> {
  let before: RunStatus | undefined;
  let shown: RunStatus | undefined;
  for (;;) {
    const asked = Date.now();
    const status = await ask(() => run.status(), view);
    over.throwIfAborted();
    if (status !== undefined) {
      if (status.phase !== before?.phase) view.phase(status);
      if (isNews(status, before)) view.nodes((await ask(() => listed(run.nodes()), view)) ?? [], status);
      before = status;
      if (mayWaitAnew(status, shown)) {
        const items = status.waitingFor === 0 ? [] : await ask(() => listed(run.questions()), view);
        over.throwIfAborted();
        if (items !== undefined) show(items);
        if (items !== undefined) shown = status;
      }
    }
    await pause(Math.max(PAUSE_MS, (Date.now() - asked) * PAUSE_PER_ANSWER), over);
  }
}

/** Tells each open item once, and takes back what was asked about one that is open no more. */
function followOpen(onOpen: FollowOptions['onOpen'], over: AbortSignal) {
  const open = new Map<string, AbortController>();
  let leave: (said: 'left') => void;
  let fail: (error: unknown) => void;
  const left = new Promise<'left'>((resolve, reject) => {
    leave = resolve;
    fail = reject;
  });
  const show = (items: readonly OpenItem[]) => {
    const now = new Map(items.map((item) => [keyOf(item), item]));
    for (const [key, stop] of open) {
      if (now.has(key)) continue;
      stop.abort();
      open.delete(key);
    }
    // An approval may hold the screen; what else is open is told before it.
    for (const [key, item] of [...now].toSorted(([, a], [, b]) => rank(a) - rank(b))) {
      if (open.has(key)) continue;
      const stop = new AbortController();
      open.set(key, stop);
      onOpen(item, AbortSignal.any([stop.signal, over])).then((said) => said === 'left' && leave(said), fail);
    }
  };
  return { left, show };
}

function rank({ kind }: OpenItem): number {
  return kind === 'approval' ? 1 : 0;
}

/** Another plan, or another role that is waited for, is news; a carried question is not. */
function keyOf({ id, since, send }: OpenItem): string {
  return JSON.stringify([id, since, send]);
}

/** A run that cannot answer now (no worker, no server) is asked again; it is durable. */
async function ask<T>(question: () => Promise<T>, view: ProgressView): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (!isPassing(error)) throw error;
    view.trouble(toCliError(error).message);
    return undefined;
  }
}

async function showLast(run: RunHandle, view: ProgressView): Promise<void> {
  try {
    const status = await run.status();
    view.nodes(await listed(run.nodes()), status);
    view.phase(status);
  } catch (error) {
    if (!isPassing(error)) throw error;
  }
}

async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

function isPassing(error: unknown): boolean {
  const { code } = toCliError(error);
  return code === 'NO_WORKER' || code === 'NO_SERVER';
}

function isNews(now: RunStatus, before: RunStatus | undefined): boolean {
  const changed = now.revision !== before?.revision || JSON.stringify(now.counts) !== JSON.stringify(before.counts);
  return now.counts.total > 0 && changed;
}

function mayWaitAnew(now: RunStatus, before: RunStatus | undefined): boolean {
  return before === undefined ? now.waitingFor > 0 : JSON.stringify(now) !== JSON.stringify(before);
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
