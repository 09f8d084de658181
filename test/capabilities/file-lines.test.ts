/** `records.file`, line by line: each line is a record, a comment, or a line that is named. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { put, read, useFolders } from './files-rig.ts';

useFolders();

const GFF = '##gff-version 3\n';
const feature = (attributes: string, place = '10\t90', sequence = 'chr1') =>
  `${sequence}\tp\tgene\t${place}\t.\t+\t.\t${attributes}\n`;

describe('a form that does no harm is read', () => {
  test.each<[name: string, path: string, text: string, ids: string[], notes: RegExp[]]>([
    [
      'a comment that begins like the sequences',
      'a.gff3',
      `${feature('ID=a')}##FASTAfile is apart\n${feature('ID=b', '2\t3')}`,
      ['a', 'b'],
      [],
    ],
    [
      'features behind the sequences',
      'a.gff3',
      `${feature('ID=a')}##FASTA\n>chr1\nACGT\n${feature('ID=b')}`,
      ['a'],
      [/^line 5: a feature behind ##FASTA/],
    ],
    [
      'a feature that begins as sequences do',
      'a.gff3',
      `${feature('ID=a')}${feature('ID=b', '1\t2', '>chr1')}${feature('ID=c')}`,
      ['a'],
      [/^2 lines, the first is line 2: a feature behind/],
    ],
    ['a sequence named track', 'a.gff3', `track name=x\n${feature('ID=a', '1\t2', 'track')}`, ['a'], []],
    [
      'words and flags without =',
      'a.gff3',
      `${feature('ID=a;Note=x; y z;Name=n')}${feature('ID=b;pseudo', '2\t3')}${feature('ID=c; partial', '3\t4')}`,
      ['a', 'b', 'c'],
      [/^3 lines, the first is line 1: words without "="/],
    ],
    [
      'blanks around attributes',
      'a.gff3',
      `${feature('ID=a; Name=n;')}###\n\n${feature('ID = b ; Name = m', '2\t3')}`,
      ['a', 'b'],
      [],
    ],
    ['blanks around columns', 'a.gff3', ' chr1 \t p\tgene \t 10 \t 90 \t.\t + \t . \tID=a\n', ['a'], []],
    [
      'no score, strand and phase',
      'a.gff3',
      'chr1\tp\tgene\t10\t90\t\t*\t-\tID=a\nchr1\tp\tgene\t11\t90\t\t\t\tID=b\n',
      ['a', 'b'],
      [],
    ],
    [
      '8 columns, and a tab at the end',
      'a.gff3',
      `chr1\tp\tgene\t10\t90\t.\t+\t.\n${feature('ID=b\t\t')}`,
      ['b', 'chr1:10-90:+'],
      [/^1 of 2 records have no ID/],
    ],
    ['a tenth column', 'a.gff3', feature('ID=a\t7'), ['a'], [/^line 1: more than 9 columns/]],
    ['GFF3 in a file named as GTF', 'a.gtf', feature('ID=a'), ['a'], []],
    ['a byte order mark and CRLF', 'a', `\uFEFF${GFF}${feature('ID=a')}`.replaceAll('\n', '\r\n'), ['a'], []],
    [
      'a feature over the end of a circle',
      'a.gff3',
      `${feature('ID=chrC;Is_circular=true', '1\t100', 'chrC')}${feature('ID=over', '90\t120', 'chrC')}${feature('ID=a', '90\t120')}`,
      ['a', 'chrC', 'over'],
      [/^1 record reaches beyond the end of a circular sequence \(the first is "over"\)/],
    ],
    ['blanks around columns of BED', 'a.bed', 'chr1 \t 9 \t 90\t a \t0\t+ \n', ['a'], []],
    [
      'a strand of BED that is a star, or none',
      'a.bed',
      'chr1\t9\t90\ta\t0\t*\nchr1\t9\t90\tb\t0\t\t\nchr1\t9\t90\tc\t0\t- \t\n',
      ['a', 'b', 'c'],
      [],
    ],
    ['a BED sequence named track', 'a.bed', 'track name=x\nbrowser position chr1\ntrack\t9\t90\ta\n', ['a'], []],
    [
      'blocks',
      'a.bed',
      ['567,488,', '9,'].map((sizes, at) => `chr2\t1000\t5000\t${at}\t0\t-\t0\t0\t0\t2\t${sizes}\t0,3512,\n`).join(''),
      ['0', '1'],
      [/^line 1: the blocks of BED12 are read as one span/],
    ],
    ['twelve columns of another kind', 'a.bed', 'chr1\t9\t90\ta\t0\t+\tchr1\t3\t40\t7\t0\t+\n', ['a'], []],
    ['numbers as names, of no known ending', 'a.narrowPeak', 'chr1\t9\t90\t5\t100\t.\t3.5\t2\t1\t40\n', ['5'], []],
  ])('%s', async (_, path, text, ids, notes) => {
    put(path, text);
    const set = await read({ path });
    expect(set.ids).toEqual(ids);
    expect(set.source?.notes).toEqual(notes.map((note) => expect.stringMatching(note) as string));
  });

  test('words without = belong to the value before them, and flags do not', async () => {
    put('a.gff3', `${feature('ID=a;Note=like X; a kinase')}${feature('ID=b;Note=y;pseudo', '2\t3')}`);
    expect((await read({ path: 'a.gff3', attribute: 'Note' })).ids).toEqual(['like X; a kinase', 'y']);
  });
});

describe('a line that cannot be read is named, and left out with skip', () => {
  test.each<[name: string, path: string, text: string, message: RegExp, ids: string[]]>([
    [
      'a heading',
      'a.bed',
      'chrom\tchromStart\tchromEnd\nchr1\t9\t90\ta\n',
      /line 1: The line looks like a heading.*"chromStart" and "chromEnd".*Begin it with #.*skip: true/,
      ['a'],
    ],
    [
      'a heading with blanks',
      'a.bed',
      '#c\nchr \t start \t stop\nchr1 \t 9 \t 90\n',
      /line 2: The line looks like a heading/,
      ['chr1:10-90:.'],
    ],
    [
      'a heading, in a file of no known ending',
      'a.tsv',
      'chr\tstart\tend\tname\nchr1\t9\t90\ta\n',
      /line 1: The line looks like a heading/,
      ['a'],
    ],
    [
      'a heading of GFF3',
      'a.gff3',
      `seqid\tsource\ttype\tstart\tend\tscore\tstrand\tphase\tattributes\n${feature('ID=a')}`,
      /line 1: The line looks like a heading/,
      ['a'],
    ],
    ['a second heading', 'a.bed', 'chr1\t9\t90\ta\nchrom\tstart\tend\n', /line 2: The start is "start"/, ['a']],
    [
      'GTF among GFF3',
      'a.gff3',
      `${feature('ID=a')}${feature('gene_id "x"; note "a=b"')}`,
      /line 2: .*key "value" is GTF/,
      ['a'],
    ],
    ['columns in a list of ids', 'a.txt', 'a\nb\tc\n', /line 2: This line has columns/, ['a']],
  ])('%s', async (_, path, text, message, ids) => {
    put(path, text);
    await expect(read({ path })).rejects.toMatchObject({ message: expect.stringMatching(message) as string });
    const set = await read({ path, skip: true });
    expect(set.ids).toEqual(ids);
    expect(set.source?.notes).toContainEqual(expect.stringMatching(/^1 line was left out\. line \d: /));
  });

  test('a file of which no line can be read is refused with skip too', async () => {
    put('a.gff3', feature('gene_id "x"; transcript_id "y"').repeat(3));
    await expect(read({ path: 'a.gff3', skip: true })).rejects.toMatchObject({
      message: expect.stringMatching(/line 1: .*is GTF/) as string,
    });
    put('empty.bed', 'chrom\tstart\tend\nchr1\t5\t5\n');
    expect(await read({ path: 'empty.bed', skip: true })).toMatchObject({ ids: [] });
  });
});

/** A line, and what becomes of it. */
interface Line {
  readonly text: string;
  readonly is: 'record' | 'comment' | 'named';
}

const line = (is: Line['is'], text: fc.Arbitrary<string>) => text.map((one): Line => ({ is, text: one }));
const one = (...texts: string[]) => fc.constantFrom(...texts);
const padded = (text: fc.Arbitrary<string>) =>
  fc.tuple(one('', '', ' '), text, one('', '', ' ')).map((all) => all.join(''));
const columns = (...all: fc.Arbitrary<string>[]) => fc.tuple(...all).map((texts) => texts.join('\t'));
const sequence = padded(one('chr1', 'track', 'browser', 'é', '1'));
const span = columns(padded(one('1', '7')), padded(one('9', '2147483646')));
const odd = columns(padded(one('9', 'x', '', '-1', '1e3', '007')), one('8', '2147483647', '3.5', ''));
const tail = one('', '\t', '\t\t');

const bedEnd = (strand: fc.Arbitrary<string>) => columns(one('', '.', 'NAME'), one('0', ''), strand);
const harmless = padded(one('+', '-', '.', '*', ''));
const bed = fc.oneof(
  line(
    'record',
    fc.tuple(columns(sequence, span), tail).map((all) => all.join('')),
  ),
  line(
    'record',
    fc.tuple(columns(sequence, span, bedEnd(harmless)), tail).map((all) => all.join('')),
  ),
  line('comment', one('', ' ', '#x', ' # x\t1\t2', 'track name="x"', 'browser hide all', 'track\tname=x\ty=z')),
  line('named', columns(sequence, odd)),
  line('named', columns(sequence, span, bedEnd(one('plus', '++', '0')))),
  line('named', one('chr1', 'chr1\t5', '\t1\t9')),
);

const gffOf = (places: fc.Arbitrary<string>, attributes: fc.Arbitrary<string>, strand = harmless) =>
  columns(
    sequence,
    one('p', ''),
    one('gene'),
    places,
    one('.', '', '0.5'),
    strand,
    padded(one('.', '-', '', '0')),
    attributes,
  );
const gff3 = fc.oneof(
  line(
    'record',
    fc
      .tuple(
        gffOf(span, one('ID=NAME', 'x=1; ID = NAME ;', 'pseudo;ID=NAME', 'ID=NAME;Note=a; b', '.', '', 'flag')),
        tail,
      )
      .map((all) => all.join('')),
  ),
  line('comment', one('', ' ', '#x', '##FASTA file', '###', '##FASTAx', 'track name=x')),
  line('named', gffOf(odd, one('ID=NAME'))),
  line('named', gffOf(span, one('gene_id "x"; t "y=1"', 'ID=a;ID=b'))),
  line('named', gffOf(span, one('ID=NAME'), one('plus', '++'))),
  line('named', one('chr1', 'chr1\tp\tgene', '\tp\tgene\t1\t9\t.\t+\t.\tID=NAME')),
);

test.each<[string, fc.Arbitrary<Line>]>([
  ['bed', bed],
  ['gff3', gff3],
])('of each %s file, every line is a record, a comment, or named', async (ending, grammar) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(grammar, { maxLength: 8 }),
      one('\n', '\r\n'),
      one('', '\uFEFF'),
      async (lines, end, mark) => {
        // Each record has a place of its own, so that none repeats another.
        const text = lines.map((each, at) =>
          each.text.replace('NAME', `n${at}`).replace(/chr1(?=.*\t9)|é/, (name) => `${name}.${at}`),
        );
        const path = put(`lines.${ending}`, mark + text.join(end));
        const named = lines.flatMap(({ is }, at) => (is === 'named' ? [at + 1] : []));
        const records = lines.filter(({ is }) => is === 'record').length;
        if (named.length > 0) {
          const message = await read({ path }).then(String, (error: Error) => error.message);
          expect([...message.matchAll(/line (\d+): /g)].map(([, number]) => Number(number))).toEqual(named.slice(0, 5));
        }
        if (records === 0 && named.length > 0) return;
        const { ids, source } = await read({ path, id: 'location', skip: true });
        const repeated = source?.notes.flatMap((note) => /^(\d+) lines? repeated/.exec(note)?.[1] ?? []) ?? [];
        expect(ids.length + Number(repeated[0] ?? 0)).toBe(records);
        const left = source?.notes.flatMap((note) => /^(\d+) lines? w/.exec(note)?.[1] ?? []) ?? [];
        expect(Number(left[0] ?? 0)).toBe(named.length);
      },
    ),
    { numRuns: 400 },
  );
});
