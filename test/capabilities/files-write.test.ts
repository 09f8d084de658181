/** `records.write`: what it writes, what it leaves alone, and what it refuses. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSet, type ResultSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { openFolders } from '../../src/capabilities/builtin/files/allowed-folders.ts';
import { writeWhole } from '../../src/capabilities/builtin/files/whole-files.ts';
import { compilePlan } from '../../src/plan/index.ts';
import { toResultJson, type Result } from '../../src/store/index.ts';
import { carryOut } from './carry-out.ts';
import { base, capability, GENES, outside, put, read, SET, top, unchecked, useFolders, write } from './files-rig.ts';

useFolders();

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
    const dear = 'chr1\t0\t5\tdear\n';
    put('out.bed', dear);
    await expect(write({ path: 'out.bed' })).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringMatching(/"out\.bed": it is there already and holds something else; .*"replace": true/),
    });
    expect(readFileSync(join(base, 'out.bed'), 'utf8')).toBe(dear);
    expect(readdirSync(base)).toEqual(['out.bed']);
    await write({ path: 'out.bed', replace: true });
    expect(readFileSync(join(base, 'out.bed'), 'utf8')).toBe(GENES);
  });

  describe('"replace" loses records, and nothing else', () => {
    const json = `${JSON.stringify(toResultJson(SET))}\n`;
    test.each<[string, string, object]>([
      ['package.json', '{"name":"own","version":"1.0.0"}', {}],
      ['set.json', '[]', {}],
      ['large.json', `{"padding":"${' '.repeat(9_000_000)}"}`, {}],
      ['own.bed', 'not of this format\n', {}],
      ['own.tsv', 'name\tvalue\na\t1\n', {}],
      ['run.sh', '#!/bin/sh\n', { format: 'tsv' }],
      ['requirements.txt', 'numpy\n', { format: 'tsv' }],
      ['Makefile', 'all:\n\ttrue\n', { format: 'bed' }],
      ['binary.bed', '\u{0}\u{1}\u{2}', {}],
    ])('%s stays', async (path, content, more) => {
      put(path, content);
      await expect(write({ path, replace: true, ...more })).rejects.toMatchObject({
        errorClass: 'REPLANNING',
        message: expect.stringMatching(/what is there is no file of records .*, and stays; name another file/),
      });
      expect(readFileSync(join(base, path), 'utf8')).toBe(content);
      expect(readdirSync(base)).toEqual([path]);
    });

    test.each<[string, string, object]>([
      ['a.bed', 'chr1\t0\t5\n', {}],
      ['a.bed', '', {}],
      ['a.json', json, {}],
      ['a.json', `${json.slice(0, -3)}${' '.repeat(9_000_000)}]}`, {}],
      ['a.tsv', 'id\tsequence\tstart\tstop\tstrand\tmatches\n', {}],
      ['a.gff3', '##gff-version 3\n', {}],
      ['a.out', GENES, { format: 'tsv' }],
    ])('%s of records is replaced', async (path, content, more) => {
      put(path, content);
      expect(await write({ path, replace: true, ...more })).toMatchObject({ path, records: 2 });
    });
  });

  describe('what is installed, and the store, is not for plans', () => {
    const except = ['results'];
    test.each(['node_modules/own/x.json', 'in/Node_Modules/x.bed', 'results/x.bed', './a/../results/runs/x.json'])(
      '%s',
      async (path) => {
        const error = { errorClass: 'REPLANNING', message: expect.stringMatching(/node_modules and the result store/) };
        await expect(unchecked('records.write', { path, format: 'bed' }, { except })).rejects.toMatchObject(error);
        await expect(unchecked('records.file', { path }, { except })).rejects.toMatchObject(error);
        expect(readdirSync(base)).toEqual([]);
      },
    );

    test.each(['node_modules/own', 'results', 'elsewhere'])('a link to %s', async (folder) => {
      put(`${folder}/x.bed`, GENES);
      symlinkSync(join(base, folder), join(base, 'in'));
      // The store may be reached by a link itself.
      symlinkSync(join(base, 'elsewhere'), join(base, 'store'));
      const options = { except: [...except, 'store'] };
      for (const name of ['records.write', 'records.file']) {
        const args = { path: 'in/x.bed', replace: true };
        await expect(unchecked(name, args, options)).rejects.toThrow(
          /a link leads .* or to a hidden file, an installed package or the store/,
        );
      }
      expect(readdirSync(join(base, folder))).toEqual(['x.bed']);
    });

    test('a folder of packages is, where the project names it', async () => {
      put('node_modules/own/tracks/x.bed', GENES);
      expect(
        (await read({ path: 'node_modules/own/tracks/x.bed' }, { folders: ['node_modules/own/tracks'] })).ids,
      ).toEqual([...SET.ids]);
    });
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

  test('a folder that has become a link since it was looked at is not written to', async () => {
    put('in/other.bed', GENES);
    const real = await openFolders({ base }).place('in/out.bed');
    mkdirSync(join(top, 'elsewhere'));
    renameSync(join(base, 'in'), join(base, 'aside'));
    symlinkSync(join(top, 'elsewhere'), join(base, 'in'));
    const options = {
      path: 'in/out.bed',
      checkReplaced: async () => {},
      signal: new AbortController().signal,
      unique: 'a'.repeat(64),
    };
    await expect(writeWhole(real, ['secret\n'], options)).rejects.toMatchObject({
      errorClass: 'RETRIABLE',
      message: expect.stringMatching(/a folder of its path was put elsewhere/),
    });
    expect(readdirSync(join(top, 'elsewhere'))).toEqual([]);
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
    expect(resourceOf('my E\u0301.bed')).toEqual(resourceOf('my é.bed'));
    expect(resourceOf(`${'x'.repeat(300)}.bed`)).toMatchObject({
      resource: expect.stringMatching(/^file:sha256:[0-9a-f]{64}$/),
    });
    expect(resourceOf(`${'X'.repeat(300)}.bed`)).toEqual(resourceOf(`${'x'.repeat(300)}.bed`));
    mkdirSync(join(base, 'out'));
    symlinkSync(join(base, 'out'), join(base, 'other'));
    expect(resourceOf('other/x.bed')).toEqual(own);
    symlinkSync(outside(), join(base, 'link.bed'));
    const { sourceOf } = openFolders({ base, folders: ['.', top] });
    expect([sourceOf?.('link.bed'), sourceOf?.('other/x.bed')]).toEqual(['file from outside the project', undefined]);
  });
});
