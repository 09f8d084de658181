/** A part tells of nodes that have ended, by a signal while it goes on or with its own end. Each node lands as single ones do. */

import { isHeld, newsIn, nodesIn, PART_ENDS, problemOf, unpackEnds, type PartEnds } from '../../protocol/index.ts';
import { land } from './land.ts';
import { GIVEN_BACK, TO_GO_ALONE, type Landing } from './landing.ts';
import { bar, type Part } from './parts.ts';
import type { Run } from './run.ts';
import type { Verify } from './talk/authenticate.ts';

/** Its activity is scheduled. */
export function partBegun({ parts }: Run, name: string, word: string): void {
  const part = parts.get(name);
  if (part !== undefined) part.word = word;
}

/** Anybody may send a signal: without the word of a part under way it is not heard. */
export function hearPart(run: Run, message: unknown, at: string, verify: Verify): void {
  for (const part of [...run.parts.values()]) {
    const news = newsIn(message, (word) => word === part.word);
    if (news !== undefined) landEnds(run, part, news.ends, at, verify);
  }
}

/** The activity of a part has ended: nodes of which it does not tell come back. */
export function landPart(run: Run, name: string, landing: Landing, at: string, verify: Verify): void {
  const part = run.parts.get(name);
  if (part === undefined) return;
  const rest = part.halted === true && !landing.ok ? STOPPED : restOf(landing);
  const isReply = landing.ok && problemOf(PART_ENDS, landing.value) === undefined;
  if (!isReply) {
    landRest(run, part, rest, at, verify);
    return;
  }
  landEnds(run, part, landing.value as PartEnds, at, verify);
  landRest(run, part, STOPPED, at, verify);
}

/** The worker of a part that was told to stop may be gone, and nobody else is given it. */
const STOPPED: Landing = { ok: true, value: GIVEN_BACK };

/** An activity has given no reply: it was held as a whole, cancelled, or has failed. */
function restOf(landing: Landing): Landing {
  if (!landing.ok)
    return landing.end.status === 'cancelled' || landing.end.type.startsWith('Timeout.') ? STOPPED : landing;
  if (isHeld(landing.value)) return landing;
  const message = 'its part was completed with what is no reply of a part';
  return {
    ok: false,
    end: { status: 'failed', type: 'FATAL', message },
    failure: { type: 'FATAL', message, details: [] },
  };
}

function landEnds(run: Run, part: Part, ends: PartEnds, at: string, verify: Verify): void {
  const { alone = '', barred = [] } = ends;
  const placeOf = new Map(part.nodes.map((node, place) => [node, place]));
  const landOne = (node: number, value: unknown) => {
    const place = placeOf.get(node);
    if (place !== undefined) land(run, part.first + place, { ok: true, value }, at, verify);
  };
  for (const { node, handle } of unpackEnds(ends)) landOne(node, handle);
  if (barred.length > 0) bar(run, barred);
  for (const node of nodesIn(alone)) landOne(node, TO_GO_ALONE);
}

function landRest(run: Run, part: Part, landing: Landing, at: string, verify: Verify): void {
  part.nodes.forEach((_, place) => land(run, part.first + place, landing, at, verify));
}
