/**
 * What the set operators cost, as JSON lines: `npx tsx bench/algebra.ts [records]`, 1,000,000 records by default.
 * Milliseconds are the median of five runs after one that warms up; where it says `coldMs`, of five fresh processes.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  COLOCATE_DEFAULTS,
  combineSets,
  createSetBuilder,
  records,
  STRAND_SYMBOLS,
} from '../src/plan/algebra/index.ts';
import type {
  ColocateParameters,
  ResultRecord,
  ResultSet,
  SetOperator,
  StrandSign,
} from '../src/plan/algebra/index.ts';
import { countPairs, orderEnds } from '../src/plan/algebra/count-pairs.ts';
import type { Intervals } from '../src/plan/algebra/count-pairs.ts';
import { decodeResult, encodeResult, readBed, toIdLines } from '../src/store/index.ts';
import { median } from './median.ts';

const FROM_FILES = 'from-files';
const RECORDS = Number(process.argv[2] ?? 1_000_000) || 1_000_000;
const SEQUENCES = 24;
const SEQUENCE_LENGTH = 130_000_000;
const WINDOW = 1000;
const RUNS = 5;

if (process.argv[2] === FROM_FILES) answerFromFiles(process.argv.slice(3));
else main();

function main(): void {
  reportColocate();
  reportBoolean();
  reportFiles();
}

/** The whole way in a process of its own, as its parent measures it. */
function answerFromFiles([left = '', right = '', id]: readonly string[]): void {
  const [a, b] = [left, right].map((path) => {
    const read = readBed(readFileSync(path), { id: id === 'location' ? 'location' : 'name' });
    if (!read.ok) throw new Error(JSON.stringify(read.issues));
    return read.set;
  });
  const set = must(combineSets('COLOCATE', a!, b!, { ...COLOCATE_DEFAULTS, upstream: WINDOW, downstream: WINDOW }));
  createWriteStream('/dev/null').end(toIdLines(set));
  console.log(JSON.stringify({ found: set.ids.length, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) }));
}

/**
 * From two unsorted BED files, names in order, to the left records that have a right one within 1 kb. Ours makes the
 * whole set, with its counts, and writes the ids; `bedtools window -u` and `bedmap` write the lines. `bedmap` takes
 * sorted files only, so that it needs `sort-bed` before.
 */
function reportFiles(): void {
  const dir = mkdtempSync(join(tmpdir(), 'planwright-bench-'));
  const paths = ['l', 'r'].map((name, index) => {
    const path = join(dir, `${name}.bed`);
    const lines = Array.from(records(scattered(index + 1, name, [])), ({ id, location: l }) => {
      return `${l!.sequence}\t${l!.start - 1}\t${l!.stop}\t${id}\t0\t${STRAND_SYMBOLS[l!.strand]}\n`;
    });
    writeFileSync(path, lines.join(''));
    return path;
  });
  const files = paths.join(' ');
  const self = `${process.execPath} --import tsx ${fileURLToPath(import.meta.url)} ${FROM_FILES} ${files}`;
  const ways: { readonly [way: string]: string } = {
    planwright: self,
    'planwright, location ids': `${self} location`,
    'bedtools window -u': `bedtools window -u -w ${WINDOW} -a ${paths[0]} -b ${paths[1]} > /dev/null`,
    'sort-bed and bedmap': `cd ${dir} && for side in l r; do sort-bed $side.bed > $side.sorted; done && bedmap --indicator --range ${WINDOW} l.sorted r.sorted > /dev/null`,
  };
  const taken: { [way: string]: number } = {};
  for (const [way, command] of Object.entries(ways)) {
    if (!command.startsWith(process.execPath) && !isInstalled(way.split(' ').at(way.startsWith('bedtools') ? 0 : -1)!))
      continue;
    let last = '';
    const coldMs = median(
      Array.from({ length: RUNS }, () =>
        timeOnce(() => (last = execFileSync('bash', ['-c', command], { encoding: 'utf8' }))),
      ),
    );
    taken[way] = coldMs;
    report({ case: 'files to answer', way, coldMs: round(coldMs), ...(last !== '' && (JSON.parse(last) as object)) });
  }
  for (const other of Object.keys(taken).slice(2)) {
    report({
      case: 'files to answer, ratio',
      of: 'planwright',
      to: other,
      ratio: round(taken['planwright']! / taken[other]!),
    });
  }
  rmSync(dir, { recursive: true });
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

function reportColocate(): void {
  const left = scattered(1, 'l', []);
  const right = scattered(2, 'r', []);
  const giant = giants();
  const leftWithGiants = scattered(1, 'l', giant);
  const rightWithGiants = scattered(2, 'r', giant);
  const sides = { uniform: [left, right], giants: [leftWithGiants, rightWithGiants] } as const;
  for (const [shape, [a, b]] of Object.entries(sides)) {
    for (const operation of ['overlap', 'contains', 'within'] as const) {
      for (const strand of ['both', 'same'] as const) {
        const parameters: ColocateParameters = { upstream: 1000, downstream: 1000, strand, operation, output: 'left' };
        const ms = time(() => must(combineSets('COLOCATE', a, b, parameters)));
        report({
          case: 'COLOCATE',
          shape,
          operation,
          strand,
          ms,
          found: must(combineSets('COLOCATE', a, b, parameters)).ids.length,
        });
      }
    }
    const columns = [widened(a, WINDOW), widened(b, 0)];
    const [probes, targets] = columns.map((column) => orderEnds(column));
    report({ case: 'both ends of one side in order', shape, ms: time(() => orderEnds(columns[0]!)) });
    for (const operation of ['overlap', 'contains', 'within'] as const) {
      report({
        case: 'the sweep alone, both sides in order',
        shape,
        operation,
        ms: time(() => countPairs(probes!, targets!, operation)),
      });
    }
  }
}

/** The set's intervals with as many bases more at both ends, and with room for that below 1. */
function widened({ locations }: ResultSet, bases: number): Intervals {
  const { sequence, start, stop } = locations!;
  return {
    sequence: Uint32Array.from(sequence),
    start: Uint32Array.from(start, (at) => at - bases + 2 ** 30),
    stop: Uint32Array.from(stop, (at) => at + bases + 2 ** 30),
  };
}

/**
 * Half of the ids of each side are on the other side too. Both ways begin with the bytes of two stored sets. Ours decodes
 * them, with every check, and merges; the plain way takes `JSON.parse(text).ids` of both, unchecked, and a `Set`.
 */
function reportBoolean(): void {
  const left = idSet(0);
  const right = idSet(RECORDS / 2);
  const leftBytes = encoded(left);
  const rightBytes = encoded(right);
  report({ case: 'encode', ms: time(() => encoded(left)), bytes: leftBytes.length });
  report({ case: 'decode both', ms: time(() => [decoded(leftBytes), decoded(rightBytes)]) });
  report({ case: 'parse both, unchecked', ms: time(() => [plainIds(leftBytes), plainIds(rightBytes)]) });
  const [a, b] = [decoded(leftBytes), decoded(rightBytes)];
  const plain: { readonly [operator: string]: (l: readonly string[], r: readonly string[]) => unknown } = {
    UNION: (l, r) => [...new Set([...l, ...r])],
    INTERSECT: (l, r) => withSet(r, (other) => l.filter((id) => other.has(id))),
    MINUS: (l, r) => withSet(r, (other) => l.filter((id) => !other.has(id))),
  };
  for (const [operator, compute] of Object.entries(plain)) {
    const ms = time(() => must(combineSets(operator as SetOperator, a, b)));
    const fromBytesMs = time(() => must(combineSets(operator as SetOperator, decoded(leftBytes), decoded(rightBytes))));
    const plainFromBytesMs = time(() => compute(plainIds(leftBytes), plainIds(rightBytes)));
    report({ case: operator, ms, fromBytesMs, plainFromBytesMs, ratio: round(fromBytesMs / plainFromBytesMs) });
  }
}

function plainIds(bytes: Uint8Array): readonly string[] {
  return (JSON.parse(Buffer.from(bytes).toString()) as { readonly ids: readonly string[] }).ids;
}

function withSet<T>(ids: readonly string[], use: (set: ReadonlySet<string>) => T): T {
  return use(new Set(ids));
}

function idSet(first: number): ResultSet {
  const ids = Array.from({ length: RECORDS }, (_, index) => `GENE_${String(first + index).padStart(8, '0')}`);
  return { recordType: 'gene', ids, locations: null };
}

function giants(): ResultRecord[] {
  return Array.from({ length: SEQUENCES }, (_, index) => ({
    id: `giant${index}`,
    location: { sequence: `chr${index + 1}`, start: 1, stop: SEQUENCE_LENGTH, strand: 0 },
  }));
}

/** Records of 1 to 2,000 bases, spread evenly. */
function scattered(seed: number, prefix: string, more: readonly ResultRecord[]): ResultSet {
  const random = generator(seed);
  const builder = createSetBuilder('gene');
  for (let index = 0; index < RECORDS; index += 1) {
    const start = 1 + random(SEQUENCE_LENGTH - 2000);
    const strand = ([1, -1] as const)[random(2)] as StrandSign;
    const sequence = `chr${1 + random(SEQUENCES)}`;
    builder.add({
      id: `${prefix}${String(index).padStart(8, '0')}`,
      location: { sequence, start, stop: start + random(2000), strand },
    });
  }
  for (const record of more) builder.add(record);
  return builder.build();
}

/** A linear congruential generator: the same numbers on every machine. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function encoded(set: ResultSet): Uint8Array {
  const result = encodeResult({ kind: 'set', set });
  if (!result.ok) throw new Error(result.message);
  return result.bytes;
}

function decoded(bytes: Uint8Array): ResultSet {
  const result = decodeResult(bytes);
  if (!result.ok || result.result.kind !== 'set') throw new Error('the bytes hold no set');
  return result.result.set;
}

function must(combined: ReturnType<typeof combineSets>): ResultSet {
  if (!combined.ok) throw new Error(combined.message);
  return combined.set;
}

function time(run: () => unknown): number {
  run();
  return round(median(Array.from({ length: RUNS }, () => timeOnce(run))));
}

function timeOnce(run: () => unknown): number {
  const from = performance.now();
  run();
  return performance.now() - from;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function report(line: { readonly [name: string]: unknown }): void {
  console.log(JSON.stringify({ ...line, records: RECORDS }));
}
