/**
 * The answer of the demo's plan at every node, by other means than the product's: its own reading of the tables
 * that the tracks were packed from, and plain loops over records. Nothing here imports from src.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

export const TRACKS_FOLDER = fileURLToPath(new URL('../fixtures/tracks/', import.meta.url));

export const TRACK_FILES = {
  exons: 'refseq.chr1.exons.bed.gz',
  aluY: 'aluY.chr1.bed.gz',
  repeats: 'simpleRepeats.chr1.bed.gz',
} as const;

/** 0-based, half-open, as in the file. */
interface Line {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly strand: string;
}

/** The names of the records at every node: those of exons, and `from-to-strand` for the others. */
export interface Answers {
  readonly exons: ReadonlySet<string>;
  readonly aluY: ReadonlySet<string>;
  readonly repeats: ReadonlySet<string>;
  readonly coding: ReadonlySet<string>;
  readonly upstream: ReadonlySet<string>;
  readonly downstream: ReadonlySet<string>;
  readonly either: ReadonlySet<string>;
  readonly pair: ReadonlySet<string>;
  readonly oneFlank: ReadonlySet<string>;
  readonly withRepeat: ReadonlySet<string>;
  readonly root: ReadonlySet<string>;
}

export function plainAnswers(): Answers {
  const exons = linesOf(TRACK_FILES.exons);
  const aluY = linesOf(TRACK_FILES.aluY);
  const repeats = linesOf(TRACK_FILES.repeats);
  const coding = exons.filter(({ name }) => name.startsWith('NM_'));
  const upstream = names(coding.filter((exon) => meetsOne(exon, 1000, 0, aluY, 'same')));
  const downstream = names(coding.filter((exon) => meetsOne(exon, 0, 1000, aluY, 'opposite')));
  const either = new Set([...upstream, ...downstream]);
  const pair = new Set([...upstream].filter((name) => downstream.has(name)));
  const oneFlank = new Set([...either].filter((name) => !pair.has(name)));
  const withRepeat = names(coding.filter((exon) => holdsOne(exon, repeats)));
  const root = new Set([...oneFlank].filter((name) => !withRepeat.has(name)));
  return {
    exons: names(exons),
    aluY: places(aluY),
    repeats: places(repeats),
    coding: names(coding),
    ...{ upstream, downstream, either, pair, oneFlank, withRepeat, root },
  };
}

/** Whether one of the records, every one of them tried, shares a base with the exon widened along the exon's strand. */
function meetsOne(
  exon: Line,
  upstream: number,
  downstream: number,
  records: readonly Line[],
  strand: 'same' | 'opposite',
): boolean {
  const from = exon.from - (exon.strand === '+' ? upstream : downstream);
  const to = exon.to + (exon.strand === '+' ? downstream : upstream);
  for (const record of records) {
    if (record.from < to && record.to > from && (record.strand === exon.strand) === (strand === 'same')) return true;
  }
  return false;
}

/** Whether one of the records, sorted by `from`, lies in the exon with both of its ends. */
function holdsOne(exon: Line, sorted: readonly Line[]): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as Line).from < exon.from) low = middle + 1;
    else high = middle;
  }
  for (let row = low; row < sorted.length && (sorted[row] as Line).from < exon.to; row += 1) {
    if ((sorted[row] as Line).to <= exon.to) return true;
  }
  return false;
}

function linesOf(file: string): readonly Line[] {
  const text = gunzipSync(readFileSync(TRACKS_FOLDER + file)).toString('latin1');
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [sequence, from, to, name, , strand = '.'] = line.split('\t');
    if (sequence !== 'chr1') throw new Error(`an unexpected sequence: ${line}`);
    lines.push({ name: name as string, from: Number(from), to: Number(to), strand });
  }
  return lines.sort((a, b) => a.from - b.from);
}

function names(lines: readonly Line[]): ReadonlySet<string> {
  return new Set(lines.map(({ name }) => name));
}

function places(lines: readonly Line[]): ReadonlySet<string> {
  return new Set(lines.map(({ from, to, strand }) => `${from}-${to}-${strand}`));
}
