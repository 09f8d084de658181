/** `searchText`: finds pages of a folder by their words. */

import { resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, quote } from '../../../plan/text/index.ts';
import type { JsonValue } from '../../../plan/index.ts';
import { CapabilityError } from '../../index.ts';
import { defineCapability, type WorkCapability } from '../../index.ts';
import { listPages, type PageList, type Skipped } from './list-pages.ts';
import { buildIndex, FIELDS, type PageIndex } from './page-index.ts';

/** The options of `searchText`: the folder that it searches, and the name and sentence by which plans choose it. */
export interface SearchTextOptions {
  /** The folder of the pages; a relative path is one from the folder in which the process runs. */
  readonly folder: string;
  /** The name of the capability, for a project that searches several folders. Default `searchText`. */
  readonly name?: string;
  /** One sentence to choose by. Default: that it searches the pages of the project. */
  readonly description?: string;
  /** Default `.md`, `.txt`, `.html`. Other pages than HTML are read as lines of UTF-8 text. */
  readonly extensions?: readonly string[];
}

const EXTENSIONS = ['.md', '.txt', '.html'];
const MAX_QUERY = 500;
const DEFAULT_HITS = 5;
const MAX_HITS = 50;
/** Files that an answer names of those that were left out; the others are counted. */
const SKIPPED_NAMED = 10;

const input = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY)
    .refine((query) => /[\p{L}\p{N}]/u.test(query), 'expected at least one word'),
  limit: z.int().min(1).max(MAX_HITS).default(DEFAULT_HITS),
  fields: z
    .array(z.enum(FIELDS))
    .min(1)
    .default([...FIELDS]),
});

/**
 * A capability that answers `{ hits: [{ id, title, score, snippet, file, line }], total, skipped? }` for `{ query, limit?,
 * fields? }`: at most `limit` (5, at most 50) of `total` pages that have any of the words, the best first; `skipped` says which
 * files could not be read, and why. The index is in memory; it is built at the first search, and anew when a file has changed.
 * A folder that is missing or has no pages fails with `CRITICAL`.
 * @throws TypeError when the options do not fit.
 * @example defineConfig({ capabilities: [searchText({ folder: 'handbook' })] });
 */
export function searchText(options: SearchTextOptions): WorkCapability<typeof input, 'value'> {
  const { folder, name = 'searchText', extensions = EXTENSIONS } = options;
  if (typeof folder !== 'string' || folder === '')
    throw new TypeError(`${name}: folder is the path of a folder of pages`);
  const stray = extensions.find((one) => !/^\.[a-z0-9]+$/.test(one));
  if (stray !== undefined || extensions.length === 0) {
    throw new TypeError(`${name}: extensions are a list such as [".md", ".txt"], in small letters`);
  }
  const indexOf = keptIndex();
  return defineCapability({
    name,
    description:
      options.description ?? 'Searches the pages of the project by words, and gives the places that say most.',
    guide: {
      when: 'Something may stand in the pages of the project; look there before asking anybody.',
      examples: [`${name} { "query": "opening hours pump station", "limit": 3 }`],
    },
    input,
    output: 'value',
    effect: 'read',
    usesGoal: false,
    reads: ['pages of the project'],
    async execute({ arguments: { query, limit, fields }, signal }) {
      const index = await indexOf(await pagesIn(folder, extensions, name));
      signal.throwIfAborted();
      if (index.size === 0) throw unreadable(name, folder, index.skipped);
      const { hits, total } = index.search(query, limit, fields);
      const { skipped } = index;
      const told = { count: skipped.length, files: skipped.slice(0, SKIPPED_NAMED) };
      return { hits, total, ...(skipped.length > 0 && { skipped: told }) } as unknown as JsonValue;
    },
  });
}

/** The index of the folder as it is: kept until a file of it comes, goes or changes. */
function keptIndex(): (list: PageList) => Promise<PageIndex> {
  let kept: { readonly state: string; readonly index: Promise<PageIndex> } | undefined;
  return async (list) => {
    const state = JSON.stringify(list);
    // A search that comes while the index is being built waits for the same one.
    if (kept?.state !== state) kept = { state, index: buildIndex(list) };
    const { index } = kept;
    try {
      return await index;
    } catch (error) {
      if (kept.index === index) kept = undefined;
      throw error;
    }
  };
}

async function pagesIn(folder: string, extensions: readonly string[], name: string): Promise<PageList> {
  const listed = await listPages(resolve(folder), extensions).catch((error: unknown) => {
    const why =
      (error as { code?: unknown }).code === 'ENOENT' ? 'is not there' : `cannot be read (${messageOf(error)})`;
    const message = `${name}: the folder ${quote(folder)} ${why}; make it, or name another one as folder in the config`;
    throw new CapabilityError('CRITICAL', message, { cause: error });
  });
  if (listed.pages.length === 0 && listed.skipped.length === 0) {
    const what = extensions.join(', ');
    throw new CapabilityError('CRITICAL', `${name}: the folder ${quote(folder)} has no page (${what}); put some there`);
  }
  return listed;
}

function unreadable(name: string, folder: string, [first]: readonly Skipped[]): CapabilityError {
  const why = first === undefined ? '' : `: ${quote(first.file)}, since ${first.why}`;
  return new CapabilityError('CRITICAL', `${name}: no page of the folder ${quote(folder)} can be searched${why}`);
}
