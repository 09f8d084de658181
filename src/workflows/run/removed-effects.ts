/**
 * At-most-once effects that have begun and whose nodes the open plan no longer has. Each stays in its run as a plan of
 * one node. A person settles it there; a later plan with the same effect takes over its state.
 */

import { effectOf, given, nodeId, type RunSlice } from '../../protocol/index.ts';
import type { Execution, Run } from './in-memory.ts';
import { openExecution } from './run.ts';
import { openNodes } from './nodes/progress.ts';
import { isEmpty, numbered } from './records.ts';
import type { Nodes, RemovedEffect } from './state.ts';
import { replaceWork } from './work.ts';

/** Remembers the effects of the open plan that have begun, except for nodes that the next plan has too. */
export function rememberRemoved({ dialogue, execution }: Run, isThere: (node: number) => boolean): void {
  const { slice, status = [], scheduledAt = {}, retries = {} } = execution ?? {};
  if (execution === undefined || slice === undefined) return;
  for (const [node, now] of status.entries()) {
    const isBegun = now === 'uncertain' || (now !== 'pending' && scheduledAt[node] !== undefined);
    if (isThere(node) || effectOf(slice, node) !== 'at-most-once' || !(isBegun || retries[node] !== undefined))
      continue;
    const nodes = nodesOf(execution, node);
    // A person has to settle only what may have happened.
    if (now !== 'uncertain') delete nodes.unsettled[0];
    const removed = { node: nodeId(node), revision: dialogue.approval.revision, slice: sliceOf(slice, node), nodes };
    (dialogue.removedEffects ??= {})[claimOf(slice, node)] = removed;
  }
}

/** The key in `removedEffects`: the effect's claim in the store, or else its node. */
export function claimOf(slice: RunSlice, node: number): string {
  return slice.claims?.[node] ?? itemId(slice, nodeId(node));
}

/** The id of the open item of a removed node. */
export function itemId({ digest }: RunSlice, node: string): string {
  return `${digest.slice(0, 8)}.${node}`;
}

/** Shares the state of the effect: changes to this node stay. */
export function openRemoved({ slice, nodes }: RemovedEffect): Execution {
  return openExecution(slice, 1, nodes);
}

/** The removed effects that wait for a person to say whether they have happened. */
export function* unsettledRemoved({ dialogue }: Run): Generator<RemovedEffect> {
  for (const removed of Object.values(dialogue.removedEffects ?? {}))
    if (!isEmpty(removed.nodes.unsettled)) yield removed;
}

/** The state of a removed effect that this node of a new plan is. Its work under way becomes the node's work again. */
export function takeBack(run: Run, slice: RunSlice, node: number): Execution | undefined {
  const { dialogue, work } = run;
  const claim = slice.claims?.[node] ?? '';
  const removed = dialogue.removedEffects?.[claim];
  if (removed === undefined) return undefined;
  delete dialogue.removedEffects?.[claim];
  for (const [id, one] of numbered(work)) {
    if (one.kind !== 'unused' || one.claim !== claim) continue;
    const { stopping, isDrained } = one;
    replaceWork(run, id, { kind: 'node', node, ...given({ stopping, isDrained }) });
  }
  return openRemoved(removed);
}

function nodesOf(all: Nodes, node: number): Nodes {
  const alone = openNodes(1);
  alone.status[0] = all.status[node]!;
  for (const [key, record] of Object.entries(alone) as [Exclude<keyof Nodes, 'status'>, Record<number, unknown>][])
    if (node in all[key]) record[0] = all[key][node];
  return alone;
}

function sliceOf(slice: RunSlice, node: number): RunSlice {
  const { executors, executorOf, summaries, effectKeys, values, valuesLeft, digest, revisionRef } = slice;
  const alone = <T>(column: Readonly<Record<number, T>> = {}) => (node in column ? { 0: column[node]! } : undefined);
  return {
    ...{ goal: '', text: '', digest, revisionRef, root: 0, inputs: [[]], executorOf: [0] },
    executors: [executors[executorOf[node]!]!],
    summaries: [summaries[node] ?? ''],
    ...given({ effectKeys: alone(effectKeys), values: alone(values), valuesLeft: alone(valuesLeft) }),
  };
}
