import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createSet, records } from '../../src/algebra/index.ts';
import type { ResultSet, StrandSign } from '../../src/algebra/index.ts';
import { readGff3, readTrack } from '../../src/results/index.ts';
import type { ReadSet } from '../../src/results/index.ts';

const line = (attributes: string, { start = '5', stop = '9', strand = '+', sequence = 'chr1' } = {}): string =>
  [sequence, 'src', 'gene', start, stop, '.', strand, '.', attributes].join('\t');

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
    [`${line('ID=a')}\tmore`, /this one has 10/],
    [line('ID=a', { sequence: '' }), /sequence name, is empty/],
    [line('ID=a', { start: '0' }), /start \(column 4\) is "0"; expected an integer from 1/],
    [line('ID=a', { stop: '2147483647' }), /end \(column 5\)/],
    [line('ID=a', { stop: '.' }), /end \(column 5\) is "\."/],
    [line('ID=a', { start: '10' }), /start 10 is past the end 9/],
    [line('ID=a', { strand: '1' }), /strand \(column 7\) is "1"/],
    [line('ID=a;ID=b'), /ID stands there twice/],
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

  test('a feature of several lines is reported once, with both places and the way out', () => {
    const parts = ['5', '6', '7'].map((start) => line('ID=cds1', { start })).join('\n');
    expect(readGff3(parts, { id: 'name' })).toEqual({
      ok: false,
      issues: [
        {
          line: 2,
          message: expect.stringMatching(
            /^The ID "cds1" stands at chr1:5-9:\+ \(line 1\) and at chr1:6-9:\+ \(line 2\)\. .*several lines.*--id location/,
          ),
        },
      ],
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
