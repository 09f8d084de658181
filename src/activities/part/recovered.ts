/** A part whose worker was lost: what it has kept is told, and what may have ended the worker goes alone from now on. */

import { packEnds, type PartEnd, type PartEnds, type PartRequest } from '../../protocol/index.ts';
import type { Surroundings } from '../attempt-node.ts';
import { placeOf } from '../own-place.ts';
import { keptBefore } from '../keep-node.ts';
import { STOPPED } from './attempts-of-node.ts';
import { createPart } from './part.ts';

/** Carries nothing out. Of the nodes that could begin next, as many as were at work at most go alone. */
export async function recovered(request: PartRequest, { revisions, stores }: Surroundings): Promise<PartEnds> {
  const place = placeOf(request);
  const store = stores.of(place);
  const revision = await revisions.load(request.revision, store);
  const ends: PartEnd[] = [];
  const missing: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const part = createPart(request, revision, {
      async carryOut(node, sought) {
        const handle = await keptBefore(store, place, revision, sought);
        if (handle === undefined) missing.push(node);
        else ends.push({ node, handle });
        return handle === undefined ? STOPPED : { handle };
      },
      idle: resolve,
      failed: reject,
    });
    part.go();
  });
  const alone = missing.slice(0, Math.max(1, request.slots)).toSorted((a, b) => a - b);
  return packEnds(ends, alone);
}
