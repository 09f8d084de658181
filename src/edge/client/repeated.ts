/** A decision that is said twice by the same person is one decision: the second time is not refused. */

import type { Decision, SaidDecision, TraceEntry } from '../../wire/contract/index.ts';

/** The entry that the run kept of this very decision, if it took it and no decision against it came since. */
export async function findTaken(decision: Decision, trace: AsyncIterable<TraceEntry>): Promise<TraceEntry | undefined> {
  let taken: TraceEntry | undefined;
  for await (const entry of trace) {
    if (entry.what !== 'decision' || entry.said === undefined) continue;
    if (isSame(decision, entry.said)) taken = entry;
    else if (!entry.said.kind.startsWith('approve')) taken = undefined;
  }
  return taken;
}

/** An edit is not compared: the trace does not have its plan. */
function isSame(decision: Decision, said: SaidDecision): boolean {
  const { kind, digest, by, role, nodes } = decision;
  if (kind === 'edit' || said.kind !== kind || said.by !== by.trim() || said.role !== role) return false;
  const other = said.digest;
  const [short, long] = other.length < digest.length ? [other, digest.toLowerCase()] : [digest.toLowerCase(), other];
  return long.startsWith(short) && JSON.stringify(said.nodes) === JSON.stringify(nodes);
}
