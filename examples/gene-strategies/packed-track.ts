/** A packed track as the BED lines that it was made from, without their scores. */

import { brotliDecompressSync } from 'node:zlib';

/** How the name of a record is made from the name of its group, its number there, and its place. */
export type NameRecord = (group: string, number: number, start: number, strand: string) => string;

/**
 * Each line holds the records of one name and strand: `name strand steps lengths`. A start is a step from the start
 * before it, the first from 0, in bases; starts are 0-based.
 */
export function unpackTrack(packed: Uint8Array, sequence: string, nameRecord: NameRecord): string {
  const records: string[] = [];
  for (const line of brotliDecompressSync(packed).toString('latin1').split('\n')) {
    const [group = '', strand = '', steps = '', lengths = ''] = line.split(' ');
    const lengthOf = lengths.split(',').map(Number);
    let start = 0;
    for (const [number, step] of steps.split(',').map(Number).entries()) {
      start += step;
      const stop = start + (lengthOf[number] ?? Number.NaN);
      records.push(`${sequence}\t${start}\t${stop}\t${nameRecord(group, number, start, strand)}\t.\t${strand}\n`);
    }
  }
  return records.join('');
}
