/** The capabilities of this demo. */

import { z } from 'zod';
import { createSet, records } from 'planwright';
import { CapabilityError, defineCapability } from 'planwright/capabilities';
import { readTrack, TRACK_NAMES, tracksNamedIn } from './tracks.ts';

/**
 * A worker beats every 3 s. With these tracks an attempt takes well under a second, so silence of 5 s means a dead
 * worker, and its nodes start again elsewhere without a long wait.
 */
export const HEARTBEAT_MS = 5000;
const timeout = { heartbeatMs: HEARTBEAT_MS };

export const trackRecords = defineCapability({
  name: 'track.records',
  description: `Reads all records of one track of human chromosome 1 (${TRACK_NAMES.join(', ')}).`,
  input: z.strictObject({
    track: z.enum(TRACK_NAMES).optional().describe('Without it, the one track that the words of the task name.'),
  }),
  output: 'set',
  effect: 'read',
  timeout,
  execute: ({ task, arguments: { track } }) => readTrack(track ?? trackOf(task)),
});

export const recordsNamed = defineCapability({
  name: 'records.named',
  description: 'Keeps the records of its input whose id begins with a prefix.',
  input: z.strictObject({ prefix: z.string().min(1) }),
  output: 'set',
  effect: 'read',
  timeout,
  async execute({ inputs, arguments: { prefix } }) {
    const result = await inputs[0]?.read();
    if (result?.kind !== 'set') {
      const got = result === undefined ? 'it has none' : `its input is a ${result.kind}`;
      throw new CapabilityError(
        'REPLANNING',
        `records.named narrows a set of records, and ${got}; give the task an "input" that is one`,
      );
    }
    const kept = [...records(result.set)].filter(({ id }) => id.startsWith(prefix));
    return createSet(kept, result.set.recordType);
  },
});

function trackOf(task: string) {
  const named = tracksNamedIn(task);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const got = named.length === 0 ? 'no track' : `${named.length} tracks (${named.join(', ')})`;
  throw new CapabilityError(
    'REPLANNING',
    `the task "${task}" names ${got}; name one of ${TRACK_NAMES.join(', ')} as arguments.track`,
  );
}
