/**
 * Packs the tables of `test/fixtures/tracks` as the demo gene-strategies reads them: `node scripts/pack-tracks.mjs`.
 * A line of a packed track holds the records of one name and strand: `name strand steps lengths`, with the starts as
 * steps from the start before. Scores are left out. `examples/gene-strategies/packed-track.ts` reads it.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const from = join(root, 'test', 'fixtures', 'tracks');
const to = join(root, 'examples', 'gene-strategies', 'tracks');

/** Table by packed track. */
const TRACKS = {
  exons: 'refseq.chr1.exons.bed.gz',
  'alu-y': 'aluY.chr1.bed.gz',
  'tandem-repeats': 'simpleRepeats.chr1.bed.gz',
};

/** The number of an exon in its transcript; all behind it repeats other columns. */
const EXON = /_exon_(\d+)_0_chr1_\d+_[fr]$/;

mkdirSync(to, { recursive: true });
for (const [track, table] of Object.entries(TRACKS)) {
  const lines = gunzipSync(readFileSync(join(from, table)))
    .toString('latin1')
    .trimEnd()
    .split('\n');
  writeFileSync(join(to, `${track}.br`), brotli(groupsOf(lines).map(packed).join('\n')));
}

/**
 * A transcript that lies in more than one place is a group at each.
 *
 * @typedef {{ name: string, strand: string, places: [start: number, length: number][] }} Group
 * @param {string[]} lines
 */
function groupsOf(lines) {
  /** @type {Map<string, Group>} */
  const open = new Map();
  /** @type {Group[]} */
  const groups = [];
  for (const line of lines) {
    const [, start = '', stop = '', fullName = '', , strand = '.'] = line.split('\t');
    const name = fullName.replace(EXON, '');
    const key = `${name} ${strand}`;
    let group = EXON.exec(fullName)?.[1] === '0' ? undefined : open.get(key);
    if (group === undefined) {
      group = { name, strand, places: [] };
      open.set(key, group);
      groups.push(group);
    }
    group.places.push([Number(start), Number(stop) - Number(start)]);
  }
  return groups;
}

/** @param {Group} group */
function packed({ name, strand, places }) {
  const sorted = places.toSorted(([a, long], [b, longer]) => a - b || long - longer);
  const steps = sorted.map(([start], index) => start - (sorted[index - 1]?.[0] ?? 0));
  return [name, strand, steps.join(), sorted.map(([, length]) => length).join()].join(' ');
}

/** @param {string} text */
function brotli(text) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(Buffer.from(text), { params });
}
