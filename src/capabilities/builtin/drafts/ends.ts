/** The ends of the runs of a conversation, and the results that later plans may name. */

import type { ConversationRun } from '../../../protocol/index.ts';
import type { ResultStore } from '../../../store/index.ts';
import type { DraftAnswer } from './draft-error.ts';
import type { SaveOptions } from './drafts.ts';
import { readWhole, writeContents } from './entry-contents.ts';
import type { Ended, NamedResult } from './entry.ts';
import { append, type Appended } from './journal.ts';
import type { Problems } from './read-fields.ts';
import { authorOf, invalidEntry, keyOf, type Setting } from './setting.ts';
import type { JournalEntry } from './stored-entry.ts';

export async function saveEnd(
  setting: Setting,
  conversation: string,
  { workflowId, outcome, goal, results, left }: ConversationRun,
  { by, idempotencyKey }: SaveOptions = {},
): Promise<DraftAnswer<Extract<Appended, { ok: true }>>> {
  const problems: Problems = [];
  const author = authorOf(setting, conversation, by, problems);
  const key = keyOf(setting, 'ended', idempotencyKey, problems);
  if (problems.length > 0) return invalidEntry(problems);
  const content = await writeContents(setting.store, { results, left }, problems);
  if (content === undefined) return invalidEntry(problems);
  return append(setting.store, { kind: 'ended', id: workflowId, ...author, workflowId, outcome, goal, key, content });
}

/**
 * In the order in which they were made. If two have one key the last counts, whatever run it is of (Osprey: context
 * reuse); the result of a run without keys is named after its entry.
 */
export async function namedResults(
  store: ResultStore,
  entries: readonly JournalEntry[],
): Promise<readonly NamedResult[]> {
  const ends = entries.filter(({ entry }) => entry.kind === 'ended');
  const read = await Promise.all(ends.map((one) => readWhole(store, one) as Promise<Ended>));
  const byKey = new Map<string, NamedResult>();
  for (const { number, workflowId, results } of read) {
    for (const result of results) {
      const { key = `run_${number}` } = result;
      byKey.delete(key);
      byKey.set(key, { ...result, key, workflowId });
    }
  }
  return [...byKey.values()];
}
