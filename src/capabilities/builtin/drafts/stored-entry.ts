/** An entry as bytes of the result store, and back. Contents of any size stand in an object of their own. */

import { jsonIn } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { StoreError, type ResultStore } from '../../../store/index.ts';
import {
  ENTRY_KINDS,
  type ArtifactEntry,
  type DraftEntry,
  type EndedEntry,
  type Entry,
  type HandOffEntry,
} from './entry.ts';

/** Number and revision are told by the place in the journal, which an entry does not know when it is written. */
type Placed = 'number' | 'revision';

interface Envelope {
  /** Two entries never share one, so that their bytes differ; a repeated request brings the key of the first. */
  readonly key: string;
  /** Reference of the contents. */
  readonly content?: string;
}

export type StoredArtifact = Omit<ArtifactEntry, Placed> & Envelope;
export type StoredDraft = Omit<DraftEntry, Placed> & Envelope;
export type StoredHandOff = Omit<HandOffEntry, 'number'> & Envelope;
export type StoredEnd = Omit<EndedEntry, 'number'> & Envelope;
export type StoredEntry = StoredArtifact | StoredDraft | StoredHandOff | StoredEnd;

/** A stored entry and where it stands in its conversation. */
export interface JournalEntry {
  readonly ref: string;
  readonly stored: StoredEntry;
  readonly entry: Entry;
}

const FORMAT = 'planwright-entry/1';

export function encodeEntry(stored: StoredEntry): Uint8Array {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...stored })}\n`, 'utf8');
}

/** @throws StoreError `corrupt` for bytes that are no entry of this conversation. */
export function decodeEntry(bytes: Uint8Array, conversation: string, ref: string, store: ResultStore): StoredEntry {
  const value = jsonIn(bytes);
  if (!isRecord(value) || value['format'] !== FORMAT || value['conversation'] !== conversation) {
    const message = `${ref} in the store at ${store.place} is no entry of conversation ${JSON.stringify(conversation)}: expected a JSON object whose format is "${FORMAT}".`;
    throw new StoreError('corrupt', message);
  }
  const { format: _, ...stored } = value;
  if (ENTRY_KINDS.some((kind) => kind === stored['kind'])) return stored as unknown as StoredEntry;
  throw new StoreError('corrupt', `Entry ${ref} in the store at ${store.place} is of an unknown kind.`);
}

/** The entry as readers see it. `earlier` are the entries before it. */
export function placeEntry(stored: StoredEntry, earlier: readonly JournalEntry[]): Entry {
  const { key: _key, content: _content, ...head } = stored;
  const number = earlier.length + 1;
  if (head.kind !== 'draft') return { ...head, number };
  return { ...head, number, revision: latestRevision(earlier, head.id) + 1 };
}

/** The number of revisions that a draft has; 0 when there is none. */
export function latestRevision(entries: readonly JournalEntry[], draft: string): number {
  const latest = entries.findLast(({ entry }) => entry.kind === 'draft' && entry.id === draft)?.entry;
  return latest?.kind === 'draft' ? latest.revision : 0;
}
