/**
 * Runs the nodes of a plan: each starts the moment its own inputs are there and it is approved. Counters and callbacks,
 * no promise per waiting node: a promise costs 22 us in the sandbox.
 */

import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  setCurrentDetails,
} from '@temporalio/workflow';
import {
  ask,
  cancelPending,
  detailsOf,
  effectOf,
  endNode,
  freeNodes,
  isAsked,
  isFinished,
  isRecord,
  mayRun,
  nextDeadline,
  note,
  passDeadlines,
  startNext,
  succeed,
  type Flight,
  type ResultHandle,
  type Run,
} from '../run/index.ts';
import { createAlarm } from './alarm.ts';
import { takeDefaults } from './defaults.ts';
import { nodeFailureOf } from './failures.ts';
import { now } from './now.ts';
import { startNode } from './start-node.ts';
import { showWaiting } from './waits-for.ts';

/** What a message needs, an activity fetches within its own bounds; a deadline waits no longer than this for it. */
const LISTEN = '10 minutes';
/** Rendering the details is the dearest part of a completion; a large run shows every hundredth part of its way. */
const RENDERINGS = 100;

export interface Runner {
  /** Something was said: what was held may start, what was waited for may have ended. */
  wake(): void;
  /** Resolves when every node has ended and nobody is waited for. Rejects only when the run was cancelled. */
  runToEnd(isListening: (until: string) => boolean): Promise<void>;
}

export function createRunner(run: Run): Runner {
  let go: (() => void) | undefined;
  return {
    wake: () => (go === undefined ? setCurrentDetails(detailsOf(run)) : go()),
    runToEnd: (isListening) =>
      new Promise((resolve, reject) => {
        const { advance, cancel } = runNodes(run, isListening, resolve, reject);
        go = () => advance(true);
        CancellationScope.current().cancelRequested.catch(cancel);
        advance(true);
      }),
  };
}

function runNodes(
  run: Run,
  isListening: (until: string) => boolean,
  resolve: () => void,
  reject: (error: unknown) => void,
): { advance: (isNews: boolean) => void; cancel: (error: unknown) => void } {
  const root = CancellationScope.current();
  let ended = 0;
  let cancelled: unknown;
  let ringing = false;
  const alarm = createAlarm(() => void ring().catch(reject));
  return { advance: (isNews) => attempt(() => advance(isNews)), cancel: (error) => attempt(() => cancel(error)) };

  /** A node that succeeds is no news to whoever is waited for; reckoning that each time would cost a large run seconds. */
  function advance(isNews: boolean): void {
    const { progress, slice, approval } = run;
    if (progress === undefined || slice === undefined) throw new RangeError('a run without a plan has no nodes');
    if (approval.phase === 'closed' || cancelled !== undefined) stop();
    else if (!run.paused) {
      const isFree = (node: number) =>
        mayRun({ digest: slice.digest, node }, run.approval).ok && !isOvertaking(run, node);
      for (let node = startNext(progress, isFree); node !== undefined; node = startNext(progress, isFree)) start(node);
    }
    const finished = isFinished(progress) && run.flights.size === 0;
    if (isNews || finished) {
      if (!ringing) alarm.set(finished || cancelled !== undefined ? undefined : nextDeadline(run));
      showWaiting(run);
    }
    if (isNews || finished || ended % Math.ceil(slice.inputs.length / RENDERINGS) === 0) {
      setCurrentDetails(detailsOf(run));
    }
    if (!finished) return;
    // What was in flight may have answered the cancellation with an error of its own.
    if (root.consideredCancelled) cancelled ??= new CancelledFailure('the run was cancelled');
    if (cancelled === undefined) resolve();
    else reject(cancelled);
  }

  function start(node: number): void {
    const scope = new CancellationScope();
    const flight: Flight = { node, cancel: () => scope.cancel() };
    run.flights.add(flight);
    scope
      .run(() => startNode(run, node))
      .then(
        (reply) => land(flight, 'has succeeded', (at) => take(at, reply)),
        (error: unknown) => land(flight, howItEnded(error, flight), (at) => end(at, error)),
      );
  }

  function land(flight: Flight, how: string, settle: (node: number) => void): void {
    attempt(() => {
      run.flights.delete(flight);
      // An edited plan may have no use for it any more; what it held back goes on.
      if (flight.node !== undefined) settle(flight.node);
      else letGo(run, flight, how);
      ended += 1;
      advance(flight.node === undefined || run.progress?.status[flight.node] !== 'succeeded');
    });
  }

  function take(node: number, reply: unknown): void {
    if (isHandle(reply)) succeed(run.progress!, node, reply);
    else if (isAsked(reply)) ask(run, node, reply.asks, now());
    else end(node, NO_HANDLE);
  }

  function end(node: number, error: unknown): void {
    if (isCancellation(error) && root.consideredCancelled) cancelled ??= error;
    endNode(run, node, nodeFailureOf(error, effectOf(run.slice, node)), now(), cancelled === undefined);
  }

  function cancel(error: unknown): void {
    cancelled ??= error;
    advance(true);
  }

  function stop(): void {
    cancelPending(run.progress!);
    run.questions.clear();
    run.settling.clear();
  }

  /** What was said in time may still be on its way in; it is heard before silence is held against anybody. */
  async function ring(): Promise<void> {
    ringing = true;
    const due = now();
    await CancellationScope.nonCancellable(() => condition(() => !isListening(due), LISTEN));
    ringing = false;
    const defaults = passDeadlines(run, now());
    attempt(() => advance(true));
    if (defaults.length === 0) return;
    await takeDefaults(run, defaults);
    attempt(() => advance(true));
  }

  /** Whatever is thrown here has no other way out of the run. */
  function attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      reject(error);
    }
  }
}

/** An effect of a plan before an edit, still under way, must not end after one of this plan that it was edited into. */
function isOvertaking({ slice, flights }: Run, node: number): boolean {
  return (
    effectOf(slice, node) !== 'read' &&
    [...flights].some(({ letGo: gone }) => gone !== undefined && gone.effect !== 'read')
  );
}

function howItEnded(error: unknown, { letGo: gone }: Flight): string {
  const { status, message } = nodeFailureOf(error, gone?.effect);
  return status === 'uncertain' ? `may have happened (${message})` : `has ended as ${status} (${message})`;
}

function letGo(run: Run, { letGo: gone }: Flight, how: string): void {
  note(run, now(), 'node', `${gone?.id ?? 'work of a plan before the edit'} ${how}; this plan does not use it`);
  freeNodes(run);
}

const NO_HANDLE = ApplicationFailure.nonRetryable('its activity was completed with what is no handle', 'FATAL');

/** An activity can be completed from outside, with anything. */
function isHandle(value: unknown): value is ResultHandle {
  return isRecord(value) && typeof value['ref'] === 'string' && typeof value['kind'] === 'string';
}
