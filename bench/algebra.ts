/**
 * What the set operators cost, as JSON lines: `npx tsx bench/algebra.ts [records]`, 1,000,000 records by default.
 * Milliseconds are the median of five runs after one that warms up.
 */

import { combineSets, createSetBuilder } from '../src/algebra/index.ts';
import type { ColocateParameters, ResultRecord, ResultSet, SetOperator, StrandSign } from '../src/algebra/index.ts';
import { countPairs, orderEnds } from '../src/algebra/count-pairs.ts';
import type { Intervals } from '../src/algebra/count-pairs.ts';
import { orderByPosition } from '../src/algebra/position-order.ts';
import { decodeResult, encodeResult } from '../src/results/index.ts';

const RECORDS = Number(process.argv[2] ?? 1_000_000);
const SEQUENCES = 24;
const SEQUENCE_LENGTH = 130_000_000;
const RUNS = 5;

main();

function main(): void {
  reportColocate();
  reportBoolean();
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
    const columns = [widened(a, 1000), b.locations!];
    report({
      case: 'one order by place',
      shape,
      ms: time(() => orderByPosition(columns[0]!.sequence, columns[0]!.start)),
    });
    const [probes, targets] = columns.map((column) => orderEnds(column));
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

/** The set's intervals with as many bases more at both ends. */
function widened({ locations }: ResultSet, bases: number): Intervals {
  const { sequence, start, stop } = locations!;
  return { sequence, start: start.map((at) => Math.max(0, at - bases)), stop: stop.map((at) => at + bases) };
}

/** Half of the ids of each side are on the other side too. */
function reportBoolean(): void {
  const left = idSet(0);
  const right = idSet(RECORDS / 2);
  const leftBytes = encoded(left);
  const rightBytes = encoded(right);
  report({ case: 'encode', ms: time(() => encoded(left)), bytes: leftBytes.length });
  const decodeMs = time(() => [decoded(leftBytes), decoded(rightBytes)]);
  report({ case: 'decode both', ms: decodeMs });
  const [a, b] = [decoded(leftBytes), decoded(rightBytes)];
  const plain: { readonly [operator: string]: () => unknown } = {
    UNION: () => [...new Set([...a.ids, ...b.ids])],
    INTERSECT: () => withSet(b.ids, (other) => a.ids.filter((id) => other.has(id))),
    MINUS: () => withSet(b.ids, (other) => a.ids.filter((id) => !other.has(id))),
  };
  for (const [operator, compute] of Object.entries(plain)) {
    const ms = time(() => must(combineSets(operator as SetOperator, a, b)));
    const fromBytesMs = time(() => must(combineSets(operator as SetOperator, decoded(leftBytes), decoded(rightBytes))));
    const plainMs = time(compute);
    report({
      case: operator,
      ms,
      fromBytesMs,
      plainSetMs: plainMs,
      ratio: round(ms / plainMs),
      ratioFromBytes: round(fromBytesMs / plainMs),
    });
  }
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
  const taken = Array.from({ length: RUNS }, () => {
    const from = performance.now();
    run();
    return performance.now() - from;
  });
  return round(taken.sort((a, b) => a - b)[RUNS >> 1]!);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function report(line: { readonly [name: string]: unknown }): void {
  console.log(JSON.stringify({ ...line, records: RECORDS }));
}
