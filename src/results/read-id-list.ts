/** A text of ids, one a line, as a result set. */

import { createSetBuilder } from '../algebra/index.ts';
import { createIssueList, repeatNote } from './read-set.ts';
import type { ReadSet } from './read-set.ts';
import { textBytes, textLines } from './text-lines.ts';

/**
 * Space around an id and blank lines do not count; an id that comes twice is one record; a tab in a line is an issue.
 * @example readIdList('gene-2\ngene-1\n'); // a set of gene-1 and gene-2
 */
export function readIdList(content: string | Uint8Array): ReadSet {
  const read = textBytes(content);
  if (!read.ok) return read;
  const builder = createSetBuilder();
  const issues = createIssueList();
  let repeats = 0;
  for (const { line, text } of textLines(read)) {
    const id = text.trim();
    if (id === '') continue;
    if (id.includes('\t')) {
      issues.add(
        line,
        'This line has columns, and a list of ids has one id a line. Keep the id column alone, or give a BED file.',
      );
      continue;
    }
    const added = builder.add({ id });
    if (!added.ok) issues.add(line, added.message);
    else if (added.repeated) repeats += 1;
  }
  if (issues.count > 0) return { ok: false, issues: issues.list() };
  return { ok: true, set: builder.build(), notes: repeatNote(repeats, 'id') };
}
