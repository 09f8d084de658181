/** A part tells of nodes that have ended, by a signal while it goes on or with its own end. Each node lands as single ones do. */

import {
  given,
  isHeld,
  newsIn,
  nodesIn,
  PART_ENDS,
  problemOf,
  unpackEnds,
  type PartEnd,
  type PartEnds,
} from '../../protocol/index.ts';
import { land } from './land.ts';
import { GIVEN_BACK, TO_GO_ALONE, type Landing } from './landing.ts';
import type { Part } from './parts.ts';
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
    landRest(run, part, () => rest, at, verify);
    return;
  }
  const ends = landing.value as PartEnds;
  const alone = new Set(nodesIn(ends.alone ?? ''));
  landEnds(run, part, ends, at, verify);
  landRest(run, part, (node) => ({ ok: true, value: alone.has(node) ? TO_GO_ALONE : GIVEN_BACK }), at, verify);
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
  const placeOf = new Map(part.nodes.map((node, place) => [node, place]));
  for (const end of unpackEnds(ends)) {
    const place = placeOf.get(end.node);
    if (place !== undefined) land(run, part.first + place, landingOf(end), at, verify);
  }
}

function landRest(run: Run, part: Part, landing: (node: number) => Landing, at: string, verify: Verify): void {
  part.nodes.forEach((node, place) => land(run, part.first + place, landing(node), at, verify));
}

function landingOf(end: PartEnd): Landing {
  if ('handle' in end) return { ok: true, value: end.handle };
  if ('held' in end) return { ok: true, value: end.held };
  const { type, message } = end.failure;
  const failure = { type: 'CRITICAL', message, details: [] } as const;
  return { ok: false, end: { status: 'failed', type, message }, failure, ...given({ usage: end.usage }) };
}
