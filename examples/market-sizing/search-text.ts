/** `searchText`: finds pages of a folder by their words. Copy it into a project that has pages to search. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import MiniSearch from 'minisearch';
import { CapabilityError, defineCapability, type WorkCapability } from 'planwright/capabilities';
import { z } from 'zod';

const EXTENSIONS = ['.md', '.txt'];
/** A megabyte is indexed in about a second, in which the process does nothing else. */
const MAX_FILE_BYTES = 1_048_576;
const MAX_ALL_BYTES = 16_777_216;
const MAX_HITS = 50;
/** Files that an answer names of those that were left out; the others are counted. */
const SKIPPED_NAMED = 10;
/** A word of so many letters also finds words that begin with it. */
const PREFIX_LETTERS = 4;
const MAX_SNIPPET = 240;

interface Page {
  readonly file: string;
  readonly title: string;
  /** The lines that are not blank, with their numbers from 1. */
  readonly lines: readonly { readonly text: string; readonly line: number }[];
}

interface PageIndex {
  readonly pages: ReadonlyMap<string, Page>;
  readonly words: MiniSearch<Page>;
  /** Each file that was left out, and why: one that is missing in silence would look like an answer. */
  readonly skipped: readonly { readonly file: string; readonly why: string }[];
}

const input = z.strictObject({
  query: z
    .string()
    .max(500)
    .refine((query) => /[\p{L}\p{N}]/u.test(query), 'expected at least one word'),
  limit: z.int().min(1).max(MAX_HITS).default(5),
});

/**
 * A capability that answers `{ hits: [{ id, title, score, snippet, file, line }], total, skipped? }` for `{ query, limit? }`: pages
 * that have any of the words, the best first. The index is in memory, and made anew when a file has changed.
 */
export function searchText(folder: string): WorkCapability<typeof input, 'value'> {
  let kept: { readonly state: string; readonly index: Promise<PageIndex> } | undefined;
  return defineCapability({
    name: 'searchText',
    description: 'Searches the pages of the project by words, and gives the places that say most.',
    guide: {
      when: 'Something may stand in the pages of the project; look there before asking anybody.',
      examples: ['searchText { "query": "opening hours pump station", "limit": 3 }'],
    },
    input,
    output: 'value',
    effect: 'read',
    usesGoal: false,
    reads: ['pages of the project'],
    async execute({ arguments: { query, limit }, signal }) {
      const files = await filesIn(folder);
      const state = JSON.stringify(files);
      // A search that comes while the index is being made waits for the same one.
      if (kept?.state !== state) kept = { state, index: indexOf(folder, files) };
      const { pages, words, skipped } = await kept.index;
      signal.throwIfAborted();
      if (pages.size === 0)
        throw new CapabilityError('CRITICAL', `searchText: the folder ${folder} has no page to read`);
      const found = words.search(query, { boost: { title: 2 }, prefix: (term) => term.length >= PREFIX_LETTERS });
      // Pages of one score stand in the order of their names, so that the same words give the same answer.
      found.sort((a, b) => b.score - a.score || (String(a.id) < String(b.id) ? -1 : 1));
      const hits = found.slice(0, limit).map(({ id, score, terms }) => {
        const { file, title, lines } = pages.get(String(id))!;
        const { text, line } = snippetOf(lines, terms);
        return { id: `${file}:${line}`, title, score: Number(score.toFixed(4)), snippet: text, file, line };
      });
      const told = { count: skipped.length, files: skipped.slice(0, SKIPPED_NAMED) };
      return { hits, total: found.length, ...(skipped.length > 0 && { skipped: told }) };
    },
  });
}

/** The pages below a folder in the order of their names, each with its size and the time of its last change. */
async function filesIn(folder: string): Promise<readonly { file: string; bytes: number; changedMs: number }[]> {
  const entries = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new CapabilityError('CRITICAL', `searchText: the folder ${folder} cannot be read`, { cause: error });
  });
  const files = entries.filter((file) => EXTENSIONS.includes(extname(file)) && !basename(file).startsWith('.'));
  return Promise.all(
    files.toSorted().map(async (file) => {
      const { size: bytes, mtimeMs: changedMs } = await stat(join(folder, file));
      return { file, bytes, changedMs };
    }),
  );
}

async function indexOf(folder: string, files: Awaited<ReturnType<typeof filesIn>>): Promise<PageIndex> {
  const pages = new Map<string, Page>();
  const skipped: { file: string; why: string }[] = [];
  const words = new MiniSearch<Page>({
    idField: 'file',
    fields: ['title', 'text'],
    extractField: (page, field) =>
      field === 'text' ? page.lines.map(({ text }) => text).join('\n') : page[field as 'file' | 'title'],
  });
  let all = 0;
  for (const { file, bytes } of files) {
    if (bytes > MAX_FILE_BYTES || all + bytes > MAX_ALL_BYTES) {
      skipped.push({ file, why: `at most ${MAX_FILE_BYTES} bytes of a file are read, and ${MAX_ALL_BYTES} of all` });
      continue;
    }
    all += bytes;
    const text = await readFile(join(folder, file), 'utf8');
    const lines = text.split(/\r\n?|\n/).map((line, at) => ({ text: line.replace(/\s+/g, ' ').trim(), line: at + 1 }));
    const [, title = basename(file)] = /^#{1,6}\s+(.*?)\s*#*$/m.exec(text) ?? [];
    const page = { file, title, lines: lines.filter((line) => line.text !== '') };
    pages.set(file, page);
    words.add(page);
  }
  return { pages, words, skipped };
}

/** The line with most of the words, the first of equals, and the lines after it while there is room. */
function snippetOf(lines: Page['lines'], terms: readonly string[]): Page['lines'][number] {
  let best = 0;
  let most = 0;
  for (const [at, { text }] of lines.entries()) {
    const lower = text.toLowerCase();
    const found = terms.filter((term) => lower.includes(term)).length;
    if (found > most) [best, most] = [at, found];
  }
  const { text: first = '', line = 1 } = lines[best] ?? {};
  let text = first.length > MAX_SNIPPET ? `${first.slice(0, MAX_SNIPPET)}…` : first;
  for (const { text: next } of lines.slice(best + 1)) {
    if (text.length + next.length >= MAX_SNIPPET) break;
    text += `\n${next}`;
  }
  return { text, line };
}
