/** Runs in parts, carried out by workers in processes of their own that a test may kill. */

import type { WorkflowHandle } from '@temporalio/client';
import type { NodesPage } from '../../src/protocol/index.ts';
import { openCrashSite } from './crash-site.ts';
import { idsOf, planOf } from './plans.ts';
import type { WorkerProcess } from './start-worker.ts';

/** A task queue and a store for one test. */
export async function openParts() {
  const { folder, hire, start } = await openCrashSite();
  return {
    folder,
    hire: () => hire(),
    start: (plan: object, options: object, name?: string) =>
      start(planOf(plan, { lane: 'parts', approval: 'effects', ...options }), name),
  };
}

export const leaves = (many: number) => Array.from({ length: many }, (_, n) => idsOf(`i${n}`));

export const begunBy = ({ events }: WorkerProcess, id: string) =>
  events.filter(({ what, nodeId }) => what === 'started' && nodeId === id).length;

/** The id of the node whose summary has the text. */
export async function idOf(run: WorkflowHandle, text: string): Promise<string> {
  const { nodes } = await run.query<NodesPage>('nodes');
  return nodes.find(({ summary }) => summary.includes(text))?.id ?? '';
}
