/** The drafts and artifacts of the conversations of a store: saved, listed, read, and handed off to runs. */

import { randomUUID } from 'node:crypto';
import type { JsonValue, Limits } from '../../../plan/index.ts';
import { quote, quoteId } from '../../../plan/text/index.ts';
import { given } from '../../../protocol/index.ts';
import { conversationScope, digestOfRef, openResults, type Store } from '../../../store/index.ts';
import { compileDocument } from '../../compile-document.ts';
import { documentOf, statedGoal } from './document.ts';
import type { Drafts, DraftsOptions, HandOffRequest, SaveDraftOptions, SaveOptions, StartRun } from './drafts.ts';
import type { Artifact, Draft, Ended, FullEntry, HandOffEntry, NamedResult } from './entry.ts';
import { answered, readRequest, refused, REQUESTS, type DraftFields } from './fields.ts';
import { openJournal, revisionsOf, type JournalEntry } from './journal.ts';

/** Enough of a SHA-256 that two revisions never share a run. */
const UNIQUE_DIGITS = 16;

/**
 * The drafts and artifacts of all conversations, in a result store. They need no server and exist before any run. Any
 * number of processes may write to one conversation at once.
 * @example
 * const drafts = createDrafts(store);
 * await drafts.saveDraft('reef-7', { plan: document }, { by: 'planner', base: 0 });
 */
export function createDrafts(store: Store, { catalogue, now = Date.now }: DraftsOptions = {}): Drafts {
  const ofStore = openResults(store);
  const journalOf = (conversation: string) => openJournal(ofStore(conversationScope(conversation)), conversation);

  return {
    saveArtifact: (conversation, fields, options = {}) =>
      answered(async () => {
        const request = readRequest(REQUESTS.artifact, conversation, options, fields);
        // Pathfinder: an artifact without a title is a new conversation.
        const { title = 'New Conversation', summary = '', ...others } = request.fields;
        const id = `plan_${randomDigits().slice(0, 12)}`;
        return save<Artifact>(request, { kind: 'artifact', id, title }, { summary, ...others });
      }),
    saveDraft: (...request) => answered(() => saveDraft(...request)),
    handOff: (...request) => answered(() => handOff(...request)),
    saveEnd: (conversation, { workflowId, outcome, goal, results, left }, options = {}) =>
      answered(async () => {
        const request = readRequest(REQUESTS.ended, conversation, options);
        return save<Ended>(request, { kind: 'ended', id: workflowId, workflowId, outcome, goal }, { results, left });
      }),
    results: (conversation) =>
      answered(async () => {
        const { results, read } = journalOf(readRequest(REQUESTS.ended, conversation, {}).conversation);
        return { results: await results(await read()) };
      }),
    list: ((conversation, options = {}) =>
      answered(async () => {
        const { kind, limit, full } = readRequest(REQUESTS.list, conversation, options).options;
        const { read, whole } = journalOf(conversation);
        const ofKind = (await read()).filter(({ entry }) => kind === undefined || entry.kind === kind);
        const last = ofKind.slice(-limit);
        const entries = full ? await Promise.all(last.map((one) => whole(one))) : last.map(({ entry }) => entry);
        return { entries, total: ofKind.length };
      })) as Drafts['list'],
    get: (conversation, id, revision) =>
      answered(async () => {
        readRequest(REQUESTS.entry, conversation, { id, revision });
        const { read, whole, find } = journalOf(conversation);
        return { entry: await whole(find(await read(), id, revision)) };
      }),
    latestDraft: (conversation) =>
      answered(async () => {
        const { read, whole, findDraft } = journalOf(readRequest(REQUESTS.ended, conversation, {}).conversation);
        return { entry: await whole<Draft>(findDraft(await read())) };
      }),
  };

  async function saveDraft(conversation: string, fields: DraftFields, options: SaveDraftOptions = {}) {
    const request = readRequest(REQUESTS.draft, conversation, options, fields);
    const { draft: id, base, limits } = request.options;
    const { goal, plan: written, notes } = request.fields;
    const plan = documentOf(goal, written, notes);
    const journal = journalOf(conversation);
    const compiled = await compile(plan, limits, await journal.results(await journal.read()));
    // A plan with errors may still state its goal.
    const own = compiled.ok ? compiled.plan.goal : statedGoal(plan);
    if (goal !== undefined && own !== undefined && own !== goal) {
      const problem = `The goal is ${quote(goal)}, and the plan document has a goal of its own, ${quote(own)}.`;
      throw refused('invalid-entry', `${problem} Give one goal.`);
    }
    const issues = compiled.ok ? compiled.warnings : compiled.issues;
    const digest = compiled.ok ? compiled.plan.digest : undefined;
    const errors = issues.filter(({ severity }) => severity === 'error').length;
    const head = { kind: 'draft', id, goal: own ?? goal ?? '', ...given({ digest }), errors } as const;
    return save<Draft>(request, head, { plan, notes, issues }, (earlier) => {
      if (earlier.some(({ entry }) => entry.kind !== 'draft' && entry.id === id)) {
        throw refused('invalid-entry', `${quoteId(id)} is no draft; name the draft otherwise.`);
      }
      const revisions = revisionsOf(earlier, id);
      if (base !== undefined && base !== revisions.length) throw staleBase(id, base, revisions);
      return { revision: revisions.length + 1 };
    });
  }

  /**
   * The digits of the start follow from the stored revision: its conversation, its draft and its content. A second
   * hand-off of the same revision, after a crash or beside us, starts the same run.
   */
  async function handOff(conversation: string, options: HandOffRequest, startRun: StartRun) {
    const request = readRequest(REQUESTS.handOff, conversation, options);
    const { goal, instructions, limits } = request.options;
    const journal = journalOf(conversation);
    const entries = await journal.read();
    const found = journal.findDraft(entries, request.options.draft, request.options.revision);
    const { id, revision, goal: its } = found.entry;
    const name = `draft ${quoteId(id)}, revision ${revision},`;
    if (goal !== undefined && goal !== its) {
      const next = 'Leave the goal out, or save a revision with it.';
      throw refused('invalid-entry', `The ${name} has the goal ${quote(its)}, not ${quote(goal)}. ${next}`);
    }
    const key = `handed-off/${revision}/${id}`;
    const done = entries.find((one) => one.key === key);
    if (done !== undefined) return { entry: await journal.whole<HandOffEntry>(done), repeated: true };
    const { plan } = await journal.whole<Draft>(found);
    const compiled = await compile(plan, limits, await journal.results(entries));
    const once = digestOfRef(found.ref).slice(0, UNIQUE_DIGITS);
    const started = compiled.ok ? await startRun(plan, once, conversation) : compiled;
    if (!compiled.ok || !started.ok) {
      const message = `The plan of ${name} has errors, and no run was started. Mend them and save it again.`;
      throw refused('draft-invalid', message, started.ok ? [] : started.issues);
    }
    const { workflowId } = started.run;
    const fields = { draft: id, revision, workflowId, digest: compiled.plan.digest, ...given({ instructions }) };
    return save<HandOffEntry>(request, { kind: 'handed-off', id: workflowId, ...fields }, {}, undefined, key);
  }

  /**
   * @param placed gives the fields that follow from the entries before it, and may refuse
   * @param key without one of the caller it is unique; two kinds never share one
   */
  async function save<Kind extends FullEntry>(
    { conversation, options: { by, idempotencyKey } }: { conversation: string; options: SaveOptions },
    { kind, id, ...fields }: Pick<Kind, 'kind' | 'id'> & Readonly<Record<string, unknown>>,
    contents: object,
    placed: (earlier: readonly JournalEntry[]) => object = () => ({}),
    key = `${kind}/${idempotencyKey === undefined ? `new/${randomDigits()}` : `given/${idempotencyKey}`}`,
  ) {
    const { append, whole } = journalOf(conversation);
    const head = { kind, id, conversation, createdAt: new Date(now()).toISOString(), ...given({ by }), ...fields };
    const { found, repeated } = await append(key, contents, (earlier) => ({ ...head, ...placed(earlier) }));
    return { entry: await whole<Kind>(found), repeated };
  }

  /** `results` may be named by the steps of a list. */
  function compile(document: JsonValue, limits: Partial<Limits> | undefined, results: readonly NamedResult[]) {
    const contextRefs = Object.fromEntries(results.map(({ key, ref }) => [key, ref]));
    return compileDocument(document, { contextRefs, catalogue, ...given({ limits }) });
  }
}

function staleBase(id: string, base: number, revisions: readonly JournalEntry[]): Error {
  const made = `this save was made from revision ${base}`;
  const last = revisions.at(-1)?.entry;
  if (last === undefined) {
    const next = 'Save it without a base, or with base 0.';
    return refused('stale-draft', `Draft ${quoteId(id)} does not exist yet; ${made}. ${next}`);
  }
  const latest = revisions.length;
  const whose = last.by === undefined ? '' : ` by ${last.by}`;
  const next = `Look at revision ${latest}, carry your change over, and save with base ${latest}.`;
  const state = `is at revision ${latest}, saved${whose} at ${last.createdAt}`;
  return refused('stale-draft', `Draft ${quoteId(id)} ${state}; ${made}. ${next}`);
}

function randomDigits(): string {
  return randomUUID().replaceAll('-', '');
}
