/** `records.file`: what it reads, and everything that a path may be. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { openFolders } from '../../src/capabilities/builtin/files/allowed-folders.ts';
import { readWhole } from '../../src/capabilities/builtin/files/whole-files.ts';
import { combineSets } from '../../src/plan/algebra/index.ts';
import { compilePlan } from '../../src/plan/index.ts';
import { decodeResult, encodeResult, toResultJson } from '../../src/store/index.ts';
import { carryOut } from './carry-out.ts';
import { base, capability, GENES, outside, put, read, SET, top, unchecked, useFolders } from './files-rig.ts';

useFolders();

describe('records.file', () => {
  test.each<[string, string | Uint8Array, object, string[]]>([
    ['genes.bed', GENES, {}, ['g1', 'g2']],
    ['genes.bed.gz', gzipSync(GENES), {}, ['g1', 'g2']],
    ['genes.bed', GENES, { id: 'location' }, ['chr1:10-20:+', 'chr1:30-40:-']],
    ['in/a/folder/ids.txt', 'b\na\n', {}, ['a', 'b']],
    ['set.json', JSON.stringify(toResultJson(SET)), {}, ['g1', 'g2']],
    [
      'ann.gff3',
      'chr1\tx\tgene\t1\t9\t.\t+\t.\tID=a;Name=n\nchr1\tx\tmRNA\t1\t9\t.\t+\t.\tID=b\n',
      { type: 'gene', attribute: 'Name' },
      ['n'],
    ],
    ['name with spaces.bed', GENES, {}, ['g1', 'g2']],
  ])('%s', async (path, content, args, ids) => {
    put(path, content);
    const set = await read({ path, ...args });
    expect(set.ids).toEqual(ids);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(set.source).toEqual({ path, sha256, bytes: Buffer.byteLength(content), notes: [] });
  });

  test('the digest and the path are in the stored result and in its JSON, whatever the spelling of the path', async () => {
    put('in/genes.bed', `${GENES}${GENES}`);
    const set = await read({ path: `./in/../in/genes.bed` });
    expect(await read({ path: join(base, 'in/genes.bed') })).toEqual(set);
    expect(set.source).toMatchObject({ path: 'in/genes.bed', notes: [expect.stringContaining('2 lines repeated')] });
    const encoded = encodeResult({ kind: 'set', set });
    expect(encoded.ok && decodeResult(encoded.bytes)).toEqual({ ok: true, result: { kind: 'set', set } });
    expect(toResultJson(set).source).toEqual(set.source);
  });

  test('with strict what is noted is an error', async () => {
    put('twice.bed', `${GENES}${GENES}`);
    await expect(read({ path: 'twice.bed', strict: true })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(/"twice\.bed": strict is set, and 2 lines repeated/),
    });
  });

  test.each<[string, () => unknown, object, RegExp]>([
    ['no file', () => 0, { path: 'none.bed' }, /"none\.bed": there is no such file.*\(ENOENT\)/],
    ['a folder', () => mkdirSync(join(base, 'dir.bed')), { path: 'dir.bed' }, /it is a folder; name a file in it/],
    ['a pipe', () => execFileSync('mkfifo', [join(base, 'pipe.bed')]), { path: 'pipe.bed' }, /a pipe or a device/],
    [
      'broken lines',
      () => put('x.bed', `x\n`.repeat(9)),
      { path: 'x.bed' },
      /"x\.bed": line 1: A BED line .*line 5: .*\(and 4 more\)/,
    ],
    ['a type of BED', () => put('x.bed', GENES), { path: 'x.bed', type: 'gene' }, /for GFF3, and this file is bed/],
    [
      'a key',
      () => put('key.pem', '-----BEGIN PRIVATE KEY-----\n'),
      { path: 'key.pem' },
      /^"key\.pem": it is neither BED nor GFF3 .* a list of ids ends in \.txt/,
    ],
    ['a text without an ending', () => put('LICENSE', 'a\n'), { path: 'LICENSE' }, /a list of ids ends in/],
    [
      'GTF',
      () => put('x.gtf', 'c\t.\tgene\t1\t2\t.\t+\t.\tgene_id "a";\n'),
      { path: 'x.gtf' },
      /line 1: .*is GTF\. Convert it to GFF3/,
    ],
    [
      'a link that leads out',
      () => symlinkSync(outside(), join(base, 'link.bed')),
      { path: 'link.bed' },
      /"link\.bed": a link leads out of the folders/,
    ],
    [
      'a folder that leads out',
      () => (outside(), symlinkSync(top, join(base, 'up'))),
      { path: 'up/outside.bed' },
      /a link leads out/,
    ],
    [
      'a link to a hidden file',
      () => (put('.secret', 'a'), symlinkSync(join(base, '.secret'), join(base, 'open.txt'))),
      { path: 'open.txt' },
      /to a hidden file/,
    ],
    ['links in a circle', () => symlinkSync('loop.bed', join(base, 'loop.bed')), { path: 'loop.bed' }, /in a circle/],
    ['a part that is a file', () => put('x.bed', GENES), { path: 'x.bed/y.bed' }, /no folder/],
  ])('%s is no plan for this world', async (_, prepare, args, message) => {
    prepare();
    await expect(read(args)).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(message),
    });
  });

  test('a device is no file', async () => {
    await expect(read({ path: '/dev/zero' }, { folders: ['/dev'] })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(/"\/dev\/zero": it is a pipe or a device, and no file/),
    });
  });

  test.each<[string, (real: string) => void, object]>([
    [
      'the file',
      (real) => (rmSync(real), symlinkSync(outside(), real)),
      { errorClass: 'REPLANNING', message: expect.stringMatching(/it has become a link/) },
    ],
    [
      'its folder',
      (real) => {
        mkdirSync(join(top, 'elsewhere'));
        renameSync(outside(), join(top, 'elsewhere', basename(real)));
        renameSync(dirname(real), join(base, 'aside'));
        symlinkSync(join(top, 'elsewhere'), dirname(real));
      },
      { errorClass: 'RETRIABLE', message: expect.stringMatching(/a folder of its path was put elsewhere/) },
    ],
  ])('a link that takes the place of %s after the path was looked at is not followed', async (_, swap, error) => {
    put('in/genes.bed', GENES);
    const real = await openFolders({ base }).find('in/genes.bed');
    swap(real);
    const { signal } = new AbortController();
    await expect(readWhole(real, 'in/genes.bed', 1000, signal)).rejects.toMatchObject(error);
  });

  test('a link that stays inside is followed', async () => {
    put('genes.bed', GENES);
    symlinkSync('genes.bed', join(base, 'link.bed'));
    expect((await read({ path: 'link.bed' })).ids).toEqual(['g1', 'g2']);
  });

  test('2 GB are refused before they are read', async () => {
    const full = put('large.bed', '');
    truncateSync(full, 2 ** 31);
    const before = process.resourceUsage().maxRSS;
    await expect(read({ path: 'large.bed' })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(/it has 2147483648 bytes, and at most 1073741824 are read/),
    });
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(2 ** 18);
  });

  test('a small file that expands to more than is read is refused', { tags: ['slow'] }, async () => {
    const member = gzipSync(Buffer.alloc(2 ** 27));
    put('bomb.bed.gz', Buffer.concat(Array.from({ length: 9 }, () => member)));
    await expect(read({ path: 'bomb.bed.gz' })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(/expands to more than 1073741824 bytes, which is not read/),
    });
  });

  test('a file that grows while it is read is read again later', async () => {
    const full = put('growing.bed', GENES.repeat(400_000));
    const ended = new AbortController();
    const reading = read({ path: 'growing.bed' }).finally(() => ended.abort());
    const growing = (async () => {
      while (!ended.signal.aborted) {
        appendFileSync(full, GENES);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await expect(reading).rejects.toMatchObject({
      errorClass: 'RETRIABLE',
      message: expect.stringMatching(/"growing\.bed": it changed while it was read/),
    });
    await growing;
  });

  test('an attempt that is cancelled ends', async () => {
    put('genes.bed', GENES);
    const one = capability('records.file');
    const reading = carryOut(one as never, { path: 'genes.bed' }, { signal: AbortSignal.abort() });
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('paths are checked where the plan is compiled, and again where it runs', () => {
  const PATHS: readonly (readonly [string, RegExp])[] = [
    ['../outside.bed', /outside the folders that this project allows \("\."\)/],
    ['/etc/passwd', /outside the folders/],
    ['in/../../outside.bed', /outside the folders/],
    ['.env', /begins with a dot/],
    ['.planwright/results/x.bed', /begins with a dot/],
    ['in/.git/config', /begins with a dot/],
    ['.', /it is a folder/],
    ['a\0.bed', /character of code 0/],
  ];

  test.each(PATHS)('%j', async (path, message) => {
    const catalogue = createRegistry([], { files: { base } });
    for (const name of ['records.file', 'records.write']) {
      const args = { path, ...(name === 'records.write' && { format: 'bed' }) };
      const plan = { task: 't', capability: name, arguments: args, input: { task: 'i', capability: 'respond' } };
      const compiled = compilePlan({ goal: 'g', plan }, { catalogue });
      expect(compiled.ok ? [] : compiled.issues).toMatchObject([
        { code: 'invalid-arguments', path: '$.plan.arguments.path', message: expect.stringMatching(message) },
      ]);
      await expect(unchecked(name, { ...args, format: 'bed' })).rejects.toMatchObject({
        errorClass: 'REPLANNING',
        message: expect.stringMatching(message),
      });
    }
    expect(readdirSync(top)).toEqual(['project']);
  });
});

/** Genes from 100 to 110 on either strand, and sites 1 and 2 bases before the start of each. */
const BOTH_STRANDS = 'chr1\t99\t110\tfwd\t0\t+\nchr1\t199\t210\trev\t0\t-\n';
const SITES = `##gff-version 3\n${[98, 99, 211, 212].map((at) => `chr1\tx\tsite\t${at}\t${at}\t.\t+\t.\tID=s${at}\n`).join('')}`;
const ANNOTATION = [
  ['gene', 100, 200, 'ID=gene:g1;Name=one'],
  ['CDS', 100, 120, 'ID=c1'],
  ['CDS', 180, 200, 'ID=c1'],
  ['gene', 900, 950, 'ID=gene:g2;Name=two'],
]
  .map(([type, start, stop, attributes]) => `chr1\tx\t${type}\t${start}\t${stop}\t.\t+\t.\t${attributes}\n`)
  .join('');
const NAMED = { path: 'annotation.gff3', type: 'gene', attribute: 'Name' };
const UP_1 = { left: { upstream: 1 }, right: 'exact' };

describe('a plan over two files', () => {
  test.each<[string, object, object, object, string]>([
    ['no window', { path: 'genes.bed' }, { path: 'sites.gff3' }, {}, ''],
    ['one base upstream', { path: 'genes.bed' }, { path: 'sites.gff3' }, { upstream: 1 }, 'fwd rev'],
    ['one base downstream', { path: 'genes.bed' }, { path: 'sites.gff3' }, { downstream: 1 }, ''],
    ['the same strand', { path: 'genes.bed' }, { path: 'sites.gff3' }, { upstream: 1, strand: 'same' }, 'fwd'],
    ['the other strand', { path: 'genes.bed' }, { path: 'sites.gff3' }, { upstream: 1, strand: 'opposite' }, 'rev'],
    ['right records', { path: 'genes.bed' }, { path: 'sites.gff3' }, { upstream: 1, output: 'right' }, 's211 s99'],
    ['contained', { path: 'genes.bed' }, { path: 'sites.gff3' }, { upstream: 2, operation: 'contains' }, 'fwd rev'],
    ['regions', { path: 'genes.bed' }, { path: 'sites.gff3' }, { colocate: UP_1, strand: 'same' }, 'fwd'],
    ['a type, by name', NAMED, { path: 'peaks.bed' }, { upstream: 50, downstream: 50 }, 'one'],
    ['not near', NAMED, { path: 'peaks.bed' }, { upstream: 50, downstream: 50, invert: true }, 'two'],
    ['right records, not near', NAMED, { path: 'peaks.bed' }, { output: 'right', invert: true }, 'p1'],
  ])('COLOCATE: %s', async (_, left, right, fields, ids) => {
    put('genes.bed', BOTH_STRANDS);
    put('sites.gff3', SITES);
    put('annotation.gff3', ANNOTATION);
    put('peaks.bed', 'chr1\t249\t260\tp1\n');
    const file = (args: object) => ({ task: 'Read', capability: 'records.file', arguments: args });
    const plan = { operator: 'COLOCATE', left: file(left), right: file(right), ...fields };
    const compiled = compilePlan({ goal: 'g', plan });
    const colocate = compiled.ok ? compiled.plan.combines[0]!.colocate : undefined;
    const combined = combineSets('COLOCATE', await read(left), await read(right), colocate);
    expect(combined.ok && combined.set.ids.join(' ')).toBe(ids);
  });
});
