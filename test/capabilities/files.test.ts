/** `records.file` and `records.write`: what they read and write, and everything that a path may be. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSet, records, type ResultSet } from '../../src/algebra/index.ts';
import { createRegistry, type Capability, type FilesOptions } from '../../src/capabilities/index.ts';
import { compilePlan } from '../../src/plan/index.ts';
import { decodeResult, encodeResult, toResultJson, type Result } from '../../src/results/index.ts';
import { carryOut, examplesOf } from './carry-out.ts';

let top: string;
let base: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'planwright-files-')));
  base = join(top, 'project');
  mkdirSync(base);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const GENES = 'chr1\t9\t20\tg1\t0\t+\nchr1\t29\t40\tg2\t0\t-\n';

function put(path: string, content: string | Uint8Array): string {
  const full = join(base, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, content);
  return full;
}

function capability(name: string, options: FilesOptions = {}): Capability {
  return createRegistry([], { files: { base, ...options } }).capability(name)!;
}

async function read(args: object, options?: FilesOptions): Promise<ResultSet> {
  return (await carryOut(capability('records.file', options) as never, args as never)) as ResultSet;
}

async function write(args: object, set: ResultSet | Result = SET, options?: FilesOptions): Promise<unknown> {
  const input: Result = 'kind' in set ? set : { kind: 'set', set };
  return carryOut(capability('records.write', options) as never, args as never, { inputs: { input } });
}

/** Past the check of the plan, as an argument that another step has given. */
async function unchecked(name: string, args: object, options?: FilesOptions): Promise<unknown> {
  const one = capability(name, options);
  const given = { id: 'name', strict: false, replace: false, ...args };
  const inputs = [{ name: 'input', handle: { ref: '' }, read: () => Promise.resolve({ kind: 'set', set: SET }) }];
  return one.execute({
    ...{ goal: '', task: 't', signal: new AbortController().signal, idempotencyKey: 'k', heartbeat() {} },
    ...{ arguments: given, inputs: inputs as never },
  });
}

const SET = createSet([
  { id: 'g1', location: { sequence: 'chr1', start: 10, stop: 20, strand: 1 } },
  { id: 'g2', location: { sequence: 'chr1', start: 30, stop: 40, strand: -1 } },
]);

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
    ['GTF', () => put('x.gtf', ''), { path: 'x.gtf' }, /GTF/],
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

function outside(): string {
  const full = join(top, 'outside.bed');
  writeFileSync(full, GENES);
  return full;
}

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

  test('several folders, beside and outside the project', async () => {
    mkdirSync(join(top, 'tracks'));
    writeFileSync(join(top, 'tracks/genes.bed'), GENES);
    put('in/genes.bed', GENES);
    put('genes.bed', GENES);
    const folders = { folders: ['in', '../tracks'] };
    expect((await read({ path: 'in/genes.bed' }, folders)).ids).toHaveLength(2);
    expect((await read({ path: '../tracks/genes.bed' }, folders)).source?.path).toBe(join(top, 'tracks/genes.bed'));
    await expect(unchecked('records.file', { path: 'genes.bed' }, folders)).rejects.toThrow(
      /allows \("in" or "\.\.\/tracks"\); name a file in one of them, or add its folder to files\.folders/,
    );
  });

  test('no folder is no capability', () => {
    expect(createRegistry([], { files: { base, folders: [] } }).capabilities).toEqual(['respond', 'ask', 'clarify']);
    expect(createRegistry([]).capabilities).toEqual(['respond', 'ask', 'clarify']);
    expect(() => createRegistry([], { files: { base, folders: [''] } })).toThrow(/files\.folders is a list of folders/);
  });

  test('a model is offered them where the project has named folders for them', () => {
    const offered = (files: FilesOptions) => createRegistry([], { files }).offered.map(({ name }) => name);
    expect(offered({ base })).toEqual(['respond', 'ask', 'clarify']);
    expect(offered({ base, folders: ['in'] })).toEqual(['respond', 'ask', 'clarify', 'records.file', 'records.write']);
  });

  test('a project may have its own of that name', () => {
    const own = { ...capability('records.file'), description: 'mine' };
    expect(createRegistry([own], { files: { base } }).capability('records.file')).toBe(own);
  });
});

describe('records.write', () => {
  test.each<[object, string]>([
    [{ path: 'out.bed' }, GENES],
    [{ path: 'out.tsv' }, 'id\tsequence\tstart\tstop\tstrand\ng1\tchr1\t10\t20\t+\ng2\tchr1\t30\t40\t-\n'],
    [{ path: 'out.json' }, `${JSON.stringify(toResultJson(SET))}\n`],
    [{ path: 'a/new/folder/out.txt', format: 'bed' }, GENES],
    [{ path: 'out.gff' }, '##gff-version 3\n'],
  ])('%j', async (args, content) => {
    const { path } = args as { path: string };
    const told = (await write(args)) as { readonly bytes: number };
    const written = readFileSync(join(base, path));
    expect(written.toString()).toContain(content);
    const sha256 = createHash('sha256').update(written).digest('hex');
    expect(told).toMatchObject({ path, records: 2, bytes: written.length, sha256 });
    expect(readdirSync(join(base, path, '..'))).toEqual([path.split('/').at(-1)]);
  });

  test('the same again touches nothing, and answers the same', async () => {
    const first = await write({ path: 'out.bed' });
    const { ino, mtimeNs } = statSync(join(base, 'out.bed'), { bigint: true });
    expect(await write({ path: './out.bed' })).toEqual(first);
    expect(statSync(join(base, 'out.bed'), { bigint: true })).toMatchObject({ ino, mtimeNs });
  });

  test('something else is never lost unless the plan says so', async () => {
    put('out.bed', 'dear to somebody\n');
    await expect(write({ path: 'out.bed' })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(/"out\.bed": it is there already and holds something else; .*"replace": true/),
    });
    expect(readFileSync(join(base, 'out.bed'), 'utf8')).toBe('dear to somebody\n');
    expect(readdirSync(base)).toEqual(['out.bed']);
    await write({ path: 'out.bed', replace: true });
    expect(readFileSync(join(base, 'out.bed'), 'utf8')).toBe(GENES);
  });

  test('what an attempt that died left beside the file is taken away by the next', async () => {
    const unique = createHash('sha256').update('k').digest('hex').slice(0, 12);
    put(`.out.bed.${unique}.tmp`, 'half');
    linkSync(join(base, `.out.bed.${unique}.tmp`), join(top, 'other'));
    await write({ path: 'out.bed' });
    expect(readdirSync(base)).toEqual(['out.bed']);
    expect(readFileSync(join(top, 'other'), 'utf8')).toBe('half');
  });

  test.each<[string, () => unknown, object, Result | ResultSet, RegExp]>([
    [
      'a link',
      () => symlinkSync(outside(), join(base, 'out.bed')),
      { path: 'out.bed', replace: true },
      SET,
      /a link is there/,
    ],
    ['a folder', () => mkdirSync(join(base, 'out.bed')), { path: 'out.bed' }, SET, /a folder is there/],
    [
      'a pipe',
      () => execFileSync('mkfifo', [join(base, 'out.bed')]),
      { path: 'out.bed', replace: true },
      SET,
      /a pipe or a device/,
    ],
    [
      'a folder that leads out',
      () => symlinkSync(top, join(base, 'up')),
      { path: 'up/out.bed' },
      SET,
      /a link leads out/,
    ],
    ['a file as folder', () => put('x.bed', GENES), { path: 'x.bed/out.bed' }, SET, /no folder/],
    [
      'a text',
      () => 0,
      { path: 'out.bed' },
      { kind: 'text', text: 'x' },
      /its input "input" is a text; what is written is a set/,
    ],
    ['a set without places', () => 0, { path: 'out.bed' }, createSet([{ id: 'a' }]), /"a" has no place/],
  ])('%s is refused, and nothing is written', async (_, prepare, args, input, message) => {
    prepare();
    const before = readdirSync(top, { recursive: true });
    await expect(write(args, input)).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(message),
    });
    expect(readdirSync(top, { recursive: true })).toEqual(before);
  });

  test.each<[object, RegExp]>([
    [{ path: 'out' }, /its ending names no format; end it in \.bed, \.gff3, \.tsv, \.json, or give format/],
    [{ path: 'out.bed', format: 'tsv' }, /its ending says bed, and format says tsv/],
    [{ path: 'out.bed.gz' }, /files are written plain/],
  ])('%j does not fit where the plan is compiled', (args, message) => {
    const plan = { task: 't', capability: 'records.write', arguments: args };
    const compiled = compilePlan({ goal: 'g', plan }, { catalogue: createRegistry([], { files: { base } }) });
    expect(compiled.ok ? [] : compiled.issues.map((issue) => issue.message)).toEqual([expect.stringMatching(message)]);
  });

  test('one set is written, no more and no less', async () => {
    const one = capability('records.write');
    const input: Result = { kind: 'set', set: SET };
    for (const inputs of [{}, { a: input, b: input }]) {
      await expect(carryOut(one as never, { path: 'out.bed' }, { inputs })).rejects.toThrow(
        /the one set that it stands on, and has [02] inputs/,
      );
    }
  });

  test('of those who write one file, however it is spelt, one is at work at a time', () => {
    const registry = createRegistry([], { files: { base } });
    const executor = registry.executor('capability', 'records.write')!;
    const resourceOf = (path: string) => registry.resourceOf!(executor, { path }, true);
    const own = { ok: true, resource: 'file:out/x.bed' };
    for (const path of ['out/x.bed', './out//x.bed', join(base, 'out/x.bed')]) expect(resourceOf(path)).toEqual(own);
    expect(resourceOf('my é.bed')).toEqual({ ok: true, resource: 'file:my%20%C3%A9.bed' });
    expect(resourceOf(`${'x'.repeat(300)}.bed`)).toMatchObject({
      resource: expect.stringMatching(/^file:sha256:[0-9a-f]{64}$/),
    });
  });
});

test('what is read and written is the same', async () => {
  put('genes.bed', GENES);
  const set = await read({ path: 'genes.bed' });
  await write({ path: 'out.gff3' }, set);
  expect([...records(await read({ path: 'out.gff3' }))]).toEqual([...records(set)]);
});

test('the examples of the guides fit', () => {
  for (const name of ['records.file', 'records.write']) {
    const one = capability(name);
    const examples = examplesOf(one);
    expect(examples.length).toBeGreaterThan(0);
    for (const args of examples) expect(one.input.safeParse(args).error).toBeUndefined();
  }
});
