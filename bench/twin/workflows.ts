/**
 * What someone would write by hand for one plan shape: counters and callbacks, one activity per node, nothing else.
 * The yardstick for the engine: no approval, no messages, no statuses, no failures but the first.
 */

import { condition, defineQuery, defineSignal, scheduleActivity, setHandler } from '@temporalio/workflow';
import type { TwinHandle, TwinRequest } from './activities.ts';

export interface TwinInput {
  readonly revision: string;
  /** inputs[i]: the nodes whose results node i takes; smaller numbers. */
  readonly inputs: readonly (readonly number[])[];
  /** naps[i]: milliseconds that node i naps. Default: none. */
  readonly naps?: readonly number[];
  /** The file that nodes of less than two inputs note their beginning and end in, if any. */
  readonly ledger?: string;
}

export function twinWorkflow({ revision, inputs, naps = [], ledger }: TwinInput): Promise<TwinHandle> {
  const need = inputs.map((needed) => needed.length);
  const dependents: number[][] = inputs.map(() => []);
  inputs.forEach((needed, node) => needed.forEach((input) => dependents[input]?.push(node)));
  const handles: TwinHandle[] = [];

  return new Promise((resolve, reject) => {
    need.forEach((count, node) => {
      if (count === 0) start(node);
    });

    function start(node: number): void {
      const refs = (inputs[node] ?? []).map((input) => handles[input]?.ref ?? '');
      const nodeId = `node_${node + 1}`;
      const notes = refs.length < 2 ? { ledger } : {};
      carryOut({ revision, nodeId, inputs: refs, nap: naps[node], ...notes }).then(
        (handle) => end(node, handle),
        reject,
      );
    }

    function end(node: number, handle: TwinHandle): void {
      handles[node] = handle;
      if (node === inputs.length - 1) resolve(handle);
      for (const dependent of dependents[node] ?? []) {
        const left = (need[dependent] ?? 0) - 1;
        need[dependent] = left;
        if (left === 0) start(dependent);
      }
    }
  });
}

function carryOut(request: TwinRequest): Promise<TwinHandle> {
  return scheduleActivity<TwinHandle>('twinNode', [request], {
    activityId: request.nodeId,
    startToCloseTimeout: '5 minutes',
    scheduleToCloseTimeout: '1 hour',
    heartbeatTimeout: '10 seconds',
    retry: { maximumAttempts: 3, initialInterval: 500, backoffCoefficient: 1.5 },
  });
}

/** The smallest run of the server. */
export async function emptyWorkflow(): Promise<void> {}

/** A node behind a person's word. */
export async function approvedWorkflow(): Promise<TwinHandle> {
  let isApproved = false;
  setHandler(defineSignal('approve'), () => void (isApproved = true));
  setHandler(defineQuery('isWaiting'), () => !isApproved);
  await condition(() => isApproved);
  return carryOut({ revision: 'r'.repeat(43), nodeId: 'node_1', inputs: [] });
}
