/**
 * The entries of a conversation in its part of the store, under `entries/<n>`: a list that is only appended to. Numbers are taken in
 * order and without gaps: of two writers one has the number, and the other takes the next. Contents of any size stand by
 * themselves, so that a list of heads stays small.
 */

import { canonicalJson, FILE_LIMITS, type JsonValue } from '../../../plan/index.ts';
import { jsonIn, quoteId } from '../../../plan/text/index.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { refOfBytes, StoreError, type ResultStore } from '../../../store/index.ts';
import { ENTRY_KINDS, type Ended, type Entry, type FullEntry, type NamedResult } from './entry.ts';
import { refuse, type DraftAnswer, type DraftRefusal, type Problems } from './fields.ts';

/** An entry as it is stored: number and revision are told by its place, which it does not know when it is written. */
export interface StoredEntry {
  /** Two entries never share one, so that their bytes differ; a repeated request brings the key of the first. */
  readonly key: string;
  /** Reference of the contents. */
  readonly content?: string;
  readonly kind: Entry['kind'];
  readonly id: string;
  readonly conversation: string;
  readonly createdAt: string;
  readonly by?: string;
}

export interface JournalEntry {
  readonly ref: string;
  readonly stored: StoredEntry;
  readonly entry: Entry;
}

type Found = DraftAnswer<{ readonly at: JournalEntry }>;

const FORMAT = 'planwright-entry/1';
/** Entries read at once. */
const BATCH = 32;

/** @throws StoreError when the store cannot be read or holds something else under these names. */
export async function readJournal(
  store: ResultStore,
  conversation: string,
  known: readonly JournalEntry[] = [],
): Promise<readonly JournalEntry[]> {
  const entries = [...known];
  const { length } = await store.names(ENTRIES);
  while (entries.length < length) {
    const from = entries.length + 1;
    const names = Array.from({ length: Math.min(BATCH, length - from + 1) }, (_, index) => nameOf(from + index));
    const read = await Promise.all(names.map(async (name) => (await store.entry(name)) ?? new Uint8Array()));
    for (const [at, bytes] of read.entries()) {
      const stored = entryIn(bytes, conversation, names[at]!, store);
      entries.push({ ref: refOfBytes(bytes), stored, entry: placed(stored, entries) });
    }
  }
  return entries;
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
): Promise<DraftAnswer<{ readonly at: JournalEntry; readonly repeated: boolean }>> {
  const { conversation, key } = stored;
  let earlier: readonly JournalEntry[] = [];
  for (;;) {
    earlier = await readJournal(store, conversation, earlier);
    const same = earlier.find((one) => one.stored.key === key);
    if (same !== undefined) return { ok: true, at: same, repeated: true };
    const refusal = check(earlier);
    if (refusal !== undefined) return refusal;
    const own = Buffer.from(`${JSON.stringify({ format: FORMAT, ...stored })}\n`, 'utf8');
    if (!own.equals(await store.enter(nameOf(earlier.length + 1), own))) continue;
    return { ok: true, at: { ref: refOfBytes(own), stored, entry: placed(stored, earlier) }, repeated: false };
  }
}

const ENTRIES = 'entries/';

function nameOf(number: number): string {
  return `${ENTRIES}${number}`;
}

/** @throws StoreError `corrupt` for bytes that are no entry of this conversation. */
function entryIn(bytes: Uint8Array, conversation: string, name: string, store: ResultStore): StoredEntry {
  const value = jsonIn(bytes);
  const isEntry = isRecord(value) && value['format'] === FORMAT && value['conversation'] === conversation;
  if (isEntry && ENTRY_KINDS.some((kind) => kind === value['kind'])) {
    const { format: _, ...stored } = value;
    return stored as unknown as StoredEntry;
  }
  const message = `${name} in the store at ${store.place} is no entry of conversation ${JSON.stringify(conversation)}: expected a JSON object whose format is "${FORMAT}", of a kind that is known.`;
  throw new StoreError('corrupt', message);
}

/** The entry as readers see it. `earlier` are the entries before it. */
function placed(stored: StoredEntry, earlier: readonly JournalEntry[]): Entry {
  const { key: _key, content: _content, ...head } = stored;
  const revision = head.kind === 'draft' ? { revision: latestRevision(earlier, head.id) + 1 } : {};
  return { ...head, number: earlier.length + 1, ...revision } as Entry;
}

/**
 * The reference of the contents of an entry; undefined, with a problem, when they are larger than any plan document may be.
 * Issues may quote half a surrogate pair, which the canonical form does not take.
 */
export async function writeContents(
  store: ResultStore,
  contents: Readonly<Record<string, unknown>>,
  problems: Problems,
): Promise<string | undefined> {
  const members = Object.entries(contents).filter(([, value]) => value !== undefined);
  const texts = members.map(([name, value]) => {
    const text = name === 'issues' ? JSON.stringify(value) : canonicalJson(value as JsonValue);
    return `${JSON.stringify(name)}:${text}`;
  });
  const bytes = Buffer.from(`{${texts.join(',')}}`, 'utf8');
  if (bytes.length <= FILE_LIMITS.bytes) return store.put(bytes);
  problems.push(`it has ${bytes.length} bytes in all, expected at most ${FILE_LIMITS.bytes}`);
  return undefined;
}

/** The entry as it is read, with its contents. */
export async function readWhole(store: ResultStore, { stored, entry }: JournalEntry): Promise<FullEntry> {
  const contents = stored.content === undefined ? {} : (jsonIn(await store.get(stored.content)) as object);
  return { ...entry, ...contents } as FullEntry;
}

/** The number of revisions that a draft has; 0 when there is none. */
export function latestRevision(entries: readonly JournalEntry[], draft: string): number {
  const latest = entries.findLast(({ entry }) => entry.kind === 'draft' && entry.id === draft)?.entry;
  return latest?.kind === 'draft' ? latest.revision : 0;
}

/** Finds a draft; without a name the one that was saved last, without a revision its latest. */
export function findDraft(
  entries: readonly JournalEntry[],
  conversation: string,
  draft: string | undefined,
  revision: number | undefined,
): Found {
  const id = draft ?? entries.findLast(({ entry }) => entry.kind === 'draft')?.entry.id;
  const latest = id === undefined ? 0 : latestRevision(entries, id);
  if (id === undefined || latest === 0) return missing('draft', draft, entries, conversation);
  const wanted = revision ?? latest;
  const at = entries.find(({ entry }) => entry.kind === 'draft' && entry.id === id && entry.revision === wanted);
  if (at !== undefined) return { ok: true, at };
  const message = `Draft ${quoteId(id)} has revisions 1 to ${latest}, and no revision ${describe(revision)}. Name one of them.`;
  return refuse('draft-not-found', message);
}

/** A draft, an artifact, a hand-off, or the end of a run that has ended. */
export function findEntry(
  entries: readonly JournalEntry[],
  conversation: string,
  id: string,
  revision: number | undefined,
): Found {
  if (revision !== undefined || latestRevision(entries, id) > 0) return findDraft(entries, conversation, id, revision);
  const at = entries.findLast(({ entry }) => entry.id === id);
  return at === undefined ? missing('artifact', id, entries, conversation) : { ok: true, at };
}

/** Names listed in a message. */
const MAX_LISTED = 10;

function missing(
  kind: 'draft' | 'artifact',
  id: string | undefined,
  entries: readonly JournalEntry[],
  conversation: string,
): DraftRefusal {
  const known = [...new Set(entries.filter(({ entry }) => entry.kind === kind).map(({ entry }) => quoteId(entry.id)))];
  const listed = known.length > MAX_LISTED ? [...known.slice(-MAX_LISTED), 'older ones'] : known;
  const what = id === undefined ? `no ${kind}` : `no ${kind} ${quoteId(id)}`;
  const next = known.length === 0 ? `It has no ${kind} at all; save one first` : `It has ${listed.join(', ')}`;
  return refuse(`${kind}-not-found`, `Conversation ${quoteId(conversation)} has ${what}. ${next}.`);
}

/**
 * The results that the runs of a conversation have left, in the order in which they were made. If two have one key the last
 * counts, whatever run it is of (Osprey: context reuse); the result of a run without keys is named after its entry.
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
