/** The tracks of human chromosome 1 that come with the demo. */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ResultSet } from 'planwright';
import { readBed, type BedOptions } from 'planwright/results';

/** The tracks, in the order in which they are offered. `words` are what a task may call a track by. */
const TRACKS = {
  exons: { file: 'refseq.chr1.exons.bed.gz', id: 'name', recordType: 'exon', words: /\bexons?\b/i },
  'alu-y': { file: 'aluY.chr1.bed.gz', id: 'location', recordType: 'AluY', words: /\balu/i },
  'tandem-repeats': {
    file: 'simpleRepeats.chr1.bed.gz',
    id: 'location',
    recordType: 'tandem repeat',
    words: /\btandem|\bsimple repeats?\b/i,
  },
} as const satisfies { readonly [name: string]: Track };

type TrackName = keyof typeof TRACKS;

export const TRACK_NAMES = Object.keys(TRACKS) as [TrackName, ...TrackName[]];

interface Track {
  readonly file: string;
  readonly id: BedOptions['id'];
  readonly recordType: string;
  readonly words: RegExp;
}

/** All records of a track, 1-based with both ends inclusive. */
export async function readTrack(name: TrackName): Promise<ResultSet> {
  const { file, id, recordType } = TRACKS[name];
  const bytes = await promisify(gunzip)(await readFile(new URL(`./tracks/${file}`, import.meta.url)));
  const read = readBed(bytes, { id });
  if (read.ok) return { ...read.set, recordType };
  const [first] = read.issues;
  throw new TypeError(`the track ${file} is damaged: line ${first?.line}: ${first?.message}`);
}

/** The tracks that a text speaks of. */
export function tracksNamedIn(text: string): readonly TrackName[] {
  return TRACK_NAMES.filter((name) => TRACKS[name].words.test(text));
}
