/**
 * The entries of a conversation in the result store. An entry is a content-addressed object; its place is a name that
 * can be bound once: `conversation/<id>/<n>`. Names are bound in order and without gaps, so that readers read 1, 2, 3
 * until a name is free, and of two writers one takes the number and the other the next.
 */

import type { ResultStore } from '../../../store/index.ts';
import type { DraftRefusal } from './draft-error.ts';
import { decodeEntry, encodeEntry, placeEntry, type JournalEntry, type StoredEntry } from './stored-entry.ts';

export type Appended =
  | {
      readonly ok: true;
      readonly at: JournalEntry;
      /** An entry of the same key was there before; nothing was written. */
      readonly repeated: boolean;
    }
  | DraftRefusal;

/** Names looked up at once. */
const BATCH = 32;

/** @throws StoreError when the store cannot be read or holds something else under these names. */
export async function readJournal(store: ResultStore, conversation: string): Promise<readonly JournalEntry[]> {
  return readOn(store, conversation, []);
}

/**
 * Appends an entry. `check` sees everything that stands before it and may refuse; it is asked again whenever another
 * writer was faster. An entry of the same key is not appended twice, however many attempts run at once: each of them
 * has read every number below the one it takes.
 */
export async function append(
  store: ResultStore,
  stored: StoredEntry,
  check: (earlier: readonly JournalEntry[]) => DraftRefusal | undefined = () => undefined,
): Promise<Appended> {
  const { conversation } = stored;
  let earlier = await readJournal(store, conversation);
  let ref: string | undefined;
  for (;;) {
    const same = earlier.find((one) => one.stored.key === stored.key);
    if (same !== undefined) return { ok: true, at: same, repeated: true };
    const refusal = check(earlier);
    if (refusal !== undefined) return refusal;
    ref ??= await store.put(encodeEntry(stored));
    const bound = await store.bind(nameOf(conversation, earlier.length + 1), ref);
    if (bound === ref) return { ok: true, at: { ref, stored, entry: placeEntry(stored, earlier) }, repeated: false };
    earlier = await readOn(store, conversation, await withEntries(store, conversation, earlier, [bound]));
  }
}

async function readOn(
  store: ResultStore,
  conversation: string,
  known: readonly JournalEntry[],
): Promise<readonly JournalEntry[]> {
  let entries = known;
  for (;;) {
    const numbers = Array.from({ length: BATCH }, (_, index) => entries.length + 1 + index);
    const refs = await Promise.all(numbers.map((number) => store.bound(nameOf(conversation, number))));
    const free = refs.indexOf(undefined);
    const taken = refs.slice(0, free === -1 ? BATCH : free) as string[];
    entries = await withEntries(store, conversation, entries, taken);
    if (free !== -1) return entries;
  }
}

/** The entries behind these references, after those that stand before them. */
async function withEntries(
  store: ResultStore,
  conversation: string,
  known: readonly JournalEntry[],
  refs: readonly string[],
): Promise<readonly JournalEntry[]> {
  const entries = [...known];
  const read = await Promise.all(
    refs.map(async (ref) => ({ ref, stored: decodeEntry(await store.get(ref), conversation, ref, store) })),
  );
  for (const { ref, stored } of read) entries.push({ ref, stored, entry: placeEntry(stored, entries) });
  return entries;
}

/** No two conversations share a name: the part after the last slash is the number. */
function nameOf(conversation: string, number: number): string {
  return `conversation/${conversation}/${number}`;
}
