/**
 * The entries of a conversation, under `entries/<n>` in the store. Entries are only added. If two writers try the same
 * number, one succeeds and the other takes the next.
 */

import { jsonIn, listNames, quoteId } from '../../../plan/text/index.ts';
import { FILE_LIMITS } from '../../../plan/index.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { inParallel, refOfBytes, StoreError, type ResultStore } from '../../../store/index.ts';
import { DraftError, ENTRY_KINDS, type Draft, type FullEntry, type NamedResult } from './drafts.ts';

export interface JournalEntry<Kind extends FullEntry = FullEntry> {
  /** The reference of the entry's bytes. Entries always differ in their bytes, since their keys differ. */
  readonly ref: string;
  readonly key: string;
  readonly entry: Kind;
}

export type Journal = readonly JournalEntry[];

const FORMAT = 'planwright-entry/2';
const ENTRIES = 'entries/';
const READS_AT_ONCE = 32;

export async function readJournal(store: ResultStore, conversation: string, earlier: Journal = []): Promise<Journal> {
  const { length } = await store.names(ENTRIES);
  const numbers = Array.from({ length: Math.max(0, length - earlier.length) }, (_, at) => earlier.length + at + 1);
  const added = await inParallel(READS_AT_ONCE, numbers, async (number) =>
    readEntry((await store.entry(`${ENTRIES}${number}`)) ?? new Uint8Array(), number, conversation, store.place),
  );
  return [...earlier, ...added];
}

function readEntry(bytes: Uint8Array, number: number, conversation: string, place: string): JournalEntry {
  const value = jsonIn(bytes);
  if (isRecord(value) && value['format'] === FORMAT && value['conversation'] === conversation) {
    const { format: _, key, ...entry } = value as unknown as { format: string; key: string } & FullEntry;
    if (entry.number === number && ENTRY_KINDS.includes(entry.kind)) return { ref: refOfBytes(bytes), key, entry };
  }
  const expected = `expected a JSON object whose format is "${FORMAT}", of a kind that is known`;
  const what = `${ENTRIES}${number} in the store at ${place}`;
  throw new StoreError('corrupt', `${what} is no entry of conversation ${JSON.stringify(conversation)}: ${expected}.`);
}

/**
 * Appends an entry. `entryOf` gets all earlier entries and may reject the new one. If another writer was faster,
 * `entryOf` is called again. Entries with the same key are appended once.
 */
export async function appendEntry(
  store: ResultStore,
  conversation: string,
  key: string,
  entryOf: (earlier: Journal) => object,
): Promise<{ readonly entry: FullEntry; readonly repeated: boolean }> {
  for (let earlier: Journal = []; ;) {
    earlier = await readJournal(store, conversation, earlier);
    const same = earlier.find((entry) => entry.key === key);
    if (same !== undefined) return { entry: same.entry, repeated: true };
    const number = earlier.length + 1;
    const bytes = Buffer.from(`${JSON.stringify({ format: FORMAT, key, number, ...entryOf(earlier) })}\n`, 'utf8');
    if (bytes.length > FILE_LIMITS.bytes) {
      const size = `it has ${bytes.length} bytes in all, expected at most ${FILE_LIMITS.bytes}`;
      throw new DraftError('invalid-entry', `Nothing was done: ${size}.`);
    }
    if (!bytes.equals(await store.enter(`${ENTRIES}${number}`, bytes))) continue;
    return { entry: readEntry(bytes, number, conversation, store.place).entry, repeated: false };
  }
}

export function revisionsOf(journal: Journal, draft: string | undefined): readonly JournalEntry<Draft>[] {
  return journal.filter((found): found is JournalEntry<Draft> => isDraft(found) && found.entry.id === draft);
}

function isDraft({ entry }: JournalEntry): boolean {
  return entry.kind === 'draft';
}

/** Finds a revision of a draft, by default the latest revision of the draft that was saved last. */
export function findDraft(
  journal: Journal,
  conversation: string,
  id = journal.findLast(isDraft)?.entry.id,
  revision?: number,
): JournalEntry<Draft> {
  const revisions = revisionsOf(journal, id);
  if (revisions.length === 0) throw missing('draft', id, journal, conversation);
  const found = revision === undefined ? revisions.at(-1) : revisions[revision - 1];
  if (found !== undefined) return found;
  const message = `Draft ${quoteId(id!)} has revisions 1 to ${revisions.length}, and no revision ${describe(revision)}.`;
  throw new DraftError('draft-not-found', `${message} Name one of them.`);
}

/** Finds a draft, an artifact, a hand-off, or the end of a run; without an id the draft that was saved last. */
export function findEntry(journal: Journal, conversation: string, id?: string, revision?: number): FullEntry {
  const found = journal.findLast(({ entry }) => entry.id === id);
  if (id === undefined || revision !== undefined || (found !== undefined && isDraft(found)))
    return findDraft(journal, conversation, id, revision).entry;
  if (found === undefined) throw missing('artifact', id, journal, conversation);
  return found.entry;
}

function missing(kind: 'draft' | 'artifact', id: string | undefined, journal: Journal, conversation: string): Error {
  const ids = journal.filter(({ entry }) => entry.kind === kind).map(({ entry }) => entry.id);
  const what = id === undefined ? `no ${kind}` : `no ${kind} ${quoteId(id)}`;
  const next = ids.length === 0 ? `It has no ${kind} at all; save one first` : `It has ${listNames(ids.toReversed())}`;
  return new DraftError(`${kind}-not-found`, `Conversation ${quoteId(conversation)} has ${what}. ${next}.`);
}

/**
 * The results of a conversation's runs in the order of their creation. If runs share a key, the last result counts
 * (Osprey: context reuse).
 */
export function namedResults(journal: Journal): readonly NamedResult[] {
  const byKey = new Map<string, NamedResult>();
  for (const { entry } of journal) {
    for (const result of entry.kind === 'ended' ? entry.results : []) {
      const { key = `run_${entry.number}` } = result;
      byKey.delete(key);
      byKey.set(key, { ...result, key, workflowId: entry.id });
    }
  }
  return [...byKey.values()];
}
