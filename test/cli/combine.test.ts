/** `planwright combine`: operators on files, windows, and what is wrong with the input. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { importsOf, readCode } from '../support/source-files.ts';
import { planwright } from './planwright.ts';

interface Answer {
  readonly ok: boolean;
  readonly recordType?: string | null;
  readonly count?: number;
  readonly records?: readonly { readonly id: string; readonly matches?: number }[];
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly issues?: readonly {
      readonly file?: string;
      readonly line?: number;
      readonly path?: string;
      readonly message: string;
    }[];
  };
}

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
    expect(
      again.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([fwd, rev]);
  });

  test('an empty result is no line, and an empty set', async () => {
    expect(await planwright(['combine', 'MINUS', LEFT_IDS, LEFT_IDS])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await answer('MINUS', LEFT_IDS, LEFT_IDS)).toMatchObject({ ok: true, count: 0, records: [] });
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

  test('matches are in the JSON', async () => {
    const { records } = await answer('COLOCATE', GENES, SITES, '--upstream', '2');
    expect(records?.map(({ id, matches }) => [id, matches])).toEqual([
      ['fwd', 2],
      ['rev', 2],
    ]);
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

  test('every issue of both files is listed, with file and line', async () => {
    const { error } = await answer('UNION', BROKEN, BROKEN);
    expect(error?.issues?.map(({ file: name, line }) => [name, line])).toEqual([
      [BROKEN, 2],
      [BROKEN, 3],
      [BROKEN, 2],
      [BROKEN, 3],
    ]);
    const { stderr } = await planwright(['combine', 'UNION', BROKEN, GENES]);
    expect(stderr).toContain(`${BROKEN}, line 3: The start 9 is past the end 5.`);
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

  describe('names that stand at many places, as those of repeats do', () => {
    const repeats = file('repeats.bed', 'chr1\t149\t160\tAluY\nchr1\t152\t170\tAluY\nchr1\t499\t600\tAluY\n');

    test('are taken on the side whose records the result does not have, and each of them counts', async () => {
      const args = ['combine', 'COLOCATE', ANNOTATION, repeats, ...GENES_BY_NAME];
      expect(await planwright([...args, '--strict', '--format', 'tsv'])).toMatchObject({
        code: 0,
        stdout: 'id\tsequence\tstart\tstop\tstrand\tmatches\none\tchr1\t100\t200\t+\t2\n',
        stderr: '',
      });
      const right = ['combine', 'COLOCATE', repeats, ANNOTATION, ...GENES_BY_NAME, '--output-side', 'right'];
      expect(await planwright(right)).toMatchObject({ code: 0, stdout: 'one\n' });
      const inverted = await planwright(['combine', 'COLOCATE', ANNOTATION, repeats, ...GENES_BY_NAME, '--invert']);
      expect(inverted).toMatchObject({ code: 0 });
      expect(inverted.stdout).not.toContain('one\n');
    });

    test('are refused on the other one, whose ids are the result', async () => {
      const args = ['combine', 'COLOCATE', repeats, ANNOTATION, ...GENES_BY_NAME];
      const refused = await planwright(args);
      expect(refused.stderr).toMatch(/"AluY" stands at .*--id location/);
      expect(refused.stderr.match(/AluY/g)).toHaveLength(1);
      expect(await planwright([...args, '--id', 'location,name'])).toMatchObject({
        code: 0,
        stdout: 'chr1:150-160:.\nchr1:153-170:.\n',
      });
    });

    test('are refused on either side of an operator that compares ids', async () => {
      const { code, stderr } = await planwright(['combine', 'MINUS', ANNOTATION, repeats, ...GENES_BY_NAME]);
      expect({ code, stderr }).toMatchObject({ stderr: expect.stringContaining('"AluY" stands at') as string });
      expect(code).not.toBe(0);
    });
  });

  test('the parts of a feature are written, and its span is what meets', async () => {
    const inGap = file('in-gap.bed', 'chr1\t149\t150\tp\n');
    const args = ['combine', 'COLOCATE', ANNOTATION, inGap, '--type', 'CDS', '--format', 'gff3'];
    const line = (start: number, stop: number): string =>
      `chr1\t.\tsequence_feature\t${start}\t${stop}\t.\t+\t.\tID=c1\n`;
    expect(await planwright(args)).toMatchObject({
      code: 0,
      stdout: `##gff-version 3\n${line(100, 120)}${line(180, 200)}`,
      stderr: expect.stringMatching(/^note .*1 feature stands on several lines; it is one record with its parts/),
    });
  });

  test.each<[string, string[], RegExp]>([
    ['--invert of another operator', ['MINUS', ANNOTATION, PEAKS, '--invert'], /--invert is for COLOCATE; MINUS/],
    ['--window of another operator', ['MINUS', ANNOTATION, PEAKS, '--window', '5'], /--window is for COLOCATE/],
    [
      'a window twice',
      ['COLOCATE', ANNOTATION, PEAKS, '--window', '5', '--upstream', '0'],
      /--window is --upstream and --downstream in one/,
    ],
    ['a type of BED', ['UNION', PEAKS, PEAKS, '--type', 'gene'], /--type is for GFF3, and neither file is/],
    ['an attribute of BED', ['UNION', PEAKS, PEAKS, '--attribute', 'Name'], /--attribute is for GFF3/],
    ['a format of text as JSON', ['UNION', PEAKS, PEAKS, '--format', 'bed', '-o', 'json'], /-o json is none/],
    ['ids as BED', ['UNION', LEFT_IDS, RIGHT_IDS, '--format', 'bed'], /--format bed: The record "a" has no place/],
    ['CLOSEST', ['closest', PEAKS, PEAKS], /"closest" is no operator\. COLOCATE keeps every record that stands near/],
    ['XOR', ['xor', PEAKS, PEAKS], /MINUS with their UNION on its left and their INTERSECT on its right/],
  ])('%s is refused', async (_, args, message) => {
    const { code, stdout, stderr } = await planwright(['combine', ...args]);
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(message);
    expect(stdout + stderr).not.toContain('Did you mean');
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

test('neither Temporal, nor zod, nor jiti is loaded for it, and its action is loaded on demand', () => {
  const reached = reachedFrom('src/operations/sets.ts');
  expect(reached).toContain('node:fs/promises');
  expect(reached.filter((name) => /^(@temporalio|zod|jiti)/.test(name))).toEqual([]);
  expect(readCode('src/operations/index.ts')).not.toMatch(/from '.\/sets.ts'/);
});

/** Files and packages that this file imports as values at once, and what those import. */
function reachedFrom(start: string): string[] {
  const reached = [start];
  for (const name of reached) {
    if (!name.startsWith('src/')) continue;
    for (const { kind, specifier, target } of importsOf(name)) {
      const next = target ?? specifier;
      if (kind === 'value' && !reached.includes(next)) reached.push(next);
    }
  }
  return reached;
}

async function answer(...args: string[]): Promise<Answer> {
  const { stdout } = await planwright(['combine', ...args, '-o', 'json']);
  return JSON.parse(stdout) as Answer;
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
