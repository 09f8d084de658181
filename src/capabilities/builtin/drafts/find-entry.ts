/** Finds an entry of a conversation by its id, its revision, or as the latest of its kind. */

import { describe } from '../../../protocol/index.ts';
import { quote } from '../../../plan/text/index.ts';
import { refuse, type DraftAnswer, type DraftErrorCode, type DraftRefusal } from './draft-error.ts';
import type { EntryKind } from './entry.ts';
import { latestRevision, type JournalEntry } from './stored-entry.ts';

type Found = DraftAnswer<{ readonly at: JournalEntry }>;

/** Names listed in a message. */
const MAX_LISTED = 10;

/** Finds a draft; without a name the one that was saved last, without a revision its latest. */
export function findDraft(
  entries: readonly JournalEntry[],
  conversation: string,
  draft: string | undefined,
  revision: number | undefined,
): Found {
  const id = draft ?? entries.findLast(({ entry }) => entry.kind === 'draft')?.entry.id;
  const latest = id === undefined ? 0 : latestRevision(entries, id);
  if (id === undefined || latest === 0) return missing('draft', 'draft-not-found', draft, entries, conversation);
  const wanted = revision ?? latest;
  const at = entries.find(({ entry }) => entry.kind === 'draft' && entry.id === id && entry.revision === wanted);
  if (at !== undefined) return { ok: true, at };
  const message = `Draft ${quote(id)} has revisions 1 to ${latest}, and no revision ${describe(revision)}. Name one of them.`;
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
  return at === undefined ? missing('artifact', 'artifact-not-found', id, entries, conversation) : { ok: true, at };
}

function missing(
  kind: EntryKind,
  code: DraftErrorCode,
  id: string | undefined,
  entries: readonly JournalEntry[],
  conversation: string,
): DraftRefusal {
  const known = [...new Set(entries.filter(({ entry }) => entry.kind === kind).map(({ entry }) => quote(entry.id)))];
  const listed = known.length > MAX_LISTED ? [...known.slice(-MAX_LISTED), 'older ones'] : known;
  const what = id === undefined ? `no ${kind}` : `no ${kind} ${quote(id)}`;
  const next = known.length === 0 ? `It has no ${kind} at all; save one first` : `It has ${listed.join(', ')}`;
  return refuse(code, `Conversation ${quote(conversation)} has ${what}. ${next}.`);
}
