import { expect, test } from 'vitest';
import { createSet, observeSets, type ResultSet, type SetOperator } from '../../../src/plan/algebra/index.ts';

const on = (sequence: string, ...ids: string[]): ResultSet =>
  createSet(ids.map((id, index) => ({ id, location: { sequence, start: index + 1, stop: index + 9, strand: 0 } })));
const over = (...sequences: string[]): ResultSet =>
  createSet(sequences.map((sequence) => ({ id: sequence, location: { sequence, start: 1, stop: 9, strand: 0 } })));
const of = (...ids: string[]): ResultSet => createSet(ids.map((id) => ({ id })));

test.each<[string, SetOperator, ResultSet, ResultSet, RegExp[]]>([
  [
    'chr1 and 1',
    'COLOCATE',
    on('chr1', 'a'),
    on('1', 'b'),
    [
      /^No sequence name is in both .*left "chr1"; right "1".*no record can meet.*"chr1" on the left may be "1" on the right/,
    ],
  ],
  ['chrM and MT', 'COLOCATE', on('chrM', 'a'), on('MT', 'b'), [/"chrM" on the left may be "MT"/]],
  [
    'versions of a sequence',
    'COLOCATE',
    on('NC_1.1', 'a'),
    on('NC_1.2', 'b'),
    [/"NC_1\.1" on the left may be "NC_1\.2"/],
  ],
  [
    'some sequences on one side alone',
    'COLOCATE',
    over('chr1', 'chrM', 'chr02', 'scaffold'),
    over('chr1', 'MT', '2', '9'),
    [
      /^Some sequence names are on one side alone.*"chr02" on the left may be "2" on the right\. "chrM" on the left may be "MT"/,
    ],
  ],
  ['no guess', 'COLOCATE', on('X', 'a'), on('Y', 'b'), [/Look whether both are of one assembly/]],
  ['a union of spellings', 'UNION', on('chr1', 'a'), on('1', 'b'), [/"chr1" on the left may be "1"/]],
  [
    'names and IDs',
    'INTERSECT',
    of('BRCA1', 'TP53'),
    of('ENSG01'),
    [/^No id is in both sets \(left "BRCA1", "TP53"; right "ENSG01"\), so INTERSECT keeps nothing\.$/],
  ],
  [
    'a prefix',
    'MINUS',
    of('gene:g1'),
    of('g1'),
    [/MINUS takes nothing away\. "gene:g1" on the left may be "g1" on the right\.$/],
  ],
  ['a version', 'INTERSECT', of('g1.5'), of('g1'), [/"g1\.5" on the left may be "g1"/]],
  ['case', 'INTERSECT', of('brca1'), of('BRCA1'), [/"brca1" on the left may be "BRCA1"/]],
  ['MINUS of places', 'MINUS', on('s', 'a'), on('s', 'b'), [/RMINUS|MINUS compares ids, never places: COLOCATE/]],
  ['both at once', 'RMINUS', on('chr1', 'a'), on('1', 'b'), [/No sequence name/, /No id/]],
  ['many ids', 'INTERSECT', of('a', 'b', 'c', 'd', 'e'), of('x'), [/left "a", "b", "c" and 2 more; right "x"/]],
])('two sets that cannot meet: %s', (_, operator, left, right, expected) => {
  expect(observeSets(operator, left, right)).toEqual(expected.map((one) => expect.stringMatching(one)));
});

test.each<[string, SetOperator, ResultSet, ResultSet]>([
  ['an id in common', 'MINUS', of('a', 'b'), of('b', 'c')],
  ['a sequence in common', 'COLOCATE', on('s', 'a'), on('s', 'b')],
  ['a sequence that only one side has', 'COLOCATE', over('chr1', 'chr2'), over('chr1', 'chr3')],
  ['a union of what has nothing in common', 'UNION', of('a'), of('b')],
  ['a union over two sequences', 'UNION', on('X', 'a'), on('Y', 'b')],
  ['an empty side', 'MINUS', of('a'), of()],
  ['an empty side of places', 'COLOCATE', on('s'), on('t', 'a')],
])('nothing is odd: %s', (_, operator, left, right) => {
  expect(observeSets(operator, left, right)).toEqual([]);
});
