/**
 * Runs the nodes of an approved plan: each starts the moment its own inputs are there. Counters and callbacks, no
 * promise per waiting node: a promise costs 22 us in the sandbox.
 */

import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  setCurrentDetails,
} from '@temporalio/workflow';
import {
  cancelPending,
  detailsOf,
  fail,
  isFinished,
  isRecord,
  nodeId,
  note,
  startNext,
  succeed,
  type ResultHandle,
  type Run,
} from '../run/index.ts';
import { nodeFailureOf } from './failures.ts';
import { now } from './now.ts';
import { startNode } from './start-node.ts';

/** Rendering the details is the dearest part of a completion; a large run shows every hundredth part of its way. */
const RENDERINGS = 100;

/** Resolves when every node has ended. Rejects only when the run was cancelled, after what was in flight has ended. */
export function runNodes(run: Run): Promise<void> {
  const { progress, slice } = run;
  if (progress === undefined || slice === undefined) throw new RangeError('a run without a plan has no nodes');
  const stride = Math.ceil(slice.inputs.length / RENDERINGS);
  let ended = 0;
  let cancelled: unknown;
  const scope = CancellationScope.current();

  return new Promise((resolve, reject) => {
    advance();

    function advance(): void {
      for (let node = startNext(progress!); node !== undefined; node = startNext(progress!)) start(node);
      const finished = isFinished(progress!);
      if (finished || ended % stride === 0) setCurrentDetails(detailsOf(run));
      if (!finished) return;
      // What was in flight may have answered the cancellation with an error of its own.
      if (scope.consideredCancelled) cancelled ??= new CancelledFailure('the run was cancelled');
      if (cancelled === undefined) resolve();
      else reject(cancelled);
    }

    function start(node: number): void {
      startNode(run, node).then(
        (handle) => goOn(() => (isHandle(handle) ? succeed(progress!, node, handle) : end(node, NO_HANDLE))),
        (error: unknown) => goOn(() => end(node, error)),
      );
    }

    /** Whatever is thrown here has no other way out of the run. */
    function goOn(settle: () => void): void {
      try {
        settle();
        ended += 1;
        advance();
      } catch (error) {
        reject(error);
      }
    }

    function end(node: number, error: unknown): void {
      if (isCancellation(error)) {
        cancelled ??= error;
        cancelPending(progress!);
      }
      const { status, ...failure } = nodeFailureOf(error, slice!.executors[slice!.executorOf[node] ?? 0]?.effect);
      fail(progress!, node, status, failure);
      note(run, now(), 'node', `${nodeId(node)} ${status}: ${failure.message}`);
    }
  });
}

const NO_HANDLE = ApplicationFailure.nonRetryable('its activity was completed with what is no handle', 'FATAL');

/** An activity can be completed from outside, with anything. */
function isHandle(value: unknown): value is ResultHandle {
  return isRecord(value) && typeof value['ref'] === 'string' && typeof value['kind'] === 'string';
}
