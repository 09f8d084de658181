/**
 * The entries of a conversation in its part of the store, under `entries/<n>`: a list that is only appended to. Numbers
 * are taken in order and without gaps: if two writers want one number, one gets it and the other takes the next.
 * Contents are stored beside the list, so that reading it stays cheap.
 */

import { jsonIn, listNames, quoteId } from '../../../plan/text/index.ts';
import { FILE_LIMITS } from '../../../plan/index.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { refOfBytes, StoreError, type ResultStore } from '../../../store/index.ts';
import { ENTRY_KINDS, type DraftEntry, type Ended, type Entry, type FullEntry, type NamedResult } from './entry.ts';
import { invalidEntry, refused } from './fields.ts';

export interface JournalEntry<Kind extends Entry = Entry> {
  /** Reference of its own bytes. */
  readonly ref: string;
  /** Two entries never have the same, so that their bytes differ; a repeated request brings the key of the first. */
  readonly key: string;
  /** Reference of the contents. */
  readonly content: string;
  readonly entry: Kind;
}

const FORMAT = 'planwright-entry/1';
const ENTRIES = 'entries/';
/** Entries read at once. */
const BATCH = 32;

/** The journal of a conversation. Its methods throw StoreError when the store cannot be read or has something else there. */
export function openJournal(store: ResultStore, conversation: string) {
  return { read, append, whole, results, findDraft, find };

  async function read(earlier: readonly JournalEntry[] = []): Promise<readonly JournalEntry[]> {
    const entries = [...earlier];
    const { length } = await store.names(ENTRIES);
    while (entries.length < length) {
      const numbers = Array.from(
        { length: Math.min(BATCH, length - entries.length) },
        (_, at) => entries.length + at + 1,
      );
      entries.push(...(await Promise.all(numbers.map(async (number) => readEntry(await entryAt(number), number)))));
    }
    return entries;
  }

  async function entryAt(number: number): Promise<Uint8Array> {
    return (await store.entry(`${ENTRIES}${number}`)) ?? new Uint8Array();
  }

  /** @throws StoreError `corrupt` for bytes that are not this entry of this conversation. */
  function readEntry(bytes: Uint8Array, number: number): JournalEntry {
    const value = jsonIn(bytes);
    if (isRecord(value) && value['format'] === FORMAT && value['conversation'] === conversation) {
      const { format: _, key, content, ...entry } = value as unknown as { format: string } & JournalEntry & Entry;
      if (entry.number === number && ENTRY_KINDS.includes(entry.kind)) {
        return { ref: refOfBytes(bytes), key, content, entry };
      }
    }
    const message = `${ENTRIES}${number} in the store at ${store.place} is no entry of conversation ${JSON.stringify(conversation)}: expected a JSON object whose format is "${FORMAT}", of a kind that is known.`;
    throw new StoreError('corrupt', message);
  }

  /**
   * Appends an entry. `entryOf` sees everything before it and may refuse; it is asked again if another writer was
   * faster. An entry of the same key is not appended twice, however many attempts run at once: each of them has read
   * every number below the one it takes.
   */
  async function append(key: string, contents: object, entryOf: (earlier: readonly JournalEntry[]) => object) {
    const bytes = Buffer.from(JSON.stringify(contents), 'utf8');
    if (bytes.length > FILE_LIMITS.bytes) {
      throw invalidEntry([`it has ${bytes.length} bytes in all, expected at most ${FILE_LIMITS.bytes}`]);
    }
    const content = await store.put(bytes);
    for (let earlier: readonly JournalEntry[] = []; ;) {
      earlier = await read(earlier);
      const same = earlier.find((one) => one.key === key);
      if (same !== undefined) return { found: same, repeated: true };
      const number = earlier.length + 1;
      const entry = { ...entryOf(earlier), number };
      const own = Buffer.from(`${JSON.stringify({ format: FORMAT, key, content, ...entry })}\n`, 'utf8');
      const isOurs = own.equals(await store.enter(`${ENTRIES}${number}`, own));
      if (isOurs) return { found: readEntry(own, number), repeated: false };
    }
  }

  /** The entry with its contents. */
  async function whole<Full extends FullEntry>({ entry, content }: JournalEntry): Promise<Full> {
    return { ...entry, ...(jsonIn(await store.get(content)) as object) } as Full;
  }

  /**
   * The results that the runs of a conversation have left, in the order in which they were made. If two have one key the
   * last counts, whatever run it is of (Osprey: context reuse); the result of a run without keys is named after its entry.
   */
  async function results(entries: readonly JournalEntry[]): Promise<readonly NamedResult[]> {
    const ends = entries.filter(({ entry }) => entry.kind === 'ended');
    const byKey = new Map<string, NamedResult>();
    for (const { number, workflowId, results: left } of await Promise.all(ends.map((one) => whole<Ended>(one)))) {
      for (const result of left) {
        const { key = `run_${number}` } = result;
        byKey.delete(key);
        byKey.set(key, { ...result, key, workflowId });
      }
    }
    return [...byKey.values()];
  }

  /** Without a name the draft that was saved last, without a revision its latest. */
  function findDraft(entries: readonly JournalEntry[], draft?: string, revision?: number): JournalEntry<DraftEntry> {
    const id = draft ?? entries.findLast(({ entry }) => entry.kind === 'draft')?.entry.id;
    const revisions = id === undefined ? [] : revisionsOf(entries, id);
    if (revisions.length === 0) throw missing('draft', draft, entries);
    const found = revision === undefined ? revisions.at(-1) : revisions[revision - 1];
    if (found !== undefined) return found;
    const message = `Draft ${quoteId(id!)} has revisions 1 to ${revisions.length}, and no revision ${describe(revision)}. Name one of them.`;
    throw refused('draft-not-found', message);
  }

  /** A draft, an artifact, a hand-off, or the end of a run. */
  function find(entries: readonly JournalEntry[], id: string, revision?: number): JournalEntry {
    if (revision !== undefined || revisionsOf(entries, id).length > 0) return findDraft(entries, id, revision);
    const found = entries.findLast(({ entry }) => entry.id === id);
    if (found === undefined) throw missing('artifact', id, entries);
    return found;
  }

  function missing(kind: 'draft' | 'artifact', id: string | undefined, entries: readonly JournalEntry[]): Error {
    const known = entries.filter(({ entry }) => entry.kind === kind).map(({ entry }) => entry.id);
    const what = id === undefined ? `no ${kind}` : `no ${kind} ${quoteId(id)}`;
    const next =
      known.length === 0 ? `It has no ${kind} at all; save one first` : `It has ${listNames(known.toReversed())}`;
    return refused(`${kind}-not-found`, `Conversation ${quoteId(conversation)} has ${what}. ${next}.`);
  }
}

/** The revisions of a draft, in order and without gaps. */
export function revisionsOf(entries: readonly JournalEntry[], draft: string): readonly JournalEntry<DraftEntry>[] {
  return entries.filter((one): one is JournalEntry<DraftEntry> => one.entry.kind === 'draft' && one.entry.id === draft);
}
