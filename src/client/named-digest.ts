/** The digests that messages name: completed before they are signed, and compared with what the run kept of them. */

import {
  CONTROLS,
  isWholeDigest,
  type Answer,
  type Control,
  type Decision,
  type SaidDecision,
  type TraceEntry,
} from '../protocol/index.ts';
import type { RunHandle } from './run-handle.ts';

/**
 * A message with the whole digest of the open plan, where it names the first digits of it or, as an answer and a gated
 * control message may, none. One about another plan is left as it is; the run refuses it.
 * @param run is asked for its open plan, when that is needed
 */
export async function withWholeDigest<Message extends Decision | Answer | Control>(
  message: Message,
  run: Pick<RunHandle, 'view'>,
): Promise<Message> {
  const { digest } = message;
  const isWanted = 'action' in message ? CONTROLS[message.action].gated : true;
  if (!isWanted || isWholeDigest(digest)) return message;
  const { digest: open } = (await run.view(['plan'])).plan;
  return open.startsWith(digest?.toLowerCase() ?? '') && open !== '' ? { ...message, digest: open } : message;
}

/** The entry that the run kept of this very decision, if it took it and no decision against it came since. */
export async function findTaken(decision: Decision, run: Pick<RunHandle, 'view'>): Promise<TraceEntry | undefined> {
  let taken: TraceEntry | undefined;
  for (const entry of (await run.view(['trace'])).trace.entries) {
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
