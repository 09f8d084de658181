/** The entries of a conversation, one a row. */

import type { DraftEntry, Entry } from '../../builtin/drafts/index.ts';
import { oneLine } from '../../language/text/index.ts';
import type { Output } from '../terminal/index.ts';
import { table } from './table.ts';

/** `name` is what the entries are, such as `drafts`. */
export function printEntries(entries: readonly Entry[], name: string, output: Output): void {
  output.print(
    { ok: true, [name]: entries },
    () => (entries.length === 0 ? `no ${name}` : table(entries.map(rowOf))),
    () => entries,
  );
}

export function entryName({ id, revision, number }: Pick<DraftEntry, 'id' | 'revision' | 'number'>): string {
  return `revision ${revision} of ${oneLine(id)}, entry ${number}`;
}

function rowOf(entry: Entry): readonly string[] {
  return [`${entry.number}`, entry.createdAt, entry.by ?? '', entry.kind, entry.id, wordsOf(entry)];
}

function wordsOf(entry: Entry): string {
  switch (entry.kind) {
    case 'artifact':
      return entry.title;
    case 'draft': {
      const state = entry.digest?.slice(0, 8) ?? `${entry.errors} error${entry.errors === 1 ? '' : 's'}`;
      return `revision ${entry.revision}  ${state}  ${entry.goal}`;
    }
    case 'handed-off':
      return `revision ${entry.revision} of ${entry.draft}  ${entry.digest.slice(0, 8)}`;
    case 'ended':
      return `${entry.outcome}  ${entry.goal}`;
  }
}
