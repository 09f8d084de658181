import { randomUUID } from 'node:crypto';
import { type JsonValue, type Limits, readJson, wholeDocument } from '../../../plan/index.ts';
import { quote, quoteId, jsonIn } from '../../../plan/text/index.ts';
import { given, isRecord } from '../../../protocol/index.ts';
import { conversationScope, digestOfRef, openResults, type Store } from '../../../store/index.ts';
import { compileDocument } from '../../compile-document.ts';
import {
  DraftError,
  type Drafts,
  type DraftsOptions,
  type Entry,
  type EntryKind,
  type FullEntry,
  type SaveOptions,
} from './drafts.ts';
import { appendEntry, findDraft, findEntry, namedResults, readJournal, revisionsOf, type Journal } from './journal.ts';
import { DRAFT_REQUESTS, readRequest } from './requests.ts';

const UNIQUE_DIGITS = 16;

type EntryOf<Kind> = Extract<FullEntry, { readonly kind: Kind }>;

/**
 * The drafts and artifacts of all conversations, in a result store. They need no server. Several processes may write to
 * one conversation at the same time.
 * @example
 * const drafts = createDrafts(store);
 * await drafts.saveDraft('reef-7', { plan: document }, { by: 'planner', base: 0 });
 */
export function createDrafts(store: Store, { catalogue, now = Date.now }: DraftsOptions = {}): Drafts {
  const resultsOf = openResults(store);
  const journalOf = (conversation: string) => readJournal(resultsOf(conversationScope(conversation)), conversation);

  return {
    async saveArtifact(conversation, fields, options = {}) {
      const request = readRequest(DRAFT_REQUESTS.artifact, conversation, options, fields);
      // As in Pathfinder, an artifact without a title gets the title of a new conversation.
      const { title = 'New Conversation', summary = '', ...others } = request.fields;
      const id = `plan_${randomDigits().slice(0, 12)}`;
      return save(request, 'artifact', { id, title, summary, ...others });
    },
    saveDraft,
    handOff,
    async saveEnd(conversation, { workflowId, outcome, goal, results, left }, options = {}) {
      const request = readRequest(DRAFT_REQUESTS.ended, conversation, options);
      return save(request, 'ended', { id: workflowId, workflowId, outcome, goal, results, left });
    },
    async results(conversation) {
      readRequest(DRAFT_REQUESTS.ended, conversation, {});
      return { results: namedResults(await journalOf(conversation)) };
    },
    list: (async (conversation, options = {}) => {
      const { kind, limit, full } = readRequest(DRAFT_REQUESTS.list, conversation, options).options;
      const entries = (await journalOf(conversation)).map(({ entry }) => entry);
      const ofKind = entries.filter((entry) => kind === undefined || entry.kind === kind);
      return { entries: ofKind.slice(-limit).map(full ? (entry) => entry : headOf), total: ofKind.length };
    }) as Drafts['list'],
    async get(conversation, id, revision) {
      readRequest(DRAFT_REQUESTS.entry, conversation, { id, revision });
      return { entry: findEntry(await journalOf(conversation), conversation, id, revision) };
    },
  };

  async function saveDraft(...[conversation, fields, options = {}]: Parameters<Drafts['saveDraft']>) {
    const request = readRequest(DRAFT_REQUESTS.draft, conversation, options, fields);
    const { draft: id, base, limits } = request.options;
    const { goal, plan: written, notes } = request.fields;
    const plan = draftDocument(goal, written, notes);
    const compiled = await compile(plan, limits, await journalOf(conversation));
    const ownGoal = compiled.ok ? compiled.plan.goal : statedGoal(plan);
    if (goal !== undefined && ownGoal !== undefined && ownGoal !== goal) {
      const problem = `The goal is ${quote(goal)}, and the plan document has a goal of its own, ${quote(ownGoal)}.`;
      throw new DraftError('invalid-entry', `${problem} Give one goal.`);
    }
    const issues = compiled.ok ? compiled.warnings : compiled.issues;
    const digest = compiled.ok ? compiled.plan.digest : undefined;
    const errors = issues.filter(({ severity }) => severity === 'error').length;
    const entry = { id, goal: ownGoal ?? goal ?? '', digest, errors, plan, notes, issues };
    return save(request, 'draft', entry, (earlier) => {
      if (earlier.some((found) => found.entry.kind !== 'draft' && found.entry.id === id)) {
        throw new DraftError('invalid-entry', `${quoteId(id)} is no draft; name the draft otherwise.`);
      }
      const latest = revisionsOf(earlier, id).at(-1)?.entry;
      if (base !== undefined && base !== (latest?.revision ?? 0)) throw staleBase(id, base, latest);
      return { revision: (latest?.revision ?? 0) + 1 };
    });
  }

  /**
   * Starts a run of a draft. The run's id depends only on the stored revision, so a repeated hand-off starts no second
   * run.
   */
  async function handOff(...[conversation, options, startRun]: Parameters<Drafts['handOff']>) {
    const request = readRequest(DRAFT_REQUESTS.handOff, conversation, options);
    const { goal, instructions, limits, draft: wanted } = request.options;
    const journal = await journalOf(conversation);
    const { ref, entry: draft } = findDraft(journal, conversation, wanted, request.options.revision);
    const { id, revision, plan } = draft;
    const name = `draft ${quoteId(id)}, revision ${revision},`;
    if (goal !== undefined && goal !== draft.goal) {
      const problem = `The ${name} has the goal ${quote(draft.goal)}, not ${quote(goal)}.`;
      throw new DraftError('invalid-entry', `${problem} Leave the goal out, or save a revision with it.`);
    }
    const key = `handed-off/${revision}/${id}`;
    const earlier = journal.find((found) => found.key === key);
    if (earlier !== undefined) return { entry: earlier.entry as EntryOf<'handed-off'>, repeated: true };
    const compiled = await compile(plan, limits, journal);
    const once = digestOfRef(ref).slice(0, UNIQUE_DIGITS);
    const started = compiled.ok ? await startRun(plan, once, conversation) : compiled;
    if (!compiled.ok || !started.ok) {
      const message = `The plan of ${name} has errors, and no run was started. Mend them and save it again.`;
      throw new DraftError('draft-invalid', message, started.ok ? [] : started.issues);
    }
    const { workflowId } = started.run;
    const entry = { id: workflowId, draft: id, revision, workflowId, digest: compiled.plan.digest, instructions };
    return save(request, 'handed-off', entry, undefined, key);
  }

  /**
   * Appends an entry.
   * @param fieldsAfter returns fields that depend on the earlier entries; it may reject the entry
   * @param key identifies the entry; default: the idempotency key of the request, or a new key
   */
  async function save<Kind extends EntryKind>(
    { conversation, options: { by, idempotencyKey } }: { conversation: string; options: SaveOptions },
    kind: Kind,
    fields: Readonly<Record<string, unknown>>,
    fieldsAfter: (earlier: Journal) => object = () => ({}),
    key = `${kind}/${idempotencyKey === undefined ? `new/${randomDigits()}` : `given/${idempotencyKey}`}`,
  ) {
    const head = { kind, conversation, createdAt: new Date(now()).toISOString(), by };
    const entryOf = (earlier: Journal) => given({ ...head, ...fields, ...fieldsAfter(earlier) });
    const saved = await appendEntry(resultsOf(conversationScope(conversation)), conversation, key, entryOf);
    return { ...saved, entry: saved.entry as EntryOf<Kind> };
  }

  function compile(document: JsonValue, limits: Partial<Limits> | undefined, journal: Journal) {
    const contextRefs = Object.fromEntries(namedResults(journal).map(({ key, ref }) => [key, ref]));
    return compileDocument(document, { contextRefs, catalogue, ...given({ limits }) });
  }
}

const CONTENTS = ['summary', 'assumptions', 'parameters', 'proposedPlan', 'plan', 'notes', 'issues', 'results', 'left'];

function headOf({ ...entry }: FullEntry): Entry {
  for (const field of CONTENTS) Reflect.deleteProperty(entry, field);
  return entry;
}

function staleBase(id: string, base: number, latest: EntryOf<'draft'> | undefined): Error {
  const made = `this save was made from revision ${base}`;
  const draft = `Draft ${quoteId(id)}`;
  if (latest === undefined)
    return new DraftError(
      'stale-draft',
      `${draft} does not exist yet; ${made}. Save it without a base, or with base 0.`,
    );
  const { revision, by, createdAt } = latest;
  const state = `is at revision ${revision}, saved${by === undefined ? '' : ` by ${by}`} at ${createdAt}`;
  const next = `Look at revision ${revision}, carry your change over, and save with base ${revision}.`;
  return new DraftError('stale-draft', `${draft} ${state}; ${made}. ${next}`);
}

function randomDigits(): string {
  return randomUUID().replaceAll('-', '');
}

export function draftDocument(
  goal: string | undefined,
  plan: JsonValue | undefined,
  notes: string | undefined,
): JsonValue {
  const document = isNothing(plan) ? planIn(notes) : plan;
  if (document !== undefined) return goal === undefined ? document : withGoal(document, goal);
  const where = notes === undefined ? 'no plan and no notes' : 'no plan, and its notes hold no JSON object that is one';
  const next = 'Give a plan document, { "goal": "...", "plan": { ... } }, or the root of its tree beside a goal.';
  throw new DraftError('draft-plan-required', `The draft has ${where}. ${next}`);
}

/** Adds the goal to a document. A document in text form stays text, so that the compiler sees repeated keys. */
function withGoal(document: JsonValue, goal: string): JsonValue {
  const value = documentObject(document);
  if (value === undefined) return document;
  const text = typeof document === 'string' ? withoutMark(document) : undefined;
  const isRoot = wholeDocument(value, goal) !== value;
  if (isRoot) return text === undefined ? { goal, plan: document } : `{"goal":${JSON.stringify(goal)},"plan":${text}}`;
  if ((value['goal'] ?? value['objective'] ?? undefined) !== undefined) return document;
  const isText = text !== undefined && !('goal' in value);
  return isText ? `{"goal":${JSON.stringify(goal)},${text.slice(1)}` : { ...value, goal };
}

function statedGoal(document: JsonValue): string | undefined {
  const { goal, objective } = documentObject(document) ?? {};
  const stated = goal ?? objective;
  return typeof stated === 'string' ? stated.trim() || undefined : undefined;
}

function documentObject(document: JsonValue): Readonly<Record<string, JsonValue>> | undefined {
  const value = typeof document === 'string' ? jsonIn(withoutMark(document)) : document;
  return isRecord(value) ? (value as Readonly<Record<string, JsonValue>>) : undefined;
}

function isNothing(plan: JsonValue | undefined): boolean {
  if (typeof plan === 'string') return plan.trim() === '';
  return plan === undefined || (isRecord(plan) && Object.keys(plan).length === 0);
}

const NODE_TYPES = ['task', 'step', 'subtask', 'combine', 'op', 'operator'];

function planIn(notes: string | undefined): JsonValue | undefined {
  const read = notes === undefined ? undefined : readJson(notes);
  if (read?.ok !== true || !isRecord(read.value)) return undefined;
  const { plan, steps, type, kind } = read.value;
  const node = type ?? kind;
  const isNode = typeof node === 'string' && NODE_TYPES.includes(node.trim().toLowerCase());
  return isRecord(plan) || Array.isArray(steps) || isNode ? read.value : undefined;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '').trim();
}
