/** `planwright combine`: operators on files, windows, and what is wrong with the input. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { planwright, type Answer, linesIn } from './planwright.ts';

const folder = mkdtempSync(join(tmpdir(), 'planwright-combine-'));
const LEFT_IDS = file('left.txt', 'b\na\nc\n');
const RIGHT_IDS = file('right.txt', 'c\nd\n');
// Genes from 100 to 110 on either strand, and sites 1 and 2 bases before the start of each.
const GENES = file('genes.bed', 'chr1\t99\t110\tfwd\t0\t+\nchr1\t199\t210\trev\t0\t-\n');
const SITES = file(
  'sites.gff3',
  `##gff-version 3\n${[98, 99, 211, 212].map((base) => `chr1\tx\tsite\t${base}\t${base}\t.\t+\t.\tID=s${base}\n`).join('')}`,
);
const UP_1 = JSON.stringify({ left: { upstream: 1 }, right: 'exact' });

describe('boolean operators', () => {
  test.each([
    ['UNION', 'a\nb\nc\nd\n'],
    ['or', 'a\nb\nc\nd\n'],
    ['&&', 'c\n'],
    ['minus', 'a\nb\n'],
    ['left-minus', 'a\nb\n'],
    ['MINUS_RIGHT', 'd\n'],
  ])('%s of two lists of ids', async (operator, expected) => {
    const { code, stdout, stderr } = await planwright(['combine', operator, LEFT_IDS, RIGHT_IDS]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expected, stderr: '' });
  });

  test('the JSON is a set, which is input again', async () => {
    const { code, stdout } = await planwright(['combine', 'UNION', GENES, GENES, '-o', 'json']);
    expect(code).toBe(0);
    const fwd = { id: 'fwd', sequence: 'chr1', start: 100, stop: 110, strand: '+' };
    const rev = { id: 'rev', sequence: 'chr1', start: 200, stop: 210, strand: '-' };
    expect(JSON.parse(stdout)).toEqual({ ok: true, kind: 'set', recordType: null, count: 2, records: [fwd, rev] });
    const again = await planwright(['combine', 'INTERSECT', '-', GENES, '-o', 'jsonl'], { stdin: stdout });
    expect(linesIn(again.stdout)).toEqual([fwd, rev]);
  });
});

describe('COLOCATE', () => {
  test.each<[string, string[], string]>([
    ['no window', [], ''],
    ['one base upstream', ['--upstream', '1'], 'fwd\nrev\n'],
    ['one base downstream', ['--downstream', '1'], ''],
    ['the same strand', ['--upstream', '1', '--strand', 'same'], 'fwd\n'],
    ['the other strand', ['--upstream', '1', '--strand', 'opposite'], 'rev\n'],
    ['right records', ['--upstream', '2', '--output', 'right'], 's211\ns212\ns98\ns99\n'],
    ['right records, written together', ['--upstream', '1', '--output=right'], 's211\ns99\n'],
    ['a side and a format', ['--upstream', '1', '--output-side', 'right', '--output', 'text'], 's211\ns99\n'],
    ['contained records', ['--upstream', '2', '--operation', 'contains'], 'fwd\nrev\n'],
    ['the full form', ['--colocate', UP_1], 'fwd\nrev\n'],
    ['the full form with flags', ['--colocate', UP_1, '--strand', 'same'], 'fwd\n'],
    ['location ids', ['--upstream', '1', '--id', 'location'], 'chr1:100-110:+\nchr1:200-210:-\n'],
  ])('%s', async (_, options, expected) => {
    const { code, stdout, stderr } = await planwright(['combine', 'COLOCATE', GENES, SITES, ...options]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expected, stderr: '' });
  });

  test('standard input may be gzip', async () => {
    const stdin = gzipSync('chr1\t98\t99\n');
    const { stdout } = await planwright(['combine', 'COLOCATE', GENES, '-', '--upstream', '1'], { stdin });
    expect(stdout).toBe('fwd\n');
  });
});

describe('what does not fit exits 2 and says what to do', () => {
  const BROKEN = file('broken.bed', 'chr1\t5\t9\nchr1\tx\t9\nchr1\t9\t5\n');
  test.each<[string, string[], string, RegExp]>([
    [
      'an operator that is none',
      ['UNON', LEFT_IDS, RIGHT_IDS],
      'USAGE',
      /"UNON" is no operator\. Did you mean "UNION"/,
    ],
    ['an operator of two readings', ['LONLY', LEFT_IDS, RIGHT_IDS], 'USAGE', /two readings/],
    ['a missing file', ['UNION', LEFT_IDS, 'nowhere.txt'], 'NO_SUCH_FILE', /nowhere\.txt/],
    ['a directory', ['UNION', LEFT_IDS, folder], 'NOT_A_FILE', /is a directory/],
    ['standard input twice', ['UNION', '-', '-'], 'USAGE', /left and right are both standard input/],
    ['one file only', ['UNION', LEFT_IDS], 'USAGE', /right/],
    ['a window on another operator', ['UNION', GENES, SITES, '--upstream', '0'], 'USAGE', /--upstream is for COLOCATE/],
    ['a negative window', ['COLOCATE', GENES, SITES, '--upstream=-1'], 'USAGE', /--upstream: expected a whole number/],
    [
      'another strand',
      ['COLOCATE', GENES, SITES, '--strand', 'up'],
      'USAGE',
      /--strand: expected both or same or opposite/,
    ],
    [
      'another id',
      ['UNION', GENES, SITES, '--id', 'gene'],
      'USAGE',
      /--id: expected name or location or name,location or location,name/,
    ],
    ['no JSON', ['COLOCATE', GENES, SITES, '--colocate', '{'], 'USAGE', /--colocate: expected JSON/],
    ['half a full form', ['COLOCATE', GENES, SITES, '--colocate', '{"left":"exact"}'], 'USAGE', /--colocate\.right/],
    ['a window and regions', ['COLOCATE', GENES, SITES, '--colocate', UP_1, '--upstream', '1'], 'USAGE', /--upstream/],
    ['ids without places', ['COLOCATE', LEFT_IDS, GENES], 'INPUT_INVALID', /"a" of the left set has none/],
    ['lines that are no records', ['UNION', BROKEN, GENES], 'INPUT_INVALID', /broken\.bed, line 2/],
  ])('%s', async (_, args, error, message) => {
    const json = await planwright(['combine', ...args, '-o', 'json']);
    const parsed = JSON.parse(json.stdout) as Answer;
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 2, stderr: '' });
    expect(parsed).toMatchObject({ ok: false, error: { code: error, message: expect.stringMatching(message) } });
    const text = await planwright(['combine', ...args]);
    expect(text).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`error[${error}]`) });
  });
});

test('what was read otherwise than it stands is noted on stderr', async () => {
  const { code, stderr } = await planwright(['combine', 'UNION', '-', RIGHT_IDS], { stdin: 'a\na\n' });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^note standard input: 1 line repeated the id/);
});

describe('GFF3 with types, windows, what is not near, and other formats', () => {
  const ANNOTATION = file(
    'annotation.gff3',
    [
      ['gene', 100, 200, 'ID=gene:g1;Name=one'],
      ['CDS', 100, 120, 'ID=c1'],
      ['CDS', 180, 200, 'ID=c1'],
      ['gene', 900, 950, 'ID=gene:g2;Name=two'],
    ]
      .map(([type, start, stop, attributes]) => `chr1\tx\t${type}\t${start}\t${stop}\t.\t+\t.\t${attributes}\n`)
      .join(''),
  );
  const PEAKS = file('peaks.bed', 'chr1\t249\t260\tp1\n');
  const GENES_BY_NAME = ['--type', 'gene', '--attribute', 'Name'];

  test.each<[string, string[], string]>([
    ['a type, by name', [...GENES_BY_NAME, '--window', '50'], 'one\n'],
    ['upstream and downstream alone', [...GENES_BY_NAME, '--downstream', '50'], 'one\n'],
    ['not near', [...GENES_BY_NAME, '--window', '50', '--invert'], 'two\n'],
    ['the right records that nothing is near', [...GENES_BY_NAME, '--output', 'right', '--invert'], 'p1\n'],
    ['BED', [...GENES_BY_NAME, '--window', '50', '--format', 'bed'], 'chr1\t99\t200\tone\t0\t+\n'],
    [
      'GFF3',
      [...GENES_BY_NAME, '--window', '50', '--format', 'gff3'],
      '##gff-version 3\nchr1\t.\tsequence_feature\t100\t200\t.\t+\t.\tID=one\n',
    ],
    [
      'a table',
      [...GENES_BY_NAME, '--window', '50', '--format', 'tsv'],
      'id\tsequence\tstart\tstop\tstrand\tmatches\none\tchr1\t100\t200\t+\t1\n',
    ],
  ])('%s', async (_, options, expected) => {
    const { code, stdout, stderr } = await planwright(['combine', 'COLOCATE', ANNOTATION, PEAKS, ...options]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expected, stderr: '' });
  });

  const ON_1 = file('on-1.bed', '1\t99\t200\tp1\n');
  test.each<[string, string[], RegExp]>([
    [
      'no sequence in common',
      ['COLOCATE', GENES, ON_1],
      /^warning COLOCATE: No sequence name is in both .*"chr1" on the left may be "1" on the right/,
    ],
    ['no id in common', ['MINUS', GENES, PEAKS], /^warning MINUS: No id is in both .*MINUS compares ids, never places/],
    ['a feature of several lines', ['UNION', ANNOTATION, PEAKS], /annotation\.gff3: 1 feature stands on several lines/],
    [
      'a type that is not there',
      ['UNION', ANNOTATION, PEAKS, '--type', 'Gene'],
      /No feature is of type "Gene".*gene \(2\), CDS \(2\)/,
    ],
  ])('%s is noted, and an error under --strict', async (_, args, message) => {
    const noted = await planwright(['combine', ...args]);
    expect(noted).toMatchObject({ code: 0, stderr: expect.stringMatching(message) });
    const strict = await planwright(['combine', ...args, '--strict']);
    expect(strict).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(strict.stderr).toMatch(/error\[INPUT_INVALID\]: under --strict 1 note is an error$/m);
    const { stdout } = await planwright(['combine', ...args, '--strict', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { code: 'INPUT_INVALID', notes: [expect.any(String)] },
    });
  });
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
