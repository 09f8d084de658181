/**
 * Counts what only a run knows: how nodes and runs have ended. The SDK hands it to its worker's metrics, and nothing of it when a
 * history is replayed; it is no command.
 */

import { metricMeter } from '@temporalio/workflow';
import { madeAs, METRICS, NODE_ENDS, type NodeStatus } from '../protocol/index.ts';
import type { Run } from './run/index.ts';

/** @returns counts the nodes that have ended since it was called last */
export function nodeCounter(run: Run): () => void {
  const count = counter(METRICS.nodes);
  let before = endsOf(run);
  return () => {
    const now = endsOf(run);
    for (const end of NODE_ENDS) {
      // An edit or a retry takes ends back.
      const more = (now[end] ?? 0) - (before[end] ?? 0);
      if (more > 0) count(more, { end });
    }
    before = now;
  };
}

/** A run that the server ends is counted nowhere. */
export function countRun({ dialogue: { approval } }: Run): void {
  counter(METRICS.runs)(1, { outcome: approval.closed?.outcome ?? 'unknown' });
}

function endsOf({ execution }: Run): Readonly<Partial<Record<NodeStatus, number>>> {
  return { ...execution?.progress.counts };
}

function counter({ name, tells }: typeof METRICS.nodes | typeof METRICS.runs) {
  const made = metricMeter.createCounter(madeAs({ name }), '', tells);
  return (value: number, tags: Readonly<Record<string, string>>) => made.add(value, tags);
}
