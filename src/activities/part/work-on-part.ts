/**
 * Executes a part, with one attempt of a few seconds per node. Nodes that fail, take long, ask a person or call a model
 * return to the run, which starts an activity for each.
 */

import { CancelledFailure, type Context } from '@temporalio/activity';
import type { LimitFunction } from 'p-limit';
import {
  aborted,
  isAsked,
  isDeferral,
  nodesIn,
  type NodeRequest,
  type PartEnds,
  type PartRequest,
} from '../../protocol/index.ts';
import { tryNode, type Surroundings } from '../attempt-node.ts';
import { deferralOf, isShutdown } from '../attempt-wrappers.ts';
import { isBlocked } from '../begin-effect.ts';
import { workerExecutor } from '../execute-node.ts';
import { placeOf } from '../stores.ts';
import { findStoredResult } from '../node-results.ts';
import type { Revision } from '../revision.ts';
import { boundsOf } from '../plan-shape.ts';
import { createEndsReporter } from './report-ends.ts';
import { createPart, type AttemptResult, type PartAtWork, type PartTimes } from './part.ts';
import { openWriteBatch, writeBehind, type RecentResults } from './write-behind.ts';

/** After this many failures of a capability in one part, the part tries none of its other nodes. */
const MAX_FAILURES = 3;
/** Time between two heartbeats of a part. */
const BEAT_MS = 1000;
/** Time in ms for nodes to end after the part was stopped. */
const GRACE_MS = 2000;
/** Timer ticks per time limit of an attempt. If one node blocks the event loop, the others lose only one tick. */
const TICKS = 5;
const NAMED = 8;

const LASTED = new CancelledFailure('it lasts longer than a try in a part');
const STOPPED = new CancelledFailure('its part was told to stop');
/** Rejects model calls in a part. They need the node's own activity, which has a budget and reports outages. */
const ALONE_ONLY = { ask: () => Promise.resolve({ ok: false as const, reason: 'a node of a part asks no model' }) };

export interface PartUnderWay {
  join(context: Context): Promise<PartEnds>;
}

interface PartTools {
  readonly slots: LimitFunction;
  readonly lately: RecentResults;
  readonly times: PartTimes;
  readonly tell: (ends: PartEnds) => Promise<void>;
  /** Whether the previous attempt lost its worker. Then this attempt only reports stored results and tries no node. */
  readonly isAfterLoss: boolean;
}

export function workOnPart(request: PartRequest, surroundings: Surroundings, ways: PartTools): PartUnderWay {
  const { slots, lately, times, tell, isAfterLoss } = ways;
  const { revisions, dependencies, stores } = surroundings;
  const { registry } = dependencies;
  const place = placeOf(request);
  const store = stores.of(place);
  const gathered = openWriteBatch(store);
  const awaited = new Set(nodesIn(request.awaited));
  const before = new Set(nodesIn(request.again ?? ''));
  const again = new Set(isAfterLoss ? nodesIn(request.nodes) : before);
  const news = createEndsReporter(tell);
  const tries = new Set<AbortController>();
  const scores = new Map<string, { done: number; failed: number; isBarred: boolean }>();
  const longest = new Map<string, number>();
  let context: Context;
  let part: PartAtWork | undefined;
  let lost = 0;
  let isIdle = false;
  let unsettled = 0;
  let end: (ends: Promise<PartEnds>) => void = () => undefined;
  const reply = new Promise<PartEnds>((resolve) => (end = resolve));
  const beats = setInterval(beat, BEAT_MS);
  const timers = [setTimeout(beginNothing, times.beginMs), setTimeout(giveUp, times.endMs)];
  let isStopped = false;
  let isOver = false;
  revisions.load(place, request.revision, store).then(start).catch(fail);

  return {
    join(attempt) {
      context = attempt;
      const { cancellationSignal: signal } = attempt;
      const onStop = () => context === attempt && stop(isShutdown(attempt));
      if (signal.aborted) onStop();
      else signal.addEventListener('abort', onStop, { once: true });
      beat();
      return reply.finally(() => signal.removeEventListener('abort', onStop));
    },
  };

  function start(revision: Revision): void {
    part = createPart(request, revision, {
      carryOut: (node, one) => carryOut(revision, node, one),
      idle() {
        if (isAfterLoss) for (const node of before) if (before.delete(node)) report({ node, alone: true });
        isIdle = true;
        finish();
      },
      failed: fail,
    });
    if (isStopped) part.stop();
    else part.go();
  }

  async function carryOut(revision: Revision, node: number, one: NodeRequest): Promise<AttemptResult> {
    const handle = again.has(node) ? await findStoredResult(store, place, revision, one) : undefined;
    const isAgain = before.delete(node);
    if (handle !== undefined) return report({ node, handle });
    const label = revision.executorOf(one.nodeId) ?? '';
    if (isAfterLoss) return isAgain || lost++ < Math.max(1, request.slots) ? report({ node, alone: true }) : undefined;
    return slots(() => (isStopped ? undefined : tryOnce(revision, node, one, label)));
  }

  async function tryOnce(revision: Revision, node: number, one: NodeRequest, label: string): Promise<AttemptResult> {
    const score = scores.get(label) ?? { done: 0, failed: 0, isBarred: false };
    scores.set(label, score);
    if (score.isBarred) return report({ node, alone: true, barred: label });
    const stopping = new AbortController();
    const { signal } = stopping;
    const behind = writeBehind(store, gathered, lately, signal);
    const own = { ...surroundings, gate: ALONE_ONLY, stores: { ...stores, of: () => behind.store } };
    let ticks = 0;
    const late = setInterval(
      () => {
        if (++ticks === TICKS) stopping.abort(LASTED);
      },
      longestOf(revision, one.nodeId, label) / TICKS,
    );
    tries.add(stopping);
    try {
      const handle = await Promise.race([tryNode(one, own, signal), aborted(signal)]);
      if (!isDeferral(handle) && !isAsked(handle)) {
        score.done += 1;
        tellWhenKept({ node, handle }, behind.settled());
        return { node, handle };
      }
      score.isBarred = true;
    } catch (error) {
      if (signal.reason === STOPPED) return undefined;
      if (deferralOf(error, { begun: false })?.deferred === 'fault') throw error;
      score.failed += 1;
      score.isBarred ||=
        signal.aborted || isBlocked(error) || (score.failed >= MAX_FAILURES && score.failed > score.done);
    } finally {
      clearInterval(late);
      tries.delete(stopping);
    }
    return report({ node, alone: true, ...(score.isBarred && { barred: label }) });
  }

  function longestOf({ plan }: Revision, nodeId: string, label: string): number {
    const known = longest.get(label);
    if (known !== undefined) return known;
    const node = plan.nodesById[nodeId];
    const executor = node?.kind === 'task' ? workerExecutor(node, registry) : undefined;
    const { startToCloseMs } = boundsOf(plan, label, registry.capability(executor?.name ?? ''));
    const ms = Math.min(times.tryMs, startToCloseMs);
    longest.set(label, ms);
    return ms;
  }

  function report(outcome: Exclude<AttemptResult, undefined>): AttemptResult {
    news.add(outcome, 'alone' in outcome || awaited.has(outcome.node));
    return outcome;
  }

  function tellWhenKept(outcome: Exclude<AttemptResult, undefined>, kept: Promise<void>): void {
    unsettled += 1;
    kept
      .then(() => {
        report(outcome);
        unsettled -= 1;
        finish();
      })
      .catch(fail);
  }

  /** Stops the part. @param isAtOnce true if the worker shuts down: running nodes are aborted at once */
  function stop(isAtOnce: boolean): void {
    beginNothing();
    timers.push(setTimeout(cut, isAtOnce ? 0 : GRACE_MS));
  }

  function beginNothing(): void {
    isStopped = true;
    part?.stop();
  }

  function cut(): void {
    for (const one of [...tries]) one.abort(STOPPED);
  }

  function finish(): void {
    if (isIdle && unsettled === 0 && !isOver) giveUp();
  }

  function giveUp(): void {
    close();
    end(news.rest());
  }

  /** Ends the part with an error. Aborts its nodes, so that they do not run beside their next attempts. */
  function fail(error: unknown): void {
    if (isOver) return;
    close();
    end(Promise.reject(error));
  }

  function close(): void {
    isOver = true;
    clearInterval(beats);
    for (const timer of timers) clearTimeout(timer);
    beginNothing();
    cut();
  }

  function beat(): void {
    const { done = 0, of = 0 } = part?.counts ?? {};
    context.heartbeat({ part: { done, of, atWork: part?.atWork().slice(0, NAMED) ?? [] } });
  }
}
