/** A part reports nodes that have ended, by signals and at its own end. Each node then ends like a single one. */

import { isDeferral, newsIn, nodesIn, PART_ENDS, problemOf, unpackEnds, type PartEnds } from '../../protocol/index.ts';
import { applyEnd } from './apply-end.ts';
import { GIVEN_BACK, TO_GO_ALONE, type WorkEnd } from './work-end.ts';
import { bar } from './parts.ts';
import type { Part, Run } from './in-memory.ts';
import type { Verify } from './talk/authenticate.ts';

/** The activity of the part is scheduled. */
export function partBegun({ parts }: Run, name: string, key: string): void {
  const part = parts.get(name);
  if (part !== undefined) part.key = key;
}

/** Ignores a signal without the key of a part under way: anybody may send one. */
export function hearPart(run: Run, message: unknown, at: string, verify: Verify): void {
  for (const part of [...run.parts.values()]) {
    const news = newsIn(message, (key) => key === part.key);
    if (news !== undefined) applyEnds(run, part, news.ends, at, verify);
  }
}

/** The activity of a part has ended. Nodes that it did not report become ready again. */
export function applyPart(run: Run, name: string, ended: WorkEnd, at: string, verify: Verify): void {
  const part = run.parts.get(name);
  if (part === undefined) return;
  const rest = part.halted === true && !ended.ok ? STOPPED : restOf(ended);
  const isReply = ended.ok && problemOf(PART_ENDS, ended.value) === undefined;
  if (!isReply) {
    applyRest(run, part, rest, at, verify);
    return;
  }
  applyEnds(run, part, ended.value as PartEnds, at, verify);
  applyRest(run, part, STOPPED, at, verify);
}

/** The worker of a stopped part may be gone, and no other worker gets the part. */
const STOPPED: WorkEnd = { ok: true, value: GIVEN_BACK };

/** The activity has returned no reply: it was deferred as a whole, cancelled, or has failed. */
function restOf(ended: WorkEnd): WorkEnd {
  if (!ended.ok) return ended.end.status === 'cancelled' || ended.end.type.startsWith('Timeout.') ? STOPPED : ended;
  if (isDeferral(ended.value)) return ended;
  const message = 'its part was completed with what is no reply of a part';
  return {
    ok: false,
    end: { status: 'failed', type: 'FATAL', message },
    failure: { type: 'FATAL', message, details: [] },
  };
}

function applyEnds(run: Run, part: Part, ends: PartEnds, at: string, verify: Verify): void {
  const { alone = '', barred = [] } = ends;
  const placeOf = new Map(part.nodes.map((node, place) => [node, place]));
  const applyOne = (node: number, value: unknown) => {
    const place = placeOf.get(node);
    if (place !== undefined) applyEnd(run, part.first + place, { ok: true, value }, at, verify);
  };
  for (const { node, handle } of unpackEnds(ends)) applyOne(node, handle);
  if (barred.length > 0) bar(run, barred);
  for (const node of nodesIn(alone)) applyOne(node, TO_GO_ALONE);
}

function applyRest(run: Run, part: Part, ended: WorkEnd, at: string, verify: Verify): void {
  part.nodes.forEach((_, place) => applyEnd(run, part.first + place, ended, at, verify));
}
