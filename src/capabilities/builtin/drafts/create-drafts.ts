/** The drafts and artifacts of a store, with the parts that they need plugged in. */

import { randomUUID } from 'node:crypto';
import type { ResultStore } from '../../../store/index.ts';
import { describe } from '../../../protocol/index.ts';
import type { DraftAnswer } from './draft-error.ts';
import type { Drafts, DraftsOptions, Listed, ListOptions, Saved } from './drafts.ts';
import { namedResults, saveEnd } from './ends.ts';
import type { Artifact, Draft, Ended, FullEntry, HandOffEntry, NamedResult } from './entry.ts';
import { readWhole } from './entry-contents.ts';
import { findDraft, findEntry } from './find-entry.ts';
import { handOff } from './hand-off.ts';
import { readJournal } from './journal.ts';
import { readLabel, type Problems } from './read-fields.ts';
import { saveArtifact } from './save-artifact.ts';
import { saveDraft } from './save-draft.ts';
import { invalidEntry, type Setting } from './setting.ts';
import type { JournalEntry } from './stored-entry.ts';

const DEFAULT_LIMIT = 50;

/**
 * The drafts and artifacts of all conversations, in a result store. They need no server and exist before any run. Any
 * number of processes may write to one conversation at once.
 * @example
 * const drafts = createDrafts(store);
 * await drafts.saveDraft('reef-7', { plan: document }, { by: 'planner', base: 0 });
 */
export function createDrafts(store: ResultStore, options: DraftsOptions = {}): Drafts {
  const { catalogue, limits, now = Date.now, newId = randomDigits } = options;
  const setting: Setting = { store, catalogue, limits, now, newId };

  // The kind of entry in an answer follows from the question; the types say it here, and nowhere below.
  return {
    saveArtifact: (...given) => whole(store, saveArtifact(setting, ...given)) as Saved<Artifact>,
    saveDraft: (...given) => whole(store, saveDraft(setting, ...given)) as Saved<Draft>,
    handOff: (...given) => whole(store, handOff(setting, ...given)) as Saved<HandOffEntry>,
    saveEnd: (...given) => whole(store, saveEnd(setting, ...given)) as Saved<Ended>,
    results: (conversation) => results(store, conversation),
    list: ((conversation: string, given?: ListOptions) => list(store, conversation, given)) as Drafts['list'],
    get: (conversation, id, revision) => whole(store, find(store, conversation, id, revision)),
    latestDraft: (conversation) => whole(store, find(store, conversation)) as ReturnType<Drafts['latestDraft']>,
  };
}

/** The entry that was written or found, with its contents. */
async function whole<Given extends { readonly at: JournalEntry }>(
  store: ResultStore,
  asked: Promise<DraftAnswer<Given>>,
): Promise<DraftAnswer<Omit<Given, 'at'> & { readonly entry: FullEntry }>> {
  const answer = await asked;
  if (!answer.ok) return answer;
  const { at, ...rest } = answer;
  return { ...rest, entry: await readWhole(store, at) };
}

/** Finds an entry; without an id the draft that was saved last. */
async function find(
  store: ResultStore,
  conversation: string,
  id?: string,
  revision?: number,
): Promise<DraftAnswer<{ readonly at: JournalEntry }>> {
  const problems: Problems = [];
  readLabel('conversation', conversation, problems);
  if (id !== undefined) readLabel('id', id, problems);
  if (problems.length > 0) return invalidEntry(problems);
  const entries = await readJournal(store, conversation);
  return id === undefined
    ? findDraft(entries, conversation, undefined, undefined)
    : findEntry(entries, conversation, id, revision);
}

async function list(
  store: ResultStore,
  conversation: string,
  { kind, limit = DEFAULT_LIMIT, full = false }: ListOptions = {},
): Listed<unknown> {
  const problems: Problems = [];
  readLabel('conversation', conversation, problems);
  if (!(Number.isSafeInteger(limit) && limit >= 1)) {
    problems.push(`limit: expected a whole number from 1, got ${describe(limit)}`);
  }
  if (problems.length > 0) return invalidEntry(problems);
  const entries = await readJournal(store, conversation);
  const ofKind = kind === undefined ? entries : entries.filter(({ entry }) => entry.kind === kind);
  const last = ofKind.slice(-limit);
  const read = full ? await Promise.all(last.map((one) => readWhole(store, one))) : last.map(({ entry }) => entry);
  return { ok: true, entries: read, total: ofKind.length };
}

async function results(
  store: ResultStore,
  conversation: string,
): Promise<DraftAnswer<{ readonly results: readonly NamedResult[] }>> {
  const problems: Problems = [];
  readLabel('conversation', conversation, problems);
  if (problems.length > 0) return invalidEntry(problems);
  return { ok: true, results: await namedResults(store, await readJournal(store, conversation)) };
}

function randomDigits(): string {
  return randomUUID().replaceAll('-', '');
}
