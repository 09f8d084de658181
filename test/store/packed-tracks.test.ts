/** The packed tracks of the demo hold every line of the tables, name, place and strand. */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { unpackTrack } from '../../examples/gene-strategies/packed-track.ts';
import { TRACKS } from '../../examples/gene-strategies/tracks.ts';
import { TRACK_FILES, TRACKS_FOLDER } from '../demos/oracle.ts';

test.each([
  ['exons', TRACK_FILES.exons],
  ['alu-y', TRACK_FILES.aluY],
  ['tandem-repeats', TRACK_FILES.repeats],
] as const)('%s', (track, table) => {
  const packed = readFileSync(new URL(`../../examples/gene-strategies/tracks/${track}.br`, import.meta.url));
  const lines = gunzipSync(readFileSync(TRACKS_FOLDER + table))
    .toString('latin1')
    .trimEnd()
    .split('\n');
  const held = unpackTrack(packed, 'chr1', TRACKS[track].nameRecord).trimEnd().split('\n');
  expect(held.map(withoutScore).toSorted()).toEqual(lines.map(withoutScore).toSorted());
});

function withoutScore(line: string): string {
  const [sequence, start, stop, name, , strand = '.'] = line.split('\t');
  return [sequence, start, stop, name, strand].join('\t');
}
