/** The account of a run beside its result: how long it took, what had to be tried again, who let it run. */

import type { Begun, BegunView, RunHandle } from '../edge/client/index.ts';
import { given, type NodeView, type RunStatus, type TraceEntry } from '../wire/contract/index.ts';
import { listOf } from './operation.ts';
import { timesOf } from './seen-run.ts';

/** The facts about an ended run beside its end. All of it may be missing: nobody may be left to tell. */
export interface Receipt {
  /** Milliseconds from its start to its end. */
  readonly ms?: number;
  /** Nodes that took more than one attempt. */
  readonly retried: readonly (Pick<BegunView, 'id' | 'attempt' | 'before'> & { readonly key?: string })[];
  readonly approvedBy: readonly string[];
}

/** As far as server and worker can tell: a receipt is no reason for a run that has ended to be told otherwise. */
export async function readReceipt(run: RunHandle): Promise<Receipt> {
  const [standing, begun, nodes, entries] = await Promise.all([
    run.status().catch((): Partial<RunStatus> => ({})),
    run.begun().catch((): Begun => ({ nodes: [] })),
    listOf(run.nodes()).catch((): NodeView[] => []),
    listOf(run.trace()).catch((): TraceEntry[] => []),
  ]);
  const times = await timesOf(run, standing).catch(() => undefined);
  const ms = times?.endedAt === undefined ? undefined : Date.parse(times.endedAt) - Date.parse(times.startedAt);
  const keyOf = new Map(nodes.map(({ id, key }) => [id, key]));
  const retried = begun.nodes
    .filter(({ attempt }) => attempt > 1)
    .map(({ id, revision, attempt, before }) => {
      // A node of an earlier plan is another one than that of this id now.
      const key = revision === standing.revision ? keyOf.get(id) : undefined;
      return given({ id, attempt, key, before });
    });
  return { ...given({ ms }), retried, approvedBy: approversIn(entries) };
}

/** The people who have approved, each once, in the order in which they did; the last plan's people of a run that was edited come last. */
export function approversIn(entries: readonly TraceEntry[]): readonly string[] {
  const names = entries.flatMap((entry) => {
    if (entry.what !== 'decision' || entry.said === undefined) return [];
    const { kind, by, role } = entry.said;
    if (kind !== 'approve' && kind !== 'approve-part') return [];
    return [`${by}${role === undefined ? '' : ` as ${role}`}`];
  });
  return [...new Set(names)];
}
