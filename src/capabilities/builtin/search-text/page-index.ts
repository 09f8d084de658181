/** An index of pages in memory: built from files, asked with words. */

import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { textOfBytes } from '../../../plan/text/index.ts';
import { readHtml, readLines, type PagePiece } from '../page-text.ts';
import { snippetOf } from './snippet.ts';
import type { PageFile, PageList, Skipped } from './list-pages.ts';

export const FIELDS = ['title', 'text'] as const;
export type Field = (typeof FIELDS)[number];

export interface Hit {
  /** `file:line`. */
  readonly id: string;
  readonly title: string;
  /** BM25+; to be compared within one answer only. */
  readonly score: number;
  readonly snippet: string;
  readonly file: string;
  /** The line of the snippet, from 1. */
  readonly line: number;
}

export interface PageIndex {
  readonly size: number;
  readonly skipped: readonly Skipped[];
  search(
    query: string,
    limit: number,
    fields: readonly Field[],
  ): { readonly hits: readonly Hit[]; readonly total: number };
}

interface Page {
  readonly file: string;
  readonly title: string;
  readonly pieces: readonly PagePiece[];
}

/** A word of so many letters also finds words that begin with it. */
const PREFIX_LETTERS = 4;
const TITLE_WEIGHT = 2;
const SCORE_DIGITS = 4;

export async function buildIndex({ pages: files, skipped: left }: PageList): Promise<PageIndex> {
  // Loaded when it is first needed: most programs that know the capability never search.
  const { default: MiniSearch } = await import('minisearch');
  const skipped = [...left];
  const pages = new Map<string, Page>();
  const index = new MiniSearch<Page>({
    idField: 'file',
    fields: [...FIELDS],
    extractField: (page, field) =>
      field === 'text' ? page.pieces.map(({ text }) => text).join('\n') : page[field as 'file' | 'title'],
  });
  for (const file of files) {
    const page = await readPage(file);
    if ('why' in page) {
      skipped.push(page);
      continue;
    }
    pages.set(page.file, page);
    index.add(page);
    // A megabyte takes about a second, in which the process does nothing else.
    await setImmediate();
  }
  return {
    size: pages.size,
    skipped,
    search(query, limit, fields) {
      const found = index.search(query, {
        fields: [...fields],
        boost: { title: TITLE_WEIGHT },
        prefix: (term) => term.length >= PREFIX_LETTERS,
      });
      // Pages of one score stand in the order of their names, so that the same words give the same answer.
      found.sort((a, b) => b.score - a.score || (String(a.id) < String(b.id) ? -1 : 1));
      const hits = found.slice(0, limit).map(({ id, score, terms }) => {
        const { file, title, pieces } = pages.get(String(id))!;
        const { text, line } = snippetOf(pieces, terms);
        return { id: `${file}:${line}`, title, score: Number(score.toFixed(SCORE_DIGITS)), snippet: text, file, line };
      });
      return { hits, total: found.length };
    },
  };
}

async function readPage({ file, path }: PageFile): Promise<Page | Skipped> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
  if (bytes instanceof Error) return { file, why: `it cannot be read (${bytes.code})` };
  // A byte order mark stays in the text: it is white space, and no part of a page.
  const text = bytes.includes(0) ? undefined : textOfBytes(bytes);
  if (text === undefined) return { file, why: 'it is no UTF-8 text' };
  const isHtml = ['.html', '.htm', '.xhtml'].includes(extname(file).toLowerCase());
  const { title = basename(file), pieces } = isHtml ? readHtml(text) : readLines(text);
  return { file, title, pieces };
}
