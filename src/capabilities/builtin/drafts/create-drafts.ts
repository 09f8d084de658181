/** The drafts and artifacts of the conversations of a store: saved, listed, read, and handed off to runs. */

import { randomUUID } from 'node:crypto';
import type { JsonValue, Limits } from '../../../plan/index.ts';
import { quote, quoteId } from '../../../plan/text/index.ts';
import { describe } from '../../../protocol/index.ts';
import { conversationScope, digestOfRef, openResults, type Store } from '../../../store/index.ts';
import { compileDocument } from '../../compile-document.ts';
import { documentOf, twoGoals, valueOf } from './document.ts';
import type {
  Drafts,
  DraftsOptions,
  HandOffRequest,
  Saved,
  SaveDraftOptions,
  SaveOptions,
  StartRun,
} from './drafts.ts';
import type { Artifact, Draft, Ended, FullEntry, HandOffEntry, NamedResult } from './entry.ts';
import {
  invalidEntry,
  readArtifactFields,
  readDraftFields,
  readLabel,
  readText,
  refuse,
  type DraftAnswer,
  type DraftRefusal,
  type Problems,
} from './fields.ts';
import {
  append,
  findDraft,
  findEntry,
  latestRevision,
  namedResults,
  readJournal,
  readWhole,
  writeContents,
  type JournalEntry,
  type StoredEntry,
} from './journal.ts';

/** Pathfinder: the fixed id of the one draft of a conversation. */
const DEFAULT_DRAFT = 'delegation_draft';
const DEFAULT_LIMIT = 50;
/** Enough of a SHA-256 that two revisions never share a run. */
const UNIQUE_DIGITS = 16;

/**
 * The drafts and artifacts of all conversations, in a result store. They need no server and exist before any run. Any
 * number of processes may write to one conversation at once.
 * @example
 * const drafts = createDrafts(store);
 * await drafts.saveDraft('reef-7', { plan: document }, { by: 'planner', base: 0 });
 */
export function createDrafts(store: Store, options: DraftsOptions = {}): Drafts {
  const { catalogue, now = Date.now } = options;
  const ofStore = openResults(store);
  /** The part of the store that has a conversation. */
  const partOf = (conversation: unknown) => ofStore(conversationScope(String(conversation)));

  return {
    async saveArtifact(conversation, fields, saving = {}) {
      const problems: Problems = [];
      const head = headOf('artifact', conversation, saving, problems);
      const { title, ...contents } = readArtifactFields(fields, problems);
      return keep<Artifact>({ ...head, id: `plan_${randomDigits().slice(0, 12)}` }, { title }, contents, problems);
    },
    saveDraft,
    handOff,
    async saveEnd(conversation, { workflowId, outcome, goal, results, left }, saving = {}) {
      const problems: Problems = [];
      const head = headOf('ended', conversation, saving, problems);
      const fields = { workflowId, outcome, goal };
      return keep<Ended>({ ...head, id: workflowId }, fields, { results, left }, problems);
    },
    async results(conversation) {
      const read = await readingOf(conversation);
      return read.ok ? { ok: true, results: await namedResults(partOf(conversation), read.entries) } : read;
    },
    list: (async (conversation, { kind, limit = DEFAULT_LIMIT, full = false } = {}) => {
      const isCount = Number.isSafeInteger(limit) && limit >= 1;
      const read = await readingOf(
        conversation,
        isCount ? [] : [`limit: expected a whole number from 1, got ${describe(limit)}`],
      );
      if (!read.ok) return read;
      const ofKind = kind === undefined ? read.entries : read.entries.filter(({ entry }) => entry.kind === kind);
      const last = ofKind.slice(-limit);
      const entries = full
        ? await Promise.all(last.map((one) => readWhole(partOf(conversation), one)))
        : last.map(({ entry }) => entry);
      return { ok: true, entries, total: ofKind.length };
    }) as Drafts['list'],
    async get(conversation, id, revision) {
      const problems: Problems = [];
      readLabel('id', id, problems);
      const read = await readingOf(conversation, problems);
      return read.ok ? whole(findEntry(read.entries, conversation, id, revision)) : read;
    },
    async latestDraft(conversation) {
      const read = await readingOf(conversation);
      return read.ok ? whole<Draft>(findDraft(read.entries, conversation, undefined, undefined)) : read;
    },
  };

  async function saveDraft(
    conversation: string,
    given: unknown,
    { draft = DEFAULT_DRAFT, base, limits, ...saving }: SaveDraftOptions = {},
  ): Saved<Draft> {
    const problems: Problems = [];
    const head = headOf('draft', conversation, saving, problems);
    const id = readLabel('draft', draft, problems);
    if (base !== undefined && !(Number.isSafeInteger(base) && base >= 0)) {
      problems.push(`base: expected the number of a revision, or 0, got ${describe(base)}`);
    }
    const { goal, plan: written, notes } = readDraftFields(given, problems);
    if (problems.length > 0) return invalidEntry(problems);
    const found = documentOf(goal, written, notes);
    if (!found.ok) return found;
    const { document: plan } = found;
    const part = partOf(conversation);
    const compiled = await compile(plan, limits, await namedResults(part, await readJournal(part, conversation)));
    if (compiled.ok && goal !== undefined && compiled.plan.goal !== goal) return twoGoals(goal, compiled.plan.goal);
    const issues = compiled.ok ? compiled.warnings : compiled.issues;
    const fields = {
      // A plan with errors may still say its goal.
      goal: compiled.ok ? compiled.plan.goal : (goal ?? readText('goal', valueOf(plan)?.['goal'], []) ?? ''),
      ...(compiled.ok && { digest: compiled.plan.digest }),
      errors: issues.filter(({ severity }) => severity === 'error').length,
    };
    return keep<Draft>({ ...head, id }, fields, { plan, notes, issues }, problems, (earlier) => {
      const isTaken = earlier.some(({ entry }) => entry.kind !== 'draft' && entry.id === id);
      if (isTaken) return refuse('invalid-entry', `${quoteId(id)} is no draft; name the draft otherwise.`);
      return base === undefined ? undefined : staleBase(id, base, earlier);
    });
  }

  /**
   * The digits of the start follow from the stored revision: its conversation, its draft and its content. A second hand-off
   * of the same revision, after a crash or beside us, starts the same run.
   */
  async function handOff(conversation: string, request: HandOffRequest, startRun: StartRun): Saved<HandOffEntry> {
    const problems: Problems = [];
    const head = headOf('handed-off', conversation, { ...request }, problems);
    const goal = readText('goal', request.goal, problems);
    const instructions = readText('instructions', request.instructions, problems);
    const read = await readingOf(conversation, problems);
    if (!read.ok) return read;
    const { entries } = read;
    const found = findDraft(entries, conversation, request.draft, request.revision);
    if (!found.ok) return found;
    const { id, revision, goal: its, plan } = (await whole<Draft>(found)).entry;
    const name = `draft ${quoteId(id)}, revision ${revision},`;
    if (goal !== undefined && goal !== its) {
      const next = 'Leave the goal out, or save a revision with it.';
      return refuse('invalid-entry', `The ${name} has the goal ${quote(its)}, not ${quote(goal)}. ${next}`);
    }
    const key = `handed-off/${revision}/${id}`;
    const done = entries.find(({ stored }) => stored.key === key);
    if (done !== undefined) return { ...(await whole<HandOffEntry>({ ok: true, at: done })), repeated: true };
    const compiled = await compile(plan, request.limits, await namedResults(partOf(conversation), entries));
    const once = digestOfRef(found.at.ref).slice(0, UNIQUE_DIGITS);
    const started = compiled.ok ? await startRun(plan, once, conversation) : compiled;
    if (!compiled.ok || !started.ok) {
      const message = `The plan of ${name} has errors, and no run was started. Mend them and save it again.`;
      return refuse('draft-invalid', message, started.ok ? [] : started.issues);
    }
    const { workflowId } = started.run;
    const fields = { draft: id, revision, workflowId, digest: compiled.plan.digest };
    return keep<HandOffEntry>(
      { ...head, key, id: workflowId },
      { ...fields, ...(instructions !== undefined && { instructions }) },
      undefined,
      [],
    );
  }

  /** The part that every entry has. Its key is unique where none was given; keys of two kinds never meet. */
  function headOf(
    kind: StoredEntry['kind'],
    conversation: unknown,
    { by, idempotencyKey }: SaveOptions,
    problems: Problems,
  ) {
    const given = idempotencyKey === undefined ? undefined : readText('idempotencyKey', idempotencyKey, problems);
    if (idempotencyKey !== undefined && given === undefined) {
      problems.push('idempotencyKey: expected a text that is not blank');
    }
    return {
      kind,
      conversation: readLabel('conversation', conversation, problems),
      createdAt: new Date(now()).toISOString(),
      ...(by !== undefined && { by: readLabel('by', by, problems) }),
      key: given === undefined ? `${kind}/new/${randomDigits()}` : `${kind}/given/${given}`,
    };
  }

  async function keep<Kind extends FullEntry>(
    head: StoredEntry,
    fields: object,
    contents: Readonly<Record<string, unknown>> | undefined,
    problems: Problems,
    check?: (earlier: readonly JournalEntry[]) => DraftRefusal | undefined,
  ): Saved<Kind> {
    if (problems.length > 0) return invalidEntry(problems);
    const part = partOf(head.conversation);
    const content = contents && (await writeContents(part, contents, problems));
    if (problems.length > 0) return invalidEntry(problems);
    const { kind, id, ...rest } = head;
    const stored = { kind, id, ...rest, ...fields, ...(content !== undefined && { content }) };
    const appended = await append(part, stored, check);
    return appended.ok ? { ...(await whole<Kind>(appended)), repeated: appended.repeated } : appended;
  }

  async function whole<Kind extends FullEntry>(found: At): Promise<Whole<Kind>>;
  async function whole<Kind extends FullEntry>(found: At | DraftRefusal): Promise<Whole<Kind> | DraftRefusal>;
  async function whole(found: At | DraftRefusal) {
    return found.ok ? { ok: true, entry: await readWhole(partOf(found.at.stored.conversation), found.at) } : found;
  }

  async function readingOf(
    conversation: string,
    others: Problems = [],
  ): Promise<DraftAnswer<{ readonly entries: readonly JournalEntry[] }>> {
    const problems: Problems = [];
    readLabel('conversation', conversation, problems);
    problems.push(...others.filter((one) => !problems.includes(one)));
    if (problems.length > 0) return invalidEntry(problems);
    return { ok: true, entries: await readJournal(partOf(conversation), conversation) };
  }

  /** `results` may be named by the steps of a list. */
  function compile(document: JsonValue, limits: Partial<Limits> | undefined, results: readonly NamedResult[]) {
    const contextRefs = Object.fromEntries(results.map(({ key, ref }) => [key, ref]));
    const bounds = { ...(catalogue !== undefined && { catalogue }), ...(limits !== undefined && { limits }) };
    return compileDocument(document, { contextRefs, ...bounds });
  }
}

interface Whole<Kind> {
  readonly ok: true;
  readonly entry: Kind;
}

interface At {
  readonly ok: true;
  readonly at: JournalEntry;
}

function staleBase(id: string, base: number, earlier: readonly JournalEntry[]): DraftRefusal | undefined {
  const latest = latestRevision(earlier, id);
  if (base === latest) return undefined;
  const last = earlier.findLast(({ entry }) => entry.kind === 'draft' && entry.id === id)?.entry;
  const made = `this save was made from revision ${base}`;
  if (last === undefined) {
    return refuse(
      'stale-draft',
      `Draft ${quoteId(id)} does not exist yet; ${made}. Save it without a base, or with base 0.`,
    );
  }
  const whose = last.by === undefined ? '' : ` by ${last.by}`;
  const next = `Look at revision ${latest}, carry your change over, and save with base ${latest}.`;
  return refuse(
    'stale-draft',
    `Draft ${quoteId(id)} is at revision ${latest}, saved${whose} at ${last.createdAt}; ${made}. ${next}`,
  );
}

function randomDigits(): string {
  return randomUUID().replaceAll('-', '');
}
