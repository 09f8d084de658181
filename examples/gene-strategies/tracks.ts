/** The tracks of human chromosome 1 that come with the demo. */

import { readFile } from 'node:fs/promises';
import type { ResultSet } from 'planwright';
import { readBed, type BedOptions } from 'planwright/results';
import { unpackTrack, type NameRecord } from './packed-track.ts';

const groupName: NameRecord = (group) => group;

/** As UCSC names an exon of a transcript: `NM_001005484_exon_0_0_chr1_69091_f`. */
const exonName: NameRecord = (transcript, number, start, strand) =>
  `${transcript}_exon_${number}_0_chr1_${start + 1}_${strand === '+' ? 'f' : 'r'}`;

/** The tracks, in the order in which they are offered. `words` are what a task may call a track by. */
export const TRACKS = {
  exons: { nameRecord: exonName, id: 'name', recordType: 'exon', words: /\bexons?\b/i },
  'alu-y': { nameRecord: groupName, id: 'location', recordType: 'AluY', words: /\balu/i },
  'tandem-repeats': {
    nameRecord: groupName,
    id: 'location',
    recordType: 'tandem repeat',
    words: /\btandem|\bsimple repeats?\b/i,
  },
} as const satisfies { readonly [name: string]: Track };

type TrackName = keyof typeof TRACKS;

export const TRACK_NAMES = Object.keys(TRACKS) as [TrackName, ...TrackName[]];

interface Track {
  readonly nameRecord: NameRecord;
  readonly id: BedOptions['id'];
  readonly recordType: string;
  readonly words: RegExp;
}

/** All records of a track, 1-based with both ends inclusive. */
export async function readTrack(name: TrackName): Promise<ResultSet> {
  const { nameRecord, id, recordType } = TRACKS[name];
  const packed = await readFile(new URL(`./tracks/${name}.br`, import.meta.url));
  const read = readBed(unpackTrack(packed, 'chr1', nameRecord), { id });
  if (read.ok) return { ...read.set, recordType };
  const [first] = read.issues;
  throw new TypeError(`the track ${name} is damaged: line ${first?.line}: ${first?.message}`);
}

/** The tracks that a text speaks of. */
export function tracksNamedIn(text: string): readonly TrackName[] {
  return TRACK_NAMES.filter((name) => TRACKS[name].words.test(text));
}
