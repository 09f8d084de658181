/** The drafts and artifacts of the conversations of a store: saved, listed, read, and handed off to runs. */

import { randomUUID } from 'node:crypto';
import type { JsonValue, Limits } from '../../../plan/index.ts';
import { quote, quoteId } from '../../../plan/text/index.ts';
import { given } from '../../../protocol/index.ts';
import { conversationScope, digestOfRef, openResults, type Store } from '../../../store/index.ts';
import { compileDocument } from '../../compile-document.ts';
import { documentOf, statedGoal } from './document.ts';
import type { Drafts, DraftsOptions, HandOffRequest, SaveDraftOptions, SaveOptions, StartRun } from './drafts.ts';
import { withoutContents, type Artifact, type Draft, type Ended, type FullEntry, type HandOffEntry } from './entry.ts';
import {
  appendEntry,
  findDraft,
  findEntry,
  namedResults,
  readEntries,
  revisionsOf,
  type JournalEntry,
} from './journal.ts';
import { answered, readRequest, draftRefusal, DRAFT_REQUESTS, type DraftFields } from './requests.ts';

/** Enough digits of a SHA-256 that two revisions never share a run. */
const UNIQUE_DIGITS = 16;

/**
 * The drafts and artifacts of all conversations, in a result store. They need no server and exist before any run. Any
 * number of processes may write to one conversation at once.
 * @example
 * const drafts = createDrafts(store);
 * await drafts.saveDraft('reef-7', { plan: document }, { by: 'planner', base: 0 });
 */
export function createDrafts(store: Store, { catalogue, now = Date.now }: DraftsOptions = {}): Drafts {
  const resultsOf = openResults(store);
  const entriesOf = (conversation: string) => readEntries(resultsOf(conversationScope(conversation)), conversation);

  return {
    saveArtifact: (conversation, fields, options = {}) =>
      answered(async () => {
        const request = readRequest(DRAFT_REQUESTS.artifact, conversation, options, fields);
        // Pathfinder: an artifact without a title is a new conversation.
        const { title = 'New Conversation', summary = '', ...others } = request.fields;
        const id = `plan_${randomDigits().slice(0, 12)}`;
        return save<Artifact>(request, 'artifact', { id, title, summary, ...others });
      }),
    saveDraft: (...request) => answered(() => saveDraft(...request)),
    handOff: (...request) => answered(() => handOff(...request)),
    saveEnd: (conversation, { workflowId, outcome, goal, results, left }, options = {}) =>
      answered(async () => {
        const request = readRequest(DRAFT_REQUESTS.ended, conversation, options);
        return save<Ended>(request, 'ended', { id: workflowId, workflowId, outcome, goal, results, left });
      }),
    results: (conversation) =>
      answered(async () => {
        readRequest(DRAFT_REQUESTS.ended, conversation, {});
        return { results: namedResults(await entriesOf(conversation)) };
      }),
    list: ((conversation, options = {}) =>
      answered(async () => {
        const { kind, limit, full } = readRequest(DRAFT_REQUESTS.list, conversation, options).options;
        const entries = (await entriesOf(conversation)).map(({ entry }) => entry);
        const ofKind = entries.filter((entry) => kind === undefined || entry.kind === kind);
        const last = ofKind.slice(-limit);
        return { entries: full ? last : last.map((entry) => withoutContents(entry)), total: ofKind.length };
      })) as Drafts['list'],
    get: (conversation, id, revision) =>
      answered(async () => {
        readRequest(DRAFT_REQUESTS.entry, conversation, { id, revision });
        return { entry: findEntry(await entriesOf(conversation), conversation, id, revision).entry };
      }),
  };

  async function saveDraft(conversation: string, fields: DraftFields, options: SaveDraftOptions = {}) {
    const request = readRequest(DRAFT_REQUESTS.draft, conversation, options, fields);
    const { draft: id, base, limits } = request.options;
    const { goal, plan: written, notes } = request.fields;
    const plan = documentOf(goal, written, notes);
    const compiled = await compile(plan, limits, await entriesOf(conversation));
    const ownGoal = compiled.ok ? compiled.plan.goal : statedGoal(plan);
    if (goal !== undefined && ownGoal !== undefined && ownGoal !== goal) {
      const problem = `The goal is ${quote(goal)}, and the plan document has a goal of its own, ${quote(ownGoal)}.`;
      throw draftRefusal('invalid-entry', `${problem} Give one goal.`);
    }
    const issues = compiled.ok ? compiled.warnings : compiled.issues;
    const digest = compiled.ok ? compiled.plan.digest : undefined;
    const errors = issues.filter(({ severity }) => severity === 'error').length;
    const entry = { id, goal: ownGoal ?? goal ?? '', digest, errors, plan, notes, issues };
    return save<Draft>(request, 'draft', entry, (earlier) => {
      if (earlier.some((found) => found.entry.kind !== 'draft' && found.entry.id === id)) {
        throw draftRefusal('invalid-entry', `${quoteId(id)} is no draft; name the draft otherwise.`);
      }
      const revisions = revisionsOf(earlier, id);
      if (base !== undefined && base !== revisions.length) throw staleBase(id, base, revisions);
      return { revision: revisions.length + 1 };
    });
  }

  /**
   * The start's digits come from the stored revision: its conversation, draft and contents. A second hand-off of the
   * same revision, after a crash or at the same time, starts the same run.
   */
  async function handOff(conversation: string, options: HandOffRequest, startRun: StartRun) {
    const request = readRequest(DRAFT_REQUESTS.handOff, conversation, options);
    const { goal, instructions, limits, draft: wanted } = request.options;
    const entries = await entriesOf(conversation);
    const { ref, entry: draft } = findDraft(entries, conversation, wanted, request.options.revision);
    const { id, revision, plan } = draft;
    const name = `draft ${quoteId(id)}, revision ${revision},`;
    if (goal !== undefined && goal !== draft.goal) {
      const next = 'Leave the goal out, or save a revision with it.';
      throw draftRefusal('invalid-entry', `The ${name} has the goal ${quote(draft.goal)}, not ${quote(goal)}. ${next}`);
    }
    const key = `handed-off/${revision}/${id}`;
    const earlier = entries.find((found) => found.key === key);
    if (earlier !== undefined) return { entry: earlier.entry as HandOffEntry, repeated: true };
    const compiled = await compile(plan, limits, entries);
    const once = digestOfRef(ref).slice(0, UNIQUE_DIGITS);
    const started = compiled.ok ? await startRun(plan, once, conversation) : compiled;
    if (!compiled.ok || !started.ok) {
      const message = `The plan of ${name} has errors, and no run was started. Mend them and save it again.`;
      throw draftRefusal('draft-invalid', message, started.ok ? [] : started.issues);
    }
    const { workflowId } = started.run;
    const entry = { id: workflowId, draft: id, revision, workflowId, digest: compiled.plan.digest, instructions };
    return save<HandOffEntry>(request, 'handed-off', entry, undefined, key);
  }

  /**
   * @param placed gives the fields that follow from the entries before it, and may refuse
   * @param key is unique if neither the caller nor the request gives one. Two kinds never share one
   */
  async function save<Kind extends FullEntry>(
    { conversation, options: { by, idempotencyKey } }: { conversation: string; options: SaveOptions },
    kind: Kind['kind'],
    fields: Readonly<Record<string, unknown>>,
    placed: (earlier: readonly JournalEntry[]) => object = () => ({}),
    key = `${kind}/${idempotencyKey === undefined ? `new/${randomDigits()}` : `given/${idempotencyKey}`}`,
  ) {
    const head = { kind, conversation, createdAt: new Date(now()).toISOString(), by };
    const own = resultsOf(conversationScope(conversation));
    const entryOf = (earlier: readonly JournalEntry[]) => given({ ...head, ...fields, ...placed(earlier) });
    const { found, repeated } = await appendEntry(own, conversation, key, entryOf);
    return { entry: found.entry as Kind, repeated };
  }

  /** The steps of a list may name results of the conversation. */
  function compile(document: JsonValue, limits: Partial<Limits> | undefined, entries: readonly JournalEntry[]) {
    const contextRefs = Object.fromEntries(namedResults(entries).map(({ key, ref }) => [key, ref]));
    return compileDocument(document, { contextRefs, catalogue, ...given({ limits }) });
  }
}

function staleBase(id: string, base: number, revisions: readonly JournalEntry[]): Error {
  const made = `this save was made from revision ${base}`;
  const last = revisions.at(-1)?.entry;
  if (last === undefined) {
    const next = 'Save it without a base, or with base 0.';
    return draftRefusal('stale-draft', `Draft ${quoteId(id)} does not exist yet; ${made}. ${next}`);
  }
  const latest = revisions.length;
  const saver = last.by === undefined ? '' : ` by ${last.by}`;
  const next = `Look at revision ${latest}, carry your change over, and save with base ${latest}.`;
  const state = `is at revision ${latest}, saved${saver} at ${last.createdAt}`;
  return draftRefusal('stale-draft', `Draft ${quoteId(id)} ${state}; ${made}. ${next}`);
}

function randomDigits(): string {
  return randomUUID().replaceAll('-', '');
}
