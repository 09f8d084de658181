import {
  countWaiting,
  given,
  type AttemptView,
  type NodeValue,
  type NodeView,
  type NodeWork,
  type OpenItem,
  type RunEnd,
  type RunStatus,
  type RunView,
  type Trouble,
} from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';
import { seenNodes, workOf } from './attempts.ts';
import { passingCode, type ClientError } from './client-error.ts';
import { followAgents, NO_AGENTS } from './follow-agents.ts';
import { readCompiled, readValues, plannerLines } from './values.ts';
import type { FollowOptions, RunHandle } from './run-handle.ts';

export interface Beside {
  readonly address: string;
  /** Whether the server answers. If it does and the run does not, the run has no worker. */
  answers(): Promise<boolean>;
  child(workflowId: string): Pick<RunHandle, 'view'>;
  readonly store: Pick<ResultStore, 'get'>;
}

/** Pause between two queries of a run: 300 ms or, if longer, 5 times the duration of the last query. */
const PAUSE_MS = 300;
const PAUSE_PER_ANSWER = 5;
/** Milliseconds between two requests for the attempts. The server notices a dead worker before the run does. */
const ATTEMPTS_MS = 1000;
/** Number of queries for the last state of an ended run. A busy worker may miss the first. */
const LAST_TRIES = 2;

export const NO_VIEW: RunView = { nodes: [], open: [], attempts: [], feedback: [], ...NO_AGENTS };

/**
 * Yields the views of a run. The last one has the run's `end`. Continues if no worker or server answers.
 * @throws ClientError if the run cannot be followed; the signal's reason if it aborts
 */
export async function* followRun(
  run: Omit<RunHandle, 'follow'>,
  beside: Beside,
  options: FollowOptions = {},
): AsyncGenerator<RunView, void> {
  const { everyMs = PAUSE_MS, rest, contents = false } = options;
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const agents = followAgents(run, beside.child);
  const planner = plannerLines(run);
  const works = new Map<string, NodeWork>();
  const values = new Map<string, NodeValue>();
  let revision: number | undefined;
  let isRead = false;
  let plan: Pick<RunView, 'compiled'> | undefined;
  let told: readonly NodeView[] = [];
  let view = NO_VIEW;
  const ended = run.end(signal);
  let fresh = changedAttempts();
  for (const promise of [ended, fresh]) promise.catch(() => undefined);
  try {
    for (;;) {
      const asked = Date.now();
      const asking = nextView();
      const seen = yield* meanwhile(asking);
      if ('how' in seen) {
        // Two concurrent calls would each miss what the other one received.
        await asking.catch(() => undefined);
        return yield await lastView(seen);
      }
      if (seen !== view) yield (view = seen);
      const pausing = rest?.(view, signal) ?? pause(Math.max(everyMs, (Date.now() - asked) * PAUSE_PER_ANSWER), signal);
      const then = yield* meanwhile(pausing.then(() => view));
      if ('how' in then) return yield await lastView(then);
    }
  } finally {
    left.abort();
  }

  /** Yields a view for each change of the attempts, until `work` resolves or the run has ended. */
  async function* meanwhile(work: Promise<RunView>): AsyncGenerator<RunView, RunView | RunEnd> {
    for (;;) {
      const next = await Promise.race([ended, work, fresh.then((heard) => ({ heard }))]);
      if (!('heard' in next)) return next;
      for (const [id, one] of workOf(next.heard)) works.set(id, one);
      yield (view = { ...view, attempts: next.heard, nodes: seenNodes(told, works, values) });
      fresh = changedAttempts();
      fresh.catch(() => undefined);
    }
  }

  async function changedAttempts(): Promise<readonly AttemptView[]> {
    for (;;) {
      await pause(ATTEMPTS_MS, signal);
      // After an abort this promise stays pending: the wait for the run's end throws the signal's reason.
      if (signal.aborted) return new Promise(() => {});
      const now = isUnderWay(view) ? await run.view(['attempts']).catch(unlessPassing) : { attempts: [] };
      if (now !== undefined && !isSame(now.attempts, view.attempts)) return now.attempts;
    }
  }

  /** Returns the same object if nothing has changed. */
  async function nextView(): Promise<RunView> {
    const before = view;
    try {
      const { status } = await run.view(['status']);
      const nodes = await nodesOf(status, before);
      const isAsked = before.status === undefined ? countWaiting(status) > 0 : !isSame(status, before.status);
      const open = isAsked ? await openOf(status) : before.open;
      const heard = await agents.listen(status);
      const feedback = await planner(status, told);
      const attempts = isUnderWay({ status }) ? view.attempts : NO_VIEW.attempts;
      const now = { status, nodes, ...plan, open, attempts, feedback, ...heard };
      return before.trouble === undefined && isSameView(now, view) ? view : now;
    } catch (error) {
      const trouble = await troubleOf(error, beside);
      if (trouble === undefined) throw error;
      const { trouble: known } = before;
      const isKnown = known?.message === trouble.message && !known.unattended === !trouble.unattended;
      return isKnown ? view : { ...view, trouble };
    }
  }

  /** Reads the nodes. Attempts, values and the compiled plan belong to a revision, so a new revision drops them. */
  async function nodesOf(status: RunStatus, before: Pick<RunView, 'status' | 'nodes'>) {
    if (status.revision !== revision) {
      for (const known of [works, values]) known.clear();
      [revision, plan, isRead] = [status.revision, undefined, false];
    }
    const isChanged = !isRead || !isSame(status.counts, before.status?.counts ?? {});
    if (status.counts.total === 0 || !isChanged) return before.nodes;
    told = (await run.view(['nodes'])).nodes;
    if (contents) {
      const gave = told.filter(({ id, result }) => result !== undefined && !values.has(id));
      for (const [id, one] of await readValues(run, gave)) values.set(id, one);
      plan ??= await readCompiled(run, beside.store, status.revision);
    }
    // If the plan could not be read, the next view reads it again.
    isRead = plan !== undefined || !contents;
    return seenNodes(told, works, values);
  }

  async function openOf(status: RunStatus): Promise<readonly OpenItem[]> {
    if (countWaiting(status) === 0) return [];
    const { open } = await run.view(['open']);
    return open.toSorted((a, b) => Number(a.kind === 'approval') - Number(b.kind === 'approval'));
  }

  async function lastView(end: RunEnd, tries = LAST_TRIES): Promise<RunView> {
    const times = run.view(['times']).catch(() => undefined);
    const { trouble: _, ...before } = view;
    const over = { open: [], attempts: [], feedback: [], end };
    try {
      const { status } = await run.view(['status']);
      const nodes = await nodesOf(status, { nodes: view.nodes });
      await agents.listen(status);
      const feedback = await planner(status, told);
      const heard = await agents.lookBack(status, told);
      const { endedAt } = (await times)?.times ?? {};
      return { status, nodes, ...plan, ...heard, ...over, feedback, ...given({ endedAt }) };
    } catch (error) {
      if (passingCode(error) === undefined) throw error;
      if (tries > 1) return lastView(end, tries - 1);
      return { ...before, ...over, ...given({ endedAt: (await times)?.times.endedAt }) };
    }
  }
}

function isUnderWay({ status }: Pick<RunView, 'status'>): boolean {
  return status !== undefined && status.counts.running > 0;
}

function isSameView({ status, ...now }: RunView, before: RunView): boolean {
  const lists = ['nodes', 'open', 'feedback', 'agents', 'steps', 'compiled'] as const;
  return isSame(status ?? {}, before.status ?? {}) && lists.every((name) => now[name] === before[name]);
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function unlessPassing(error: unknown): undefined {
  if (passingCode(error) === undefined) throw error;
}

/** Describes a temporary error. Asks the server, since without an answer it could also be a missing worker. */
async function troubleOf(error: unknown, { address, answers }: Beside): Promise<Trouble | undefined> {
  const code = passingCode(error);
  if (code === undefined) return undefined;
  if (code === 'no-worker' && (await answers())) {
    const { message, unattended } = error as ClientError;
    return { code, message, ...(unattended && { unattended }) };
  }
  const message = `the Temporal server at ${address} is gone; the run is kept there, and goes on when it is back`;
  return { code: 'no-server', message };
}

/** Resolves after this many ms, or if the signal aborts. Removes its listener. */
export function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    over.addEventListener('abort', end, { once: true });
    if (over.aborted) end();
    function end(): void {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve();
    }
  });
}
