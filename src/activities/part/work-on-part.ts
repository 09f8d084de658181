/** A part under way: it beats, tells its run what has ended, and stops when it is told to. */

import { CancelledFailure, type Context } from '@temporalio/activity';
import type { LimitFunction } from 'p-limit';
import {
  nodesIn,
  packEnds,
  type NodeExecutor,
  type NodeRequest,
  type PartEnds,
  type PartRequest,
} from '../../protocol/index.ts';
import { attemptNode, type Surroundings } from '../attempt-node.ts';
import { heldBy } from '../attempts.ts';
import { ownExecutor } from '../carry-out-node.ts';
import { placeOf } from '../own-place.ts';
import type { Revision } from '../revision.ts';
import { messageOf } from '../../plan/text/index.ts';
import { boundsOf } from '../slice-of-plan.ts';
import { attemptsOf, type Outcome } from './attempts-of-node.ts';
import { keptBefore } from '../keep-node.ts';
import { createNews } from './news.ts';
import type { OwnContext } from './node-context.ts';
import { createPart, type PartAtWork } from './part.ts';
import { together, writeBehind, type Lately, type WriteBehind } from './write-behind.ts';

/**
 * @bound the beat of a part
 */
const BEAT_MS = 1000;
/**
 * A part that is told to stop lets what is at work end for so long, and waits as long again for what it has asked to
 * stop.
 * @bound how long a part that is told to stop lets its nodes end
 * @beyond they are asked to stop, and not waited for after as long again
 */
const GRACE_MS = 2000;
/**
 * @bound nodes that a beat names
 * @beyond left out
 */
const NAMED = 8;

export interface PartUnderWay {
  /** Goes on under this attempt at the activity. Resolves at the end of the part. */
  join(context: Context): Promise<PartEnds>;
}

/** Its process has the first two for all its parts. */
interface Ways {
  /** Nodes at work at once in the process. */
  readonly slots: LimitFunction;
  readonly lately: Lately;
  readonly tell: (ends: PartEnds) => Promise<void>;
}

export function workOnPart(request: PartRequest, surroundings: Surroundings, ways: Ways): PartUnderWay {
  const { slots, lately, tell } = ways;
  const { revisions, dependencies, stores } = surroundings;
  const { registry } = dependencies;
  const place = placeOf(request);
  const store = stores.of(place);
  const gathered = together(store);
  const awaited = new Set(nodesIn(request.awaited));
  const again = new Set(nodesIn(request.again ?? ''));
  const news = createNews(tell);
  const owns = new Set<OwnContext>();
  const pauses = new Set<() => void>();
  const bounds = new Map<string, NodeExecutor>();
  let context: Context;
  let part: PartAtWork | undefined;
  let isIdle = false;
  let unsettled = 0;
  let isOver = false;
  let stopping: NodeJS.Timeout | undefined;
  let end: (ends: Promise<PartEnds>) => void = () => undefined;
  const reply = new Promise<PartEnds>((resolve) => (end = resolve));
  const beats = setInterval(beat, BEAT_MS);
  revisions.load(request.revision, store).then(start).catch(fail);

  return {
    join(attempt) {
      context = attempt;
      if (stopping !== undefined) goOn();
      const { cancellationSignal: signal } = attempt;
      const onStop = () => context === attempt && stop(signal.reason);
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
        isIdle = true;
        finish();
      },
      failed: fail,
    });
    if (stopping === undefined) part.go();
    else part.stop();
  }

  async function carryOut(revision: Revision, node: number, one: NodeRequest): Promise<Outcome> {
    const behind = writeBehind(store, gathered, lately);
    const kept = again.has(node) ? await keptBefore(store, place, revision, one) : undefined;
    const outcome = kept === undefined ? await attempts(revision, one, behind) : { handle: kept };
    if (!('stopped' in outcome)) tellWhenKept(node, outcome, behind);
    if ('held' in outcome && outcome.held.by === 'fault') stop(new CancelledFailure(outcome.held.held));
    return outcome;
  }

  function attempts(revision: Revision, one: NodeRequest, behind: WriteBehind): Promise<Outcome> {
    const own = { ...surroundings, journal: store, stores: { ...stores, of: () => behind.store } };
    let now: OwnContext | undefined;
    return attemptsOf(one, boundsFor(revision, one.nodeId), {
      context: () => context,
      attempt: (asked) => attemptNode(asked, own),
      within: slots,
      isStopped: () => isOver || stopping !== undefined,
      pause,
      atWork(attempt) {
        if (now !== undefined) owns.delete(now);
        if (attempt !== undefined) owns.add(attempt);
        now = attempt;
      },
    });
  }

  function boundsFor(revision: Revision, nodeId: string): NodeExecutor {
    const label = revision.executorOf(nodeId) ?? '';
    const node = revision.plan.nodesById[nodeId];
    const executor = node?.kind === 'task' ? ownExecutor(node, registry) : undefined;
    const known = bounds.get(label) ?? boundsOf(revision.plan, label, registry.capability(executor?.name ?? ''));
    bounds.set(label, known);
    return known;
  }

  /** Its run hears of a result when the disk has it. */
  function tellWhenKept(node: number, outcome: Exclude<Outcome, { stopped: true }>, behind: WriteBehind): void {
    unsettled += 1;
    behind
      .settled()
      .then(
        () => news.add({ node, ...outcome }, awaited.has(node)),
        (error: unknown) => {
          const held = heldBy(error, { begun: false }) ?? { held: 'its result was not stored', by: 'fault' };
          news.add({ node, held }, false);
          stop(new CancelledFailure(held.held));
        },
      )
      .then(() => {
        unsettled -= 1;
        finish();
      })
      .catch(fail);
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        clearTimeout(timer);
        pauses.delete(over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      pauses.add(over);
    });
  }

  /** A worker that is shut down is waited for by nobody. */
  function stop(reason: unknown): void {
    if (stopping !== undefined) return;
    const isShutdown = reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
    stopping = setTimeout(() => cut(reason), isShutdown ? 0 : GRACE_MS);
    beginNothing();
  }

  function beginNothing(): void {
    for (const over of [...pauses]) over();
    part?.stop();
  }

  function cut(reason: unknown): void {
    cancelAll(reason instanceof CancelledFailure ? reason : new CancelledFailure(String(reason)));
    stopping = setTimeout(giveUp, GRACE_MS);
  }

  function cancelAll(why: CancelledFailure): void {
    for (const own of [...owns]) own.cancel(why);
  }

  /** It was given up under another attempt while this process stood still. */
  function goOn(): void {
    clearTimeout(stopping);
    stopping = undefined;
    // Nodes of which the run was not told yet may have ended before; others begin now.
    isIdle = false;
    part?.go();
  }

  function finish(): void {
    if (isIdle && unsettled === 0) giveUp();
  }

  function giveUp(): void {
    close();
    end(news.rest().then((ends) => packEnds(ends)));
  }

  /** Attempts at work would go on beside the attempt that begins it again. */
  function fail(error: unknown): void {
    close();
    beginNothing();
    cancelAll(new CancelledFailure(messageOf(error)));
    end(Promise.reject(error));
  }

  function close(): void {
    isOver = true;
    clearInterval(beats);
    clearTimeout(stopping);
  }

  function beat(): void {
    const { done = 0, of = 0 } = part?.counts ?? {};
    context.heartbeat({ part: { done, of, atWork: part?.atWork().slice(0, NAMED) ?? [] } });
  }
}
