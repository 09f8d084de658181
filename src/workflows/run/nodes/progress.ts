/**
 * The progress of a run's nodes, changed in place. Creates no promises, the main cost of a large run in the workflow
 * sandbox. The same events in the same order start the same nodes.
 */

import type { Progress } from '../in-memory.ts';
import {
  NODE_STATUSES,
  type NodeFailure,
  type NodeStatus,
  type ResultHandle,
  type PlanShape,
} from '../../../protocol/index.ts';
import { visible } from '../../../plan/text/index.ts';
import { isEmpty, numbered } from '../records.ts';
import type { Nodes } from '../state.ts';
import type { Wait } from '../../approval/state.ts';
import { createReadyQueue, dependentsOf, popReady, pushReady, rankOf } from './ready-queue.ts';

export function openNodes(count: number): Nodes {
  return {
    status: Array.from({ length: count }, () => 'pending'),
    handles: {},
    failures: {},
    causes: {},
    unsettled: {},
    individual: {},
    retries: {},
    repeatedBy: {},
    backoffs: {},
    attempts: {},
    mayHaveBegun: {},
    reports: {},
    stopped: {},
    notes: {},
    scheduledAt: {},
    endedAt: {},
  };
}

/** @param after the nodes that a node waits for besides its inputs. If one fails, the node is skipped */
export function reopenProgress(
  inputs: PlanShape['inputs'],
  window: number,
  after: PlanShape['after'] = {},
  { status, handles, failures, causes, unsettled }: Nodes,
): Progress {
  const waitsFor = inputs.map((needed, node) => [...new Set([...needed, ...(after[node] ?? [])])]);
  const dependents = dependentsOf(waitsFor);
  const counts = noCounts();
  for (const one of status) counts[one] += 1;
  const progress: Progress = {
    status,
    handles,
    failures,
    causes,
    unsettled,
    inputs,
    waitsFor,
    dependents,
    counts,
    need: Int32Array.from(waitsFor, (needed) => needed.length),
    ready: createReadyQueue(rankOf(dependents)),
    blocked: [],
    window,
  };
  // Nodes wait only for nodes with smaller indexes, so one pass is enough.
  for (let node = 0; node < inputs.length; node++) {
    if (handles[node] !== undefined) for (const one of dependents[node] ?? []) lessen(progress, one);
    else if (isSkippedByHand(progress, node) && isPassed(progress, node)) {
      for (const one of followersOf(progress, node)) lessen(progress, one);
    }
    if (isPassed(progress, node) && status[node] === 'pending') pushReady(progress.ready, node);
  }
  return progress;
}

function isPassed({ need }: Progress, node: number): boolean {
  return (need[node] as number) <= 0;
}

function lessen({ need }: Progress, node: number): void {
  need[node] = (need[node] as number) - 1;
}

/** Returns the next node to start, marked as running. Nodes that may not start are blocked until `releaseBlocked`. */
export function startNext(
  progress: Progress,
  mayStart: (node: number) => boolean = () => true,
  busy: number = progress.counts.running,
): number | undefined {
  if (busy >= progress.window) return undefined;
  for (;;) {
    const node = popReady(progress.ready);
    if (node === undefined) return undefined;
    if (progress.status[node] !== 'pending') continue;
    if (!mayStart(node)) {
      progress.blocked.push(node);
      continue;
    }
    setStatus(progress, node, 'running');
    return node;
  }
}

export function releaseBlocked(progress: Progress): void {
  const { blocked } = progress;
  progress.blocked = [];
  for (const node of blocked) pushReady(progress.ready, node);
}

export function putBack(progress: Progress, node: number): void {
  setStatus(progress, node, 'pending');
  if (isPassed(progress, node)) pushReady(progress.ready, node);
}

/** Like `putBack`, but the node is ready only after the next `releaseBlocked`, behind all other ready nodes. */
export function setAside(progress: Progress, node: number): void {
  setStatus(progress, node, 'pending');
  progress.blocked.push(node);
}

export function waitForPerson(progress: Progress, node: number): void {
  setStatus(progress, node, 'waiting');
}

export function succeed(
  progress: Progress,
  node: number,
  handle: ResultHandle,
  status: 'succeeded' | 'reused' = 'succeeded',
): void {
  progress.handles[node] = handle;
  delete progress.failures[node];
  delete progress.unsettled[node];
  setStatus(progress, node, status);
  for (const dependent of progress.dependents[node] ?? []) pass(progress, dependent);
}

/** Escapes hidden characters, since capabilities and people write messages, and all views show them. */
export function recordFailure({ failures }: Progress, node: number, failure: NodeFailure): void {
  failures[node] = { ...failure, message: visible(failure.message, { lines: true }) };
}

/** Ends a node without a result and skips all nodes that depend on it. Independent branches continue. */
export function fail(
  progress: Progress,
  node: number,
  status: 'failed' | 'uncertain' | 'cancelled',
  failure: NodeFailure,
): void {
  recordFailure(progress, node, failure);
  delete progress.unsettled[node];
  setStatus(progress, node, status);
  skipAbove(progress, progress.dependents[node] ?? [], node);
}

/** Like `fail`, but dependent nodes wait until a person has settled this node. */
export function failForNow(
  progress: Progress,
  node: number,
  status: 'failed' | 'uncertain',
  failure: NodeFailure,
  wait: Wait,
): void {
  recordFailure(progress, node, failure);
  progress.unsettled[node] = wait;
  setStatus(progress, node, status);
}

export function cancelPending(progress: Progress): void {
  for (const [node] of numbered(progress.unsettled)) delete progress.unsettled[node];
  progress.status.forEach((status, node) => {
    if (status === 'pending' || status === 'waiting') setStatus(progress, node, 'cancelled');
  });
}

export function isFinished({ counts, unsettled }: Progress): boolean {
  return counts.pending === 0 && counts.running === 0 && counts.waiting === 0 && isEmpty(unsettled);
}

export function inputRefs(progress: Pick<Progress, 'inputs' | 'handles'>, node: number): readonly string[] {
  return (progress.inputs[node] ?? []).map((input) => (progress.handles[input] as ResultHandle).ref);
}

function pass(progress: Progress, dependent: number): void {
  lessen(progress, dependent);
  if (progress.need[dependent] !== 0) return;
  if (progress.status[dependent] === 'pending') pushReady(progress.ready, dependent);
  else if (isSkippedByHand(progress, dependent)) releaseFollowers(progress, dependent);
}

export function releaseFollowers(progress: Progress, node: number): void {
  for (const follower of followersOf(progress, node)) pass(progress, follower);
}

function followersOf({ dependents, inputs }: Progress, node: number): readonly number[] {
  return (dependents[node] ?? []).filter((one) => inputs[one]?.includes(node) !== true);
}

function isSkippedByHand({ status, failures, causes }: Progress, node: number): boolean {
  return status[node] === 'skipped' && failures[node] !== undefined && causes[node] === undefined;
}

/** Skips these nodes, and all nodes that depend on them and have not started. */
export function skipAbove(progress: Progress, first: readonly number[], cause: number): void {
  const above = [...first];
  for (let next = above.pop(); next !== undefined; next = above.pop()) {
    if (isSkippedByHand(progress, next) && (progress.need[next] as number) > 0) {
      above.push(...followersOf(progress, next));
    }
    if (progress.status[next] !== 'pending') continue;
    progress.causes[next] = cause;
    setStatus(progress, next, 'skipped');
    above.push(...(progress.dependents[next] ?? []));
  }
}

export function setStatus(progress: Progress, node: number, status: NodeStatus): void {
  progress.counts[progress.status[node] as NodeStatus] -= 1;
  progress.counts[status] += 1;
  progress.status[node] = status;
}

export function noCounts(): Record<NodeStatus, number> {
  return Object.fromEntries(NODE_STATUSES.map((status) => [status, 0])) as Record<NodeStatus, number>;
}

export interface NodeProgress {
  /** The next node to run: that with the longest remaining path; undefined if none is ready or the window is full. */
  next(): number | undefined;
  succeed(node: number, handle: ResultHandle): void;
  /** Gives up a node without a result, so that the nodes that need its result do not start. */
  drop(node: number): void;
}

/** @param inputs for each node its inputs, which have smaller indexes @param window how many nodes may run at once */
export function openProgress(inputs: readonly (readonly number[])[], window: number): NodeProgress {
  const progress = reopenProgress(inputs, window, {}, openNodes(inputs.length));
  return {
    next: () => startNext(progress),
    succeed: (node, handle) => succeed(progress, node, handle),
    drop: (node) => fail(progress, node, 'cancelled', DROPPED),
  };
}

const DROPPED = { type: 'Cancelled', message: 'it has no result here' };
