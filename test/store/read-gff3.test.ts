import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createSet, records } from '../../src/plan/algebra/index.ts';
import type { ResultSet, StrandSign } from '../../src/plan/algebra/index.ts';
import { readGff3, readTrack } from '../../src/store/index.ts';
import type { ReadSet, TrackOptions } from '../../src/store/index.ts';

const line = (
  attributes: string,
  { start = '5', stop = '9', strand = '+', sequence = 'chr1', type = 'gene', phase = '.' } = {},
): string => [sequence, 'src', type, start, stop, '.', strand, phase, attributes].join('\t');

describe('GFF3: lines that are features', () => {
  test.each<[string, string, object[]]>([
    ['both ends stay as they are', line('ID=g1;Name=x'), [at('g1', 5, 9, 1)]],
    ['one base', line('ID=g1', { start: '1', stop: '1' }), [at('g1', 1, 1, 1)]],
    ['an ID that is not the first attribute', line('Name=x; ID=g1'), [at('g1', 5, 9, 1)]],
    ['a name is no ID', line('Name=g1'), [at('chr1:5-9:+', 5, 9, 1)]],
    ['no attributes', line('.'), [at('chr1:5-9:+', 5, 9, 1)]],
    ['a reverse strand', line('ID=g1', { strand: '-' }), [at('g1', 5, 9, -1)]],
    ['a dot as strand', line('ID=g1', { strand: '.' }), [at('g1', 5, 9, 0)]],
    ['a question mark as strand', line('ID=g1', { strand: '?' }), [at('g1', 5, 9, 0)]],
    ['escapes', line('ID=a%3Bb%2c%C3%A9%', { sequence: 'chr%201' }), [at('a;b,é%', 5, 9, 1, 'chr 1')]],
    [
      'comments, directives, CRLF',
      `##gff-version 3.1.26\r\n# c\r\n\r\n${line('ID=g1')}\r\n###\r\n`,
      [at('g1', 5, 9, 1)],
    ],
    ['a sequence section', `${line('ID=g1')}\n##FASTA\n>chr1\nACGT\tno\tline\n`, [at('g1', 5, 9, 1)]],
    ['a sequence without section', `${line('ID=g1')}\n>chr1\nACGT\n`, [at('g1', 5, 9, 1)]],
    ['an exact duplicate', `${line('ID=g1')}\n${line('ID=g1')}\n`, [at('g1', 5, 9, 1)]],
    ['nothing', '##gff-version 3\n', []],
  ])('%s', (_, text, expected) => {
    expect([...records(setOf(readGff3(text, { id: 'name' })))]).toEqual(expected);
  });

  test('with location ids the parts of a feature are records of their own', () => {
    const text = `${line('ID=cds1')}\n${line('ID=cds1', { start: '20', stop: '30' })}\n`;
    expect(setOf(readGff3(text, { id: 'location' })).ids).toEqual(['chr1:20-30:+', 'chr1:5-9:+']);
  });

  test('IDs on some lines only are noted', () => {
    expect(readGff3(`${line('ID=a')}\n${line('.', { start: '6' })}`, { id: 'name' })).toMatchObject({
      notes: [expect.stringContaining('1 of 2 records have no ID')],
    });
  });
});

describe('GFF3: lines that are none', () => {
  test.each<[string, RegExp]>([
    ['chr1\t5\t9', /9 columns.*this one has 3/],
    [line('ID=a', { sequence: '' }), /sequence name, is empty/],
    [line('ID=a', { start: '0' }), /start \(column 4\) is "0"; expected an integer from 1/],
    [line('ID=a', { stop: '2147483647' }), /end \(column 5\)/],
    [line('ID=a', { stop: '.' }), /end \(column 5\) is "\."/],
    [line('ID=a', { start: '10' }), /start 10 is past the end 9/],
    [line('ID=a', { strand: '1' }), /strand \(column 7\) is "1"/],
    [line('ID=a', { phase: '3' }), /phase \(column 8\) is "3"; expected 0, 1, 2, or a dot/],
    [line('ID=a;ID=b'), /ID stands there twice/],
    [line('gene_id "a"; transcript_id "b";'), /column 9\) have "gene_id .*key=value; key "value" is GTF.*gffread/],
    [line('ID=%ff'), /attribute ID is "%ff".*no UTF-8/],
    [line('ID=a', { sequence: '%ff' }), /column 1.*no UTF-8/],
    [line('ID=a%0Ab'), /line break/],
    ['##gff-version 2', /version 2; version 3 is read here/],
  ])('%j', (text, message) => {
    expect(readGff3(`${line('ID=good')}\n${text}\n`, { id: 'name' })).toEqual({
      ok: false,
      issues: [{ line: 2, message: expect.stringMatching(message) }],
    });
  });

  test.each<[string, string[], TrackOptions, RegExp]>([
    [
      'one ID on two strands, reported once',
      ['+', '-', '-'].map((strand) => line('ID=a', { strand })),
      { id: 'name' },
      /^The ID "a" stands at chr1:5-9:\+ \(line 1\) and at chr1:5-9:- \(line 2\)\. .*one sequence and one strand.*\(id: location\)/,
    ],
    ['one ID on two sequences', [line('ID=a'), line('ID=a', { sequence: 'chr2' })], { id: 'name' }, /one sequence/],
    ['one ID of two types', [line('ID=a'), line('ID=a', { start: '6', type: 'mRNA' })], { id: 'name' }, /of one type/],
    [
      'one Name of two features',
      [line('ID=a;Name=n'), line('ID=b;Name=n', { start: '6', type: 'mRNA' })],
      { id: 'name', attribute: 'Name' },
      /^The Name "n" stands at .*choose one type of them \(type: gene\), or ask for location ids \(id: location/,
    ],
    [
      'one Name without IDs',
      [line('Name=n'), line('Name=n', { start: '6' })],
      { id: 'name', attribute: 'Name' },
      /The Name "n"/,
    ],
  ])('%s', (_, lines, options, message) => {
    expect(readGff3(lines.join('\n'), options)).toEqual({
      ok: false,
      issues: [{ line: 2, message: expect.stringMatching(message) }],
    });
  });
});

describe('GFF3: features of several lines', () => {
  const piece = (start: string, stop: string, phase = '.'): string =>
    line('ID=cds1;Name=x', { start, stop, phase, type: 'CDS' });
  const text = [piece('20', '30', '2'), line('ID=g1'), piece('5', '9', '0'), piece('12', '13')].join('\n');

  test('are one record from the first base to the last, which is noted', () => {
    const read = readGff3(text, { id: 'name' });
    expect([...records(setOf(read))]).toEqual([at('cds1', 5, 30, 1), at('g1', 5, 9, 1)]);
    expect(read).toMatchObject({
      notes: [expect.stringMatching(/^1 feature stands on several lines; it is one record from its first base/)],
    });
  });

  test('so they are under another attribute', () => {
    const read = readGff3(text, { id: 'name', attribute: 'Name' });
    expect([...records(setOf(read))]).toEqual([at('chr1:5-9:+', 5, 9, 1), at('x', 5, 30, 1)]);
  });

  test.each<[string, string[]]>([
    ['a line that reaches over the others', [piece('5', '9'), piece('20', '30'), piece('5', '30')]],
    ['a line over all of them that comes first', [piece('5', '30'), piece('5', '9'), piece('20', '30')]],
    ['lines that overlap, as where a ribosome slips', [piece('5', '20', '0'), piece('20', '30', '1')]],
    ['a line that stands there twice', [piece('5', '9'), piece('20', '30'), piece('20', '30'), piece('5', '9')]],
  ])('%s', (_, lines) => {
    const read = readGff3(lines.join('\n'), { id: 'name' });
    expect([...records(setOf(read))]).toEqual([at('cds1', 5, 30, 1)]);
    expect(read).toMatchObject({ notes: [expect.stringMatching(/^1 feature stands on several lines/)] });
  });

  test('100,000 lines of one feature are read', () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => piece(String(5 + index * 3), String(6 + index * 3)));
    expect([...records(setOf(readGff3(lines.join('\n'), { id: 'name' })))]).toEqual([at('cds1', 5, 300_003, 1)]);
  });
});

describe('GFF3: types and attributes', () => {
  const text = [
    line('ID=g1;Name=n1'),
    line('ID=t1;Parent=g1', { type: 'mRNA' }),
    line('ID=e1;Parent=t1', { type: 'exon' }),
    line('ID=e2;Parent=t1', { type: 'exon', start: '6' }),
  ].join('\n');

  test('one type alone', () => {
    expect(setOf(readGff3(text, { id: 'name', type: 'exon' })).ids).toEqual(['e1', 'e2']);
    expect(setOf(readGff3(text, { id: 'name', type: 'gene', attribute: 'Name' })).ids).toEqual(['n1']);
  });

  test('a type that no feature has is noted with those that there are', () => {
    expect(readGff3(text, { id: 'name', type: 'Exon' })).toMatchObject({
      set: { ids: [] },
      notes: ['No feature is of type "Exon". The file has exon (2), gene (1), mRNA (1).'],
    });
    expect(readGff3('##gff-version 3\n', { id: 'name', type: 'exon' })).toMatchObject({ ok: true, notes: [] });
  });

  test('several types, and those of them that there are not', () => {
    expect(setOf(readGff3(text, { id: 'name', type: 'mRNA,gene' })).ids).toEqual(['g1', 't1']);
    expect(readGff3(text, { id: 'name', type: 'gene, CDS' })).toMatchObject({
      set: { ids: ['g1'] },
      notes: ['No feature is of type "CDS". The file has exon (2), gene (1), mRNA (1).'],
    });
  });

  test('an attribute that no feature has is noted', () => {
    expect(readGff3(line('ID=a'), { id: 'name', attribute: 'name' })).toMatchObject({
      notes: [expect.stringContaining('1 of 1 records have no name')],
    });
  });
});

describe('told from other formats', () => {
  const expected = createSet([at('g1', 5, 9, 1)]);
  test.each<[string, string]>([
    ['x.gff3', line('ID=g1')],
    ['x.gff', line('ID=g1')],
    ['x.gff3.gz', line('ID=g1')],
    ['unnamed', `##gff-version 3\n${line('ID=g1')}`],
    ['unnamed', `# comment\n${line('ID=g1')}`],
    ['x.bed', 'chr1\t4\t9\tg1\t0\t+\t4\t9\t0\n'],
    ['unnamed', 'chr1\t4\t9\tg1\t0\t+\t4\t9\t0\n'],
  ])('%s %j', async (name, text) => {
    for (const bytes of [Buffer.from(text), gzipSync(text)]) {
      expect(setOf(await readTrack(bytes, name, { id: 'name' }))).toEqual(expected);
    }
  });
});

function at(id: string, start: number, stop: number, strand: StrandSign, sequence = 'chr1') {
  return { id, location: { sequence, start, stop, strand } };
}

function setOf(read: ReadSet): ResultSet {
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.set;
}
