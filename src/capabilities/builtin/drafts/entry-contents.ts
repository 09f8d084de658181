/** The contents of an entry: an object of the store that the entry names, so that a list of heads stays small. */

import { canonicalJson, FILE_LIMITS, type JsonValue } from '../../../plan/index.ts';
import type { ResultStore } from '../../../store/index.ts';
import type { Artifact, Draft, Ended, Entry, FullEntry } from './entry.ts';
import type { Problems } from './read-fields.ts';
import type { JournalEntry } from './stored-entry.ts';

export type ArtifactContents = Omit<Artifact, keyof Extract<Entry, { kind: 'artifact' }>>;
export type DraftContents = Omit<Draft, keyof Extract<Entry, { kind: 'draft' }>>;
export type EndContents = Omit<Ended, keyof Extract<Entry, { kind: 'ended' }>>;

const MAX_BYTES = FILE_LIMITS.bytes;

/** The reference of the contents; undefined, with a problem, when they are larger than any plan document may be. */
export async function writeContents(
  store: ResultStore,
  contents: ArtifactContents | DraftContents | EndContents,
  problems: Problems,
): Promise<string | undefined> {
  const bytes = Buffer.from(textOf(contents), 'utf8');
  if (bytes.length <= MAX_BYTES) return store.put(bytes);
  problems.push(`it has ${bytes.length} bytes in all, expected at most ${MAX_BYTES}`);
  return undefined;
}

/** The entry as it is read, with its contents. */
export async function readWhole(store: ResultStore, { stored, entry }: JournalEntry): Promise<FullEntry> {
  if (entry.kind === 'handed-off' || stored.content === undefined) return entry as FullEntry;
  const text = Buffer.from(await store.get(stored.content)).toString('utf8');
  return { ...entry, ...(JSON.parse(text) as object) } as FullEntry;
}

/**
 * Documents may be deeper than JSON.stringify can go. Issues cannot, and may quote half a surrogate pair, which only
 * JSON.stringify can write.
 */
function textOf(contents: ArtifactContents | DraftContents | EndContents): string {
  const members = Object.entries(contents).filter(([, value]) => value !== undefined);
  const texts = members.map(([name, value]) => {
    const text = name === 'issues' ? JSON.stringify(value) : canonicalJson(value as JsonValue);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${texts.join(',')}}`;
}
