/** A set as the text of a file, and back. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSet, records, type ResultRecord } from '../../src/plan/algebra/index.ts';
import {
  fromResultJson,
  readBed,
  readGff3,
  setText,
  SET_FORMATS,
  type ReadSet,
  type SetFormat,
} from '../../src/store/index.ts';
import { RUNS } from '../plan/algebra/arbitraries.ts';

const at = (id: string, sequence: string, start: number, stop: number, strand: 1 | -1 | 0): ResultRecord => ({
  id,
  location: { sequence, start, stop, strand },
});
const SET = createSet([
  at('b', 'chr2', 5, 9, 0),
  at('c', 'chr10', 20, 30, -1),
  at('a', 'chr10', 20, 30, 1),
  at('chr10:7-7:.', 'chr10', 7, 7, 0),
]);

describe('what stands in the file', () => {
  test.each<[SetFormat, string]>([
    ['bed', 'chr10\t6\t7\t.\t0\t.\nchr10\t19\t30\ta\t0\t+\nchr10\t19\t30\tc\t0\t-\nchr2\t4\t9\tb\t0\t.\n'],
    [
      'gff3',
      [
        '##gff-version 3',
        'chr10\t.\tsequence_feature\t7\t7\t.\t.\t.\t.',
        'chr10\t.\tsequence_feature\t20\t30\t.\t+\t.\tID=a',
        'chr10\t.\tsequence_feature\t20\t30\t.\t-\t.\tID=c',
        'chr2\t.\tsequence_feature\t5\t9\t.\t.\t.\tID=b\n',
      ].join('\n'),
    ],
    [
      'tsv',
      'id\tsequence\tstart\tstop\tstrand\na\tchr10\t20\t30\t+\nb\tchr2\t5\t9\t.\nc\tchr10\t20\t30\t-\nchr10:7-7:.\tchr10\t7\t7\t.\n',
    ],
  ])('%s', (format, expected) => {
    expect(textOf(SET, format)).toBe(expected);
  });

  test('the record type is the type of a feature where it is a word', () => {
    const typed = (type: string) => textOf(createSet([at('a', 's', 1, 2, 0)], type), 'gff3').split('\t')[2];
    expect([typed('gene'), typed('my genes')]).toEqual(['gene', 'sequence_feature']);
  });

  test('a table has matches where there are some, and empty columns without a place', () => {
    const met = { ...createSet([{ id: 'x' }]), matches: Uint32Array.of(3) };
    expect(textOf(met, 'tsv')).toBe('id\tsequence\tstart\tstop\tstrand\tmatches\nx\t\t\t\t\t3\n');
  });

  test('what GFF3 rules is escaped', () => {
    const text = textOf(createSet([at('a;b=c,d&e%é', 'chr 1>', 1, 2, 0)]), 'gff3');
    expect(text).toContain('chr%201%3E\t');
    expect(text).toContain('\tID=a%3Bb%3Dc%2Cd%26e%25é\n');
  });

  test.each(SET_FORMATS)('the empty set as %s', (format) => {
    const texts = { bed: '', gff3: '##gff-version 3\n', tsv: 'id\tsequence\tstart\tstop\tstrand\n' };
    const text = textOf(createSet([]), format);
    expect(format === 'json' ? JSON.parse(text) : text).toEqual(
      format === 'json' ? { ok: true, kind: 'set', recordType: null, count: 0, records: [] } : texts[format],
    );
  });
});

describe('what is written is read back as the same records', () => {
  const name = fc
    .string({
      unit: fc.constantFrom('a', 'B', '1', ' ', ';', '=', '%', ',', '&', '>', '#', ':', 'é', '\u{1F9EC}', '\u0085'),
      minLength: 1,
      maxLength: 6,
    })
    .filter((text) => text.trim() !== '');
  const set = fc
    .uniqueArray(
      fc.tuple(
        name,
        name,
        fc.integer({ min: 1, max: 99 }),
        fc.nat(9),
        fc.constantFrom<1 | -1 | 0>(1, -1, 0),
        fc.boolean(),
      ),
      {
        selector: ([id, sequence, start, length, strand, isNamed]) =>
          isNamed ? id : [sequence, start, length, strand].join(),
        maxLength: 12,
      },
    )
    .map((rows) =>
      createSet(
        rows.map(([id, sequence, start, length, strand, isNamed]) => {
          const stop = start + length;
          const place = `${sequence}:${start}-${stop}:${strand === 1 ? '+' : strand === -1 ? '-' : '.'}`;
          return at(isNamed ? `n${id}` : place, sequence, start, stop, strand);
        }),
      ),
    );

  test.each<[SetFormat, (text: string) => ReadSet | ReturnType<typeof fromResultJson>]>([
    ['bed', (text) => readBed(text, { id: 'name' })],
    ['gff3', (text) => readGff3(text, { id: 'name' })],
    ['json', (text) => fromResultJson(JSON.parse(text))],
  ])('%s', (format, read) => {
    let written = 0;
    fc.assert(
      fc.property(set, (one) => {
        const text = setText(one, format);
        // BED has no escapes, and refuses what it cannot hold.
        if (!text.ok) {
          expect(format).toBe('bed');
          return;
        }
        written += 1;
        const back = read([...text.lines].join(''));
        expect(back.ok ? [...records(back.set)] : back).toEqual([...records(one)]);
      }),
      RUNS,
    );
    expect(written).toBeGreaterThan(300);
  });
});

test.each<[string, ResultRecord, SetFormat, RegExp]>([
  [
    'a record without a place',
    { id: 'x' },
    'bed',
    /"x" has no place, and each line of BED has one\. Write tsv or json/,
  ],
  ['a record without a place', { id: 'x' }, 'gff3', /each line of GFF3/],
  ['a comment', at('x', '#s', 1, 2, 0), 'bed', /begins with the sequence name "#s" is no record/],
  ['a header', at('x', 'track', 1, 2, 0), 'bed', /"track" is no record/],
  ['a name that counts as none', at('.', 's', 1, 2, 0), 'bed', /the name "\." counts as none/],
  ['a blank around a sequence name', at('x', 's ', 1, 2, 0), 'bed', /"s " begins or ends with a blank/],
  ['a blank around a name', at('\u00a0x', 's', 1, 2, 0), 'bed', /begins or ends with a blank.+Write gff3, tsv or json/],
  ['a tab in a sequence name', at('x', 'a\tb', 1, 2, 0), 'tsv', /holds a tab/],
  ['half a character', at('x\ud800', 's', 1, 2, 0), 'tsv', /half of a surrogate pair/],
])('what cannot stand in a file: %s', (_, record, format, message) => {
  expect(setText(createSet([record]), format)).toEqual({ ok: false, message: expect.stringMatching(message) });
});

function textOf(set: Parameters<typeof setText>[0], format: SetFormat): string {
  const text = setText(set, format);
  if (!text.ok) throw new Error(text.message);
  return [...text.lines].join('');
}
