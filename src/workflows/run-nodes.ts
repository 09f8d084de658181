/**
 * Runs the nodes of an approved plan: each starts the moment its own inputs are there. Counters and callbacks, no
 * promise per waiting node: a promise costs 22 us in the sandbox.
 */

import { isCancellation, setCurrentDetails } from '@temporalio/workflow';
import {
  cancelPending,
  detailsOf,
  fail,
  isFinished,
  nodeId,
  note,
  startNext,
  succeed,
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

  return new Promise((resolve, reject) => {
    advance();

    function advance(): void {
      for (let node = startNext(progress!); node !== undefined; node = startNext(progress!)) start(node);
      const finished = isFinished(progress!);
      if (finished || ended % stride === 0) setCurrentDetails(detailsOf(run));
      if (finished && cancelled !== undefined) reject(cancelled);
      else if (finished) resolve();
    }

    function start(node: number): void {
      startNode(run, node).then(
        (handle) => {
          succeed(progress!, node, handle);
          ended += 1;
          advance();
        },
        (error: unknown) => {
          end(node, error);
          ended += 1;
          advance();
        },
      );
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
