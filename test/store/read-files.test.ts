import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  COLOCATE_DEFAULTS,
  combineSets,
  createSet,
  emptySet,
  locationId,
  MAX_POSITION,
  records,
} from '../../src/plan/algebra/index.ts';
import type { ResultSet, StrandSign } from '../../src/plan/algebra/index.ts';
import {
  fromResultJson,
  readBed,
  readIdList,
  readTrack,
  readTrackFile,
  toIdLines,
  toResultJson,
} from '../../src/store/index.ts';
import type { ReadSet } from '../../src/store/index.ts';
import { locatedList, recordList, RUNS } from '../plan/algebra/arbitraries.ts';
import { fileFolder } from '../support/folders.ts';

describe('BED: lines that are records', () => {
  test.each<[string, string, object[]]>([
    ['0-based half-open becomes 1-based with both ends', 'chr1\t0\t1', [at('chr1:1-1:.', 'chr1', 1, 1, 0)]],
    ['the name is the id', 'chr1\t9\t20\tgeneA', [at('geneA', 'chr1', 10, 20, 0)]],
    ['a forward strand', 'chr1\t9\t20\tg\t0\t+', [at('g', 'chr1', 10, 20, 1)]],
    ['a reverse strand', 'chr1\t9\t20\tg\t0\t-', [at('g', 'chr1', 10, 20, -1)]],
    ['a dot as strand', 'chr1\t9\t20\tg\t0\t.', [at('g', 'chr1', 10, 20, 0)]],
    ['a dot as name counts as none', 'chr1\t9\t20\t.\t0\t-', [at('chr1:10-20:-', 'chr1', 10, 20, -1)]],
    ['an empty name counts as none', 'chr1\t9\t20\t\t0\t-', [at('chr1:10-20:-', 'chr1', 10, 20, -1)]],
    ['spaces part columns where there is no tab', ' chr1  9 20 g 0 -', [at('g', 'chr1', 10, 20, -1)]],
    ['a name may hold spaces where there are tabs', 'chr1\t9\t20\tmy gene', [at('my gene', 'chr1', 10, 20, 0)]],
    [
      'CRLF, a byte order mark and no line end',
      '\uFEFFchr1\t9\t20\ta\r\nchr1\t9\t20\tb',
      [at('a', 'chr1', 10, 20, 0), at('b', 'chr1', 10, 20, 0)],
    ],
    ['an exact duplicate is one record', 'chr1\t9\t20\ta\nchr1\t9\t20\ta\n', [at('a', 'chr1', 10, 20, 0)]],
    ['twelve columns', 'c\t0\t9\tn\t0\t+\t0\t9\t0\t1\t9,\t0,', [at('n', 'c', 1, 9, 1)]],
    ['a sequence whose name begins like a header', 'track1\t0\t9\tn', [at('n', 'track1', 1, 9, 0)]],
    [
      'lines that are no records',
      '#c\n\ntrack name="x"\nbrowser position chr1\n \t\nchr1\t0\t5\n',
      [at('chr1:1-5:.', 'chr1', 1, 5, 0)],
    ],
    ['an empty file', '', []],
  ])('%s', (_, text, expected) => {
    expect([...records(setOf(readBed(text, { id: 'name' })))]).toEqual(expected);
    expect([...records(setOf(readBed(Buffer.from(text), { id: 'name' })))]).toEqual(expected);
  });

  test('with location ids the lines of one place are one record', () => {
    const read = readBed('chr1\t9\t20\ttrf\nchr1\t9\t20\tother\nchr1\t9\t20\ttrf\t0\t+\n', { id: 'location' });
    expect(setOf(read).ids).toEqual(['chr1:10-20:+', 'chr1:10-20:.']);
    expect(read).toMatchObject({ notes: [expect.stringMatching(/^1 line repeated/)] });
  });

  test('names on some lines only are noted', () => {
    expect(readBed('c\t0\t1\tn\nc\t5\t6\n', { id: 'name' })).toMatchObject({
      notes: [expect.stringContaining('1 of 2 records have no name')],
    });
  });
});

describe('BED: lines that are none', () => {
  test.each<[string, RegExp]>([
    ['chr1\t5', /at least 3 columns.*this one has 2/],
    ['chr1', /at least 3 columns/],
    ['\t1\t5', /sequence name, is empty/],
    ['chr1\tx\t5', /start is "x"; expected an integer/],
    ['chr1\t1\t5.5', /end is "5\.5"/],
    ['chr1\t-1\t5', /start is "-1"/],
    ['chr1\t1e3\t5000', /start is "1e3"/],
    ['chr1\t1\t2147483647', /expected an integer from 0 to 2147483646/],
    ['chr1\t9\t5', /start 9 is past the end 5/],
    ['chr1\t5\t5', /length 0.*cannot be a record/],
    ['chr1\t1\t5\tn\t0\tplus', /strand \(column 6\) is "plus"/],
  ])('%j', (text, message) => {
    expect(readBed(`chr1\t0\t9\tgood\n${text}\n`, { id: 'name' })).toEqual({
      ok: false,
      issues: [{ line: 2, message: expect.stringMatching(message) }],
    });
  });

  test('that the format allows are left out where that is asked for, and counted', () => {
    const text = 'c\t0\t9\ta\nc\t5\t5\tnothing\nc\t0\t9\tb\t0\t+\nc\t0\t9\tb\t0\t-\nc\t1\t9\tb\n';
    const read = readBed(text, { id: 'name', skip: true });
    expect(setOf(read).ids).toEqual(['a', 'b']);
    expect(read).toMatchObject({ notes: [expect.stringMatching(/^3 lines were left out/)] });
    expect(readBed('c\t0\t9\rc\t5\t9\r', { id: 'name' })).toMatchObject({
      issues: [{ message: expect.stringContaining('end in CR alone') as string }],
    });
  });

  test('a name at two places is reported once, with both lines and the way out', () => {
    const text = 'c\t0\t9\ttrf\nc\t5\t9\ttrf\nc\t6\t9\ttrf\n';
    expect(readBed(text, { id: 'name' })).toEqual({
      ok: false,
      issues: [
        {
          line: 2,
          message: expect.stringMatching(
            /"trf" stands at c:1-9:\. \(line 1\) and at c:6-9:\. \(line 2\).*\(id: location\)/,
          ),
        },
      ],
    });
    expect(setOf(readBed(text, { id: 'location' })).ids).toHaveLength(3);
  });

  test('all are reported up to 100, then how many more', () => {
    const read = readBed('bad\n'.repeat(250), { id: 'name' });
    expect(read.ok || read.issues.length).toBe(101);
    expect(read.ok || read.issues.slice(99)).toEqual([
      { line: 100, message: expect.any(String) },
      { line: 0, message: 'and 150 more problems.' },
    ]);
  });

  test.each([
    ['gzip', gzipSync('chr1\t0\t1\n'), /gzip/],
    ['Latin-1', Buffer.from([0x63, 0xe9, 0x09]), /UTF-8/],
  ])('%s bytes', (_, bytes, message) => {
    expect(readBed(bytes, { id: 'name' })).toEqual({
      ok: false,
      issues: [{ line: 0, message: expect.stringMatching(message) }],
    });
  });
});

test('a line is read alike whether its columns are plain or odd', () => {
  const column = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
  const position = column(
    '0',
    '5',
    '9',
    '00012',
    '-1',
    'x',
    '',
    '1e3',
    ' 7',
    '2147483646',
    '2147483647',
    '99999999999',
  );
  const columns = fc.tuple(
    column('chr1', 'é', '', ' ', 'track', 'tracks', 'browser', '#c', 'a b'),
    position,
    position,
    column('a', '.', '', ' ', 'é', ' b', '\u3000', 'a\rb', '..'),
    column('0', '', 'x'),
    column('+', '-', '.', '', '+-', '?', '*', '+ '),
    column('more', ''),
  );
  fc.assert(
    fc.property(columns, fc.integer({ min: 1, max: 7 }), column('\n', '\r\n', ''), (all, count, ending) => {
      const read = readBed(`${all.slice(0, count).join('\t')}${ending}`, { id: 'name' });
      const got = read.ok ? [...records(read.set)] : 'an issue';
      expect(got).toEqual(bedRecord(all.slice(0, count)));
    }),
    { ...RUNS, numRuns: 1000 },
  );
});

/** The record of a line of BED, by its columns; none for a line that is passed over. */
function bedRecord(columns: readonly string[]): object[] | 'an issue' {
  const [sequence = '', from, to, name = '.', , strand = '.'] = columns.map((text) => text.trim());
  const [start, stop] = [from, to].map((text = '') =>
    /^(?:0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : Number.NaN,
  );
  const isTrackLine = /^(track|browser)$/.test(sequence) && columns.length < 3;
  if (sequence.startsWith('#') || isTrackLine || columns.join('').trim() === '') return [];
  const sign = new Map<string, StrandSign>([
    ['+', 1],
    ['-', -1],
    ['.', 0],
    ['*', 0],
    ['', 0],
  ]).get(strand);
  const isNamed = name !== '' && name !== '.';
  if (sequence === '' || sign === undefined || (isNamed && /^\s*$|\r/.test(name))) return 'an issue';
  if (!(start! < stop! && stop! <= MAX_POSITION)) return 'an issue';
  const location = { sequence, start: start! + 1, stop: stop!, strand: sign };
  return [{ id: isNamed ? name : locationId(location), location }];
}

test('records written as BED are read back', () => {
  fc.assert(
    fc.property(locatedList, (list) => {
      const sign = { 1: '+', [-1]: '-', 0: '.' } as const;
      const lines = list.map(
        ({ id, location: l }) => `${l!.sequence}\t${l!.start - 1}\t${l!.stop}\t${id}\t0\t${sign[l!.strand]}\n`,
      );
      expect(setOf(readBed(lines.join(''), { id: 'name' }))).toEqual(createSet(list));
    }),
    RUNS,
  );
});

describe('lists of ids', () => {
  test('one a line, with CRLF, blank lines and repeats', () => {
    const read = readIdList('b\r\n\n  a \nb\n');
    expect(setOf(read)).toEqual(createSet([{ id: 'a' }, { id: 'b' }]));
    expect(read).toMatchObject({ notes: [expect.stringMatching(/^1 line repeated the id/)] });
  });

  test('a comment gives no record, and a note counts it', () => {
    const read = readIdList('# genes\nb\n#c\n');
    expect(setOf(read).ids).toEqual(['b']);
    expect(read).toMatchObject({ notes: ['2 lines begin with # and gave no record.'] });
  });

  test('columns are an issue', () => {
    expect(readIdList('a\nb\tc\n')).toEqual({
      ok: false,
      issues: [{ line: 2, message: expect.stringContaining('one id a line') }],
    });
  });

  test('ids written as lines are read back', () => {
    fc.assert(
      fc.property(recordList, (list) => {
        const set = createSet(list.filter(({ id }) => !id.startsWith('#')));
        expect(setOf(readIdList(toIdLines(set))).ids).toEqual(set.ids);
      }),
      RUNS,
    );
    expect(toIdLines(emptySet())).toBe('');
  });
});

describe('the JSON of a set', () => {
  const location = { sequence: 'c', start: 1, stop: 2, strand: -1 } as const;

  test('its shape', () => {
    const set = colocated(createSet([{ id: 'a', location }], 'gene'));
    expect(toResultJson(set)).toEqual({
      ok: true,
      kind: 'set',
      recordType: 'gene',
      count: 1,
      records: [{ id: 'a', sequence: 'c', start: 1, stop: 2, strand: '-', matches: 1 }],
    });
    expect(toResultJson(createSet([{ id: 'a' }])).records).toEqual([{ id: 'a' }]);
  });

  test('it is read back, matches included, in any order of records', () => {
    const sets = fc.oneof(
      recordList.map((list) => createSet(list, 'gene')),
      locatedList.map((list) => colocated(createSet(list))),
    );
    fc.assert(
      fc.property(sets, (set) => {
        const document = JSON.parse(JSON.stringify(toResultJson(set))) as { records: unknown[] };
        expect(fromResultJson({ ...document, records: document.records.toReversed() })).toEqual({
          ok: true,
          set,
          notes: [],
        });
      }),
      RUNS,
    );
  });

  test.each<[string, unknown, RegExp]>([
    ['a list', [], /"kind": "set"/],
    ['a value', { ok: true, kind: 'value', value: 1 }, /"kind": "set"/],
    ['a cut list', { kind: 'set', count: 2, records: [{ id: 'a' }] }, /may have been cut/],
    ['a record type that is a number', { kind: 'set', recordType: 1, records: [] }, /recordType/],
    ['a record without id', { kind: 'set', records: [{ name: 'a' }] }, /records\[0\]: id/],
    ['an id twice', { kind: 'set', records: [{ id: 'a' }, { id: 'a' }] }, /records\[1\]: the id "a"/],
    ['half a location', { kind: 'set', records: [{ id: 'a', start: 1 }] }, /some of them are absent/],
    ['a strand alone', { kind: 'set', records: [{ id: 'a', strand: '+' }] }, /some of them are absent/],
    [
      'a position as text',
      { kind: 'set', records: [{ id: 'a', sequence: 'c', start: '1', stop: 2 }] },
      /integers from 1/,
    ],
    [
      'a strand in numbers',
      { kind: 'set', records: [{ id: 'a', sequence: 'c', start: 1, stop: 2, strand: 1 }] },
      /strand is 1/,
    ],
    [
      'matches on one record only',
      { kind: 'set', records: [{ id: 'a', matches: 1 }, { id: 'b' }] },
      /records\[1\]: matches/,
    ],
  ])('%s is refused', (_, document, message) => {
    expect(fromResultJson(document)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });

  test('keys that have no place are named', () => {
    expect(fromResultJson({ kind: 'set', records: [{ id: 'a', symbol: 'X' }] })).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('symbol')],
    });
  });
});

describe('files', () => {
  const dir = fileFolder('tracks');

  const set = createSet([{ id: 'a', location: { sequence: 'c', start: 1, stop: 2, strand: 0 } }]);
  test.each<[string, string | Buffer, ResultSet]>([
    ['x.bed', 'c\t0\t2\ta\n', set],
    ['x.bed.gz', gzipSync('c\t0\t2\ta\n'), set],
    ['x.bed', gzipSync('c\t0\t2\ta\n'), set],
    ['x.json', JSON.stringify(toResultJson(set)), set],
    ['unnamed', JSON.stringify(toResultJson(set)), set],
    ['unnamed', '# comment\nc\t0\t2\ta\n', set],
    ['x.txt', 'a\n', createSet([{ id: 'a' }])],
    ['x.txt.gz', gzipSync('a\n'), createSet([{ id: 'a' }])],
    ['empty', '', emptySet()],
  ])('%s', async (name, content, expected) => {
    const path = join(dir, name);
    await writeFile(path, content);
    expect(setOf(await readTrackFile(path, { id: 'name' }))).toEqual(expected);
  });

  test.each<[string, string, string]>([
    ['x.bed', 'c\t0\t2\ta\nc\t3\t5\t', ''],
    ['x.gff3', '##gff-version 3\n', ''],
    ['x.txt', 'a\n', '\nb\n'],
  ])('a line beyond the bound in %s is refused with its number and the bound', async (name, before, after) => {
    const content = (length: number) => {
      const line = before.slice(before.lastIndexOf('\n') + 1);
      return Buffer.from(before + 'x'.repeat(length - line.length) + after);
    };
    expect(await readTrack(content(16_777_217), name, { id: 'name' })).toEqual({
      ok: false,
      issues: [{ line: 2, message: expect.stringMatching(/^The line has more than 16777216 bytes, and at most/) }],
    });
    const within = await readTrack(content(16_777_216), name, { id: 'name' });
    expect(within.ok ? [] : within.issues.map(({ message }) => message)).not.toContainEqual(
      expect.stringContaining('16777216'),
    );
  });

  test.each<[string, string | Buffer | undefined, RegExp]>([
    ['absent.bed', undefined, /absent\.bed cannot be read/],
    ['bad.json', '{', /is not JSON/],
    ['cut.bed.gz', gzipSync('c\t0\t2\ta\n').subarray(0, 20), /cannot be read/],
  ])('%s is refused', async (name, content, message) => {
    const path = join(dir, name);
    if (content !== undefined) await writeFile(path, content);
    expect(await readTrackFile(path, { id: 'name' })).toEqual({
      ok: false,
      issues: [{ line: 0, message: expect.stringMatching(message) }],
    });
  });
});

function at(id: string, sequence: string, start: number, stop: number, strand: number): object {
  return { id, location: { sequence, start, stop, strand } };
}

function setOf(read: ReadSet): ResultSet {
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.set;
}

function colocated(set: ResultSet): ResultSet {
  const combined = combineSets('COLOCATE', set, set, COLOCATE_DEFAULTS);
  if (!combined.ok) throw new Error(combined.message);
  return combined.set;
}
