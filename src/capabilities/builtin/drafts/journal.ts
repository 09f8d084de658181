/**
 * The entries of a conversation in its part of the store, under `entries/<n>`: a list that is only appended to. If two
 * writers want one number, one gets it and the other takes the next, so that there are no gaps.
 */

import { jsonIn, listNames, quoteId } from '../../../plan/text/index.ts';
import { FILE_LIMITS } from '../../../plan/index.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { refOfBytes, StoreError, type ResultStore } from '../../../store/index.ts';
import { ENTRY_KINDS, type Draft, type FullEntry, type NamedResult } from './entry.ts';
import { invalidEntry, draftRefusal } from './requests.ts';

export interface JournalEntry<Kind extends FullEntry = FullEntry> {
  /** Reference of its bytes. Two entries never have the same, since their keys differ. */
  readonly ref: string;
  /** A repeated request brings the key of the first. */
  readonly key: string;
  readonly entry: Kind;
}

const FORMAT = 'planwright-entry/2';
const ENTRIES = 'entries/';
const BATCH = 32;

export async function readEntries(
  store: ResultStore,
  conversation: string,
  earlier: readonly JournalEntry[] = [],
): Promise<readonly JournalEntry[]> {
  const entries = [...earlier];
  const { length } = await store.names(ENTRIES);
  while (entries.length < length) {
    const count = Math.min(BATCH, length - entries.length);
    const numbers = Array.from({ length: count }, (_, index) => entries.length + index + 1);
    const read = numbers.map(async (number) => {
      const bytes = (await store.entry(`${ENTRIES}${number}`)) ?? new Uint8Array();
      return readEntry(bytes, number, conversation, store.place);
    });
    entries.push(...(await Promise.all(read)));
  }
  return entries;
}

/** @throws StoreError `corrupt` if the bytes are not this entry of this conversation */
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
 * Appends an entry. `entryOf` sees all earlier entries and may refuse; it is called again if another writer was faster.
 * An entry of the same key is appended once, however many attempts run at the same time: each has read every number
 * below the one that it takes.
 */
export async function appendEntry(
  store: ResultStore,
  conversation: string,
  key: string,
  entryOf: (earlier: readonly JournalEntry[]) => object,
): Promise<{ readonly found: JournalEntry; readonly repeated: boolean }> {
  for (let earlier: readonly JournalEntry[] = []; ;) {
    earlier = await readEntries(store, conversation, earlier);
    const same = earlier.find((entry) => entry.key === key);
    if (same !== undefined) return { found: same, repeated: true };
    const number = earlier.length + 1;
    const bytes = Buffer.from(`${JSON.stringify({ format: FORMAT, key, number, ...entryOf(earlier) })}\n`, 'utf8');
    if (bytes.length > FILE_LIMITS.bytes) {
      throw invalidEntry([`it has ${bytes.length} bytes in all, expected at most ${FILE_LIMITS.bytes}`]);
    }
    const isAppended = bytes.equals(await store.enter(`${ENTRIES}${number}`, bytes));
    if (isAppended) return { found: readEntry(bytes, number, conversation, store.place), repeated: false };
  }
}

/** The revisions of a draft, in order and without gaps. */
export function revisionsOf(
  entries: readonly JournalEntry[],
  draft: string | undefined,
): readonly JournalEntry<Draft>[] {
  return entries.filter(
    (found): found is JournalEntry<Draft> => found.entry.kind === 'draft' && found.entry.id === draft,
  );
}

/** Without a name the draft that was saved last, without a revision its latest. */
export function findDraft(
  entries: readonly JournalEntry[],
  conversation: string,
  draft?: string,
  revision?: number,
): JournalEntry<Draft> {
  const id = draft ?? entries.findLast(({ entry }) => entry.kind === 'draft')?.entry.id;
  const revisions = revisionsOf(entries, id);
  if (revisions.length === 0) throw missing('draft', draft, entries, conversation);
  const found = revision === undefined ? revisions.at(-1) : revisions[revision - 1];
  if (found !== undefined) return found;
  const message = `Draft ${quoteId(id!)} has revisions 1 to ${revisions.length}, and no revision ${describe(revision)}.`;
  throw draftRefusal('draft-not-found', `${message} Name one of them.`);
}

/** A draft, an artifact, a hand-off, or the end of a run; without an id the draft that was saved last. */
export function findEntry(
  entries: readonly JournalEntry[],
  conversation: string,
  id?: string,
  revision?: number,
): JournalEntry {
  const isDraft = id === undefined || revision !== undefined || revisionsOf(entries, id).length > 0;
  if (isDraft) return findDraft(entries, conversation, id, revision);
  const found = entries.findLast(({ entry }) => entry.id === id);
  if (found === undefined) throw missing('artifact', id, entries, conversation);
  return found;
}

function missing(
  kind: 'draft' | 'artifact',
  id: string | undefined,
  entries: readonly JournalEntry[],
  conversation: string,
): Error {
  const ids = entries.filter(({ entry }) => entry.kind === kind).map(({ entry }) => entry.id);
  const what = id === undefined ? `no ${kind}` : `no ${kind} ${quoteId(id)}`;
  const next = ids.length === 0 ? `It has no ${kind} at all; save one first` : `It has ${listNames(ids.toReversed())}`;
  return draftRefusal(`${kind}-not-found`, `Conversation ${quoteId(conversation)} has ${what}. ${next}.`);
}

/**
 * The results that the runs of a conversation have left, in the order in which they were made. If two have one key the
 * last counts, whatever run it is of (Osprey: context reuse). The result of a run without keys is named after its entry.
 */
export function namedResults(entries: readonly JournalEntry[]): readonly NamedResult[] {
  const byKey = new Map<string, NamedResult>();
  for (const { entry } of entries) {
    if (entry.kind !== 'ended') continue;
    for (const result of entry.results) {
      const { key = `run_${entry.number}` } = result;
      byKey.delete(key);
      byKey.set(key, { ...result, key, workflowId: entry.workflowId });
    }
  }
  return [...byKey.values()];
}
