/** `searchText`: what is found in a folder, what is left out, and when the index is made anew. */

import { mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { searchText, type SearchTextOptions } from '../../src/capabilities/builtin/index.ts';
import { listPages } from '../../src/capabilities/builtin/search-text/list-pages.ts';
import { buildIndex } from '../../src/capabilities/builtin/search-text/page-index.ts';
import { snippetOf } from '../../src/capabilities/builtin/search-text/snippet.ts';
import { carryOut, examplesOf } from './carry-out.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planwright-pages-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (file: string, text: string | Uint8Array) => writeFile(join(folder, file), text);

interface Answer {
  readonly hits: readonly { id: string; title: string; score: number; snippet: string; file: string; line: number }[];
  readonly total: number;
  readonly skipped?: { readonly count: number; readonly files: readonly { file: string; why: string }[] };
}

/** A search of its own, or one that goes on with a capability made before. */
async function search(query: string, over: { limit?: number; fields?: ('title' | 'text')[] } = {}, pages = given()) {
  return (await carryOut(pages, { query, ...over })) as unknown as Answer;
}

const given = (over: Partial<SearchTextOptions> = {}) => searchText({ folder, ...over });

describe('searchText', () => {
  test('finds pages of all three kinds, and says where', async () => {
    await mkdir(join(folder, 'sites'));
    await write('pumps.md', '# Pumps\n\nPump seven stands at the old mill.\nIt runs at night.\n');
    await write('hours.txt', 'Opening hours\n\nThe mill opens at nine.');
    await write('sites/mill.html', '<title>The mill</title>\n<p>Built by hand.</p>\n<p>Its wheel drives a pump.</p>');
    await write('other.csv', 'mill');
    await write('.hidden.md', 'mill');

    const { hits, total } = await search('mill');
    expect(total).toBe(3);
    expect(hits.map(({ file }) => file).toSorted()).toEqual(['hours.txt', 'pumps.md', 'sites/mill.html']);
    expect(hits.find(({ file }) => file === 'pumps.md')).toEqual({
      ...{ id: 'pumps.md:3', title: 'Pumps', file: 'pumps.md', line: 3, score: expect.any(Number) as number },
      snippet: 'Pump seven stands at the old mill.\nIt runs at night.',
    });
    expect(hits[0]).toMatchObject({ file: 'sites/mill.html', title: 'The mill' });
    expect((await search('wheel')).hits).toMatchObject([{ line: 3, snippet: 'Its wheel drives a pump.' }]);
  });

  test('puts pages with more of the words first, and those of one score in the order of their names', async () => {
    await write('b.md', 'red fox');
    await write('a.md', 'red fox');
    await write('c.md', 'red fox, night owl');
    const { hits } = await search('owl fox');
    expect(hits.map(({ file }) => file)).toEqual(['c.md', 'a.md', 'b.md']);
    expect(await search('owl fox')).toEqual(await search('owl fox'));
  });

  test('gives 5 hits, or as many as are asked for, and how many there are', async () => {
    for (let at = 0; at < 8; at++) await write(`${at}.txt`, 'heron');
    const pages = given();
    expect(await search('heron', {}, pages)).toMatchObject({ total: 8, hits: { length: 5 } });
    expect(await search('heron', { limit: 7 }, pages)).toMatchObject({ total: 8, hits: { length: 7 } });
    expect(await search('stork', {}, pages)).toEqual({ total: 0, hits: [] });
  });

  test('searches the fields that are named', async () => {
    await write('a.md', '# Heron\n\nA bird.');
    await write('b.md', '# Bird\n\nA heron.');
    expect((await search('heron', { fields: ['title'] })).hits.map(({ file }) => file)).toEqual(['a.md']);
    // The heading is a line of the text too.
    expect((await search('bird', { fields: ['text'] })).total).toBe(2);
  });

  test('finds the beginnings of longer words, whatever their case', async () => {
    await write('a.md', 'Irrigation of FIELDS');
    expect((await search('irrig field')).total).toBe(1);
    expect((await search('irr')).total).toBe(0);
  });

  test('leaves out what is no text, too large or a link, and says so', async () => {
    await write('a.md', 'heron');
    await write('binary.txt', new Uint8Array([104, 0, 105]));
    await write('latin.txt', new Uint8Array([104, 0xe9, 105]));
    await write('large.txt', '');
    await truncate(join(folder, 'large.txt'), 1_048_577);
    await symlink(join(folder, 'a.md'), join(folder, 'link.md'));
    const { total, skipped } = await search('heron');
    expect(total).toBe(1);
    expect(skipped?.count).toBe(4);
    expect(skipped?.files.toSorted((a, b) => (a.file < b.file ? -1 : 1))).toEqual([
      { file: 'binary.txt', why: 'it is no UTF-8 text' },
      { file: 'large.txt', why: 'it has 1048577 bytes, and at most 1048576 are read' },
      { file: 'latin.txt', why: 'it is no UTF-8 text' },
      { file: 'link.md', why: 'it is a link or a device, and no file' },
    ]);
  });

  test('leaves out what it may not read, and says so', async () => {
    await write('a.md', 'heron');
    const list = await listPages(folder, ['.md']);
    const gone = { ...list.pages[0]!, file: 'gone.md', path: join(folder, 'gone.md') };
    const { skipped, size } = await buildIndex({ ...list, pages: [...list.pages, gone] });
    expect({ skipped, size }).toEqual({ size: 1, skipped: [{ file: 'gone.md', why: 'it cannot be read (ENOENT)' }] });
  });

  test('names 10 of the files that were left out, and counts them all', async () => {
    await write('a.md', 'heron');
    for (let at = 0; at < 12; at++) await write(`${at}.txt`, new Uint8Array([0]));
    const { skipped } = await search('heron');
    expect(skipped).toMatchObject({ count: 12, files: { length: 10 } });
  });

  test('holds all files to a bound in all', async () => {
    for (let at = 10; at < 27; at++) {
      await write(`${at}.txt`, '');
      await truncate(join(folder, `${at}.txt`), 1_048_576);
    }
    await write('99.txt', 'heron');
    const pages = given();
    await expect(search('heron', {}, pages)).rejects.toThrow('no page of the folder');
    for (const file of ['10.txt', '11.txt']) await rm(join(folder, file));
    expect(await search('heron', {}, pages)).toMatchObject({ total: 1, skipped: { count: 15 } });
  });

  test('searches the files as they are: a new, a changed and a removed one', async () => {
    await write('a.md', 'heron');
    const pages = given();
    expect((await search('heron', {}, pages)).total).toBe(1);
    await write('b.md', 'heron');
    expect((await search('heron', {}, pages)).total).toBe(2);
    await write('a.md', 'stork');
    expect((await search('heron', {}, pages)).total).toBe(1);
    await rm(join(folder, 'b.md'));
    expect((await search('stork', {}, pages)).total).toBe(1);
  });

  test('keeps its index while nothing changes', async () => {
    const then = new Date(1_700_000_000_000);
    await write('a.md', 'heron');
    await utimes(join(folder, 'a.md'), then, then);
    const pages = given();
    await search('heron', {}, pages);
    // As long and as old as before: only an index that was made anew would know.
    await write('a.md', 'stork');
    await utimes(join(folder, 'a.md'), then, then);
    expect((await search('heron', {}, pages)).total).toBe(1);
    expect((await search('heron')).total).toBe(0);
  });

  test('of a folder that is missing or has no page fails with CRITICAL', async () => {
    await expect(search('a', {}, given({ folder: join(folder, 'away') }))).rejects.toMatchObject({
      errorClass: 'CRITICAL',
      message: expect.stringContaining('away" is not there; make it, or name another one as folder') as string,
    });
    await expect(search('a')).rejects.toMatchObject({
      errorClass: 'CRITICAL',
      message: expect.stringContaining('has no page (.md, .txt, .html)') as string,
    });
    await write('a.md', new Uint8Array([0]));
    await expect(search('a')).rejects.toThrow('can be searched: "a.md", since it is no UTF-8 text');
  });

  test.each([
    [{}],
    [{ query: '' }],
    [{ query: '?!' }],
    [{ query: 'a', limit: 51 }],
    [{ query: 'a', limit: 0 }],
    [{ query: 'a', fields: ['body'] }],
    [{ query: 'a'.repeat(501) }],
  ])('refuses %j', (args) => expect(given().input.safeParse(args).success).toBe(false));

  test('has a name, extensions and examples of its own', async () => {
    await write('a.rst', 'heron');
    const pages = given({ name: 'searchHandbook', extensions: ['.rst'] });
    expect(examplesOf(pages).map((args) => pages.input.safeParse(args).success)).toEqual([true]);
    expect((await search('heron', {}, pages)).hits).toMatchObject([{ file: 'a.rst', title: 'a.rst' }]);
    expect(() => given({ extensions: ['md'] })).toThrow('extensions are a list such as');
    expect(() => searchText({ folder: '' })).toThrow('folder is the path of a folder');
  });
});

describe('a snippet', () => {
  test('is the piece with most of the words, and what follows while there is room', () => {
    const pieces = ['a fox', 'an owl and a fox', 'x'.repeat(100), 'y'.repeat(200)].map((text, at) => ({
      text,
      line: at + 1,
    }));
    expect(snippetOf(pieces, ['owl', 'fox'])).toEqual({ text: `an owl and a fox\n${'x'.repeat(100)}`, line: 2 });
    expect(snippetOf(pieces, ['wolf'])).toMatchObject({ line: 1 });
    expect(snippetOf([], ['wolf'])).toEqual({ text: '', line: 1 });
  });

  test('of a long piece is what stands around the first word', () => {
    const { text } = snippetOf([{ text: `${'lorem '.repeat(100)}heron ${'ipsum '.repeat(100)}`, line: 1 }], ['heron']);
    expect(text).toMatch(/^…(lorem )+heron (ipsum )+.*…$/);
    expect(text.length).toBeLessThanOrEqual(241);
  });
});
