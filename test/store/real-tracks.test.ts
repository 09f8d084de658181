import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { COLOCATE_DEFAULTS, combineSets, createSet, records } from '../../src/plan/algebra/index.ts';
import type { ColocateParameters, ResultSet } from '../../src/plan/algebra/index.ts';
import { readBed } from '../../src/store/index.ts';
import { colocateByPairs } from '../plan/algebra/oracle.ts';
import { NO_BEDTOOLS } from '../support/bedtools.ts';
import { fileFolder } from '../support/folders.ts';

const TRACKS = new URL('../fixtures/tracks/', import.meta.url);
const exons = track('refseq.chr1.exons.bed.gz');
const alus = track('aluY.chr1.bed.gz');
const repeats = track('simpleRepeats.chr1.bed.gz');

test('the tracks have these many places', () => {
  expect([exons, alus, repeats].map((set) => set.ids.length)).toEqual([23_676, 11_628, 70_647]);
});

test.each<[string, ResultSet, ResultSet, Partial<ColocateParameters>]>([
  ['exons near an AluY', exons, alus, { upstream: 1000, strand: 'same' }],
  ['AluYs near an exon', exons, alus, { upstream: 500, downstream: 2000, strand: 'opposite', output: 'right' }],
  ['exons with a whole AluY around', exons, alus, { upstream: 5000, downstream: 5000, operation: 'contains' }],
  ['AluYs inside an exon', alus, exons, { operation: 'within' }],
])('one record in twelve against all of the other side, pair by pair: %s', (_, leftTrack, rightTrack, change) => {
  const parameters = { ...COLOCATE_DEFAULTS, ...change };
  const left = [...records(leftTrack)].filter((__, row) => row % 12 === 0);
  const right = [...records(rightTrack)];
  const result = colocate(createSet(left), createSet(right), parameters);
  expect(result.ids.length).toBeGreaterThan(0);
  expect(result.ids.map((id, row) => ({ id, matches: result.matches![row] }))).toEqual(
    colocateByPairs(left, right, parameters),
  );
});

describe('bedtools gives the same answer over the whole tracks', () => {
  const dir = fileFolder('bedtools');
  beforeAll(() => {
    for (const [name, set] of Object.entries({ exons, alus, repeats })) writeFileSync(join(dir, name), toBed(set));
  });

  test.for<[string, Partial<ColocateParameters>]>([
    ['window -l 1000 -r 0 -sw -sm', { upstream: 1000, strand: 'same' }],
    ['window -l 0 -r 1000 -sw -sm', { downstream: 1000, strand: 'same' }],
    ['window -l 300 -r 2000 -sw -Sm', { upstream: 300, downstream: 2000, strand: 'opposite' }],
    ['window -l 5000 -r 1 -sw', { upstream: 5000, downstream: 1 }],
    ['intersect', {}],
    ['intersect -s', { strand: 'same' }],
    ['intersect -S', { strand: 'opposite' }],
    ['intersect -F 1', { operation: 'contains' }],
    ['intersect -f 1', { operation: 'within' }],
  ])('%s', ([command, parameters], context) => {
    context.skip(NO_BEDTOOLS !== '', NO_BEDTOOLS);
    const counts = run(`${command} -a exons -b alus -c`);
    const result = colocate(exons, alus, { ...COLOCATE_DEFAULTS, ...parameters });
    const met = counts.filter(({ matches }) => matches > 0);
    expect(result.ids.map((id, row) => ({ id, matches: result.matches![row] }))).toEqual(met);
  });

  test('a whole question: exons with an AluY up to 1 kb upstream on their strand and no tandem repeat in them', (context) => {
    context.skip(NO_BEDTOOLS !== '', NO_BEDTOOLS);
    const near = run('window -l 1000 -r 0 -sw -sm -a exons -b alus -c').filter(({ matches }) => matches > 0);
    const spoiled = new Set(
      run('intersect -a exons -b repeats -c')
        .filter(({ matches }) => matches > 0)
        .map(({ id }) => id),
    );
    const withAlu = colocate(exons, alus, { ...COLOCATE_DEFAULTS, upstream: 1000, strand: 'same' });
    const answer = combineSets('MINUS', withAlu, colocate(exons, repeats, COLOCATE_DEFAULTS));
    expect(answer).toMatchObject({ ok: true, set: { ids: near.map(({ id }) => id).filter((id) => !spoiled.has(id)) } });
  });

  /** Ids in order with their counts; every record of -a comes back once. */
  function run(command: string): { id: string; matches: number }[] {
    const text = execFileSync('bedtools', command.split(' '), { cwd: dir, encoding: 'utf8', maxBuffer: 2 ** 28 });
    return text
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
      .map((columns) => ({ id: columns[3]!, matches: Number(columns[6]) }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }
});

function toBed(set: ResultSet): string {
  const sign = { 1: '+', [-1]: '-', 0: '.' } as const;
  return Array.from(
    records(set),
    ({ id, location: l }) => `${l!.sequence}\t${l!.start - 1}\t${l!.stop}\t${id}\t0\t${sign[l!.strand]}\n`,
  ).join('');
}

function track(name: string): ResultSet {
  const read = readBed(gunzipSync(readFileSync(new URL(name, TRACKS))), { id: 'location' });
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.set;
}

function colocate(left: ResultSet, right: ResultSet, parameters: ColocateParameters): ResultSet {
  const combined = combineSets('COLOCATE', left, right, parameters);
  if (!combined.ok) throw new Error(combined.message);
  return combined.set;
}
