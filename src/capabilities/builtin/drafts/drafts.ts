import type { Catalogue, JsonValue, Limits, PlanIssue } from '../../../plan/index.ts';
import type { ConversationRun, KeptResult } from '../../../protocol/index.ts';

/** The kinds of entries: an artifact, a revision of a draft, the hand-off of a draft to a run, and the end of a run. */
export const ENTRY_KINDS = ['artifact', 'draft', 'handed-off', 'ended'] as const;

/** The kind of an entry, which decides the other fields of the entry. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

interface AnyEntry {
  /** The id: `plan_` and 12 hex digits for an artifact, the name of a draft, or the workflow id of a run. */
  readonly id: string;
  readonly conversation: string;
  /** The number of the entry in the conversation, counted from 1 without gaps. */
  readonly number: number;
  /** The time (ISO 8601, UTC) by the writer's clock. Entries are in the order of their numbers. */
  readonly createdAt: string;
  readonly by?: string;
}

/** A finding or a proposal, stored before there is a run for it. */
export interface Artifact extends AnyEntry {
  readonly kind: 'artifact';
  readonly title: string;
  /** The summary in Markdown. */
  readonly summary: string;
  readonly assumptions: readonly JsonValue[];
  readonly parameters: { readonly [name: string]: JsonValue };
  /** A plan document exactly as the author wrote it. It is not compiled until it becomes a draft. */
  readonly proposedPlan?: JsonValue;
}

/** One revision of a plan that is not ready to run. */
export interface Draft extends AnyEntry {
  readonly kind: 'draft';
  /** The number of the save under this id, counted from 1. */
  readonly revision: number;
  /** The goal, or an empty text if neither the plan nor the caller has one. */
  readonly goal: string;
  /** The digest of the compiled plan. Absent if the plan has errors. */
  readonly digest?: string;
  readonly errors: number;
  /** The plan document, as text or as JSON. A hand-off runs exactly this document. */
  readonly plan: JsonValue;
  /** Notes in Markdown. */
  readonly notes?: string;
  /** The issues of the compiler when the draft was saved: errors, warnings and notes. */
  readonly issues: readonly PlanIssue[];
}

/** The start of a run of a draft: its revision, the workflow id of the run, and the digest of its plan. */
export interface HandOffEntry extends AnyEntry {
  readonly kind: 'handed-off';
  readonly draft: string;
  readonly revision: number;
  readonly workflowId: string;
  readonly digest: string;
  readonly instructions?: string;
}

export interface Ended extends AnyEntry, ConversationRun {
  readonly kind: 'ended';
}

/** An entry of a conversation with its contents. `kind` says which fields it has. */
export type FullEntry = Artifact | Draft | HandOffEntry | Ended;

type Contents = 'summary' | 'assumptions' | 'parameters' | 'proposedPlan' | 'plan' | 'notes' | 'issues' | 'results';
type WithoutContents<Kind> = Kind extends unknown ? Omit<Kind, Contents | 'left'> : never;

/** An entry without its contents, as lists have it. `kind` says which fields it has. */
export type Entry = WithoutContents<FullEntry>;

/** A result of a run of the conversation, with the key under which a plan may name it. */
export type NamedResult = KeptResult & { readonly key: string; readonly workflowId: string };

/** Fields under the names of this project or of Pathfinder. Their values are checked when they are read. */
type ForeignFields<Field extends string> = { readonly [name in Field]?: unknown } & {
  readonly [foreign: string]: unknown;
};

/** The fields of an artifact: its title, its contents, and a plan that it proposes. */
export type ArtifactFields = ForeignFields<'title' | 'summary' | 'assumptions' | 'parameters' | 'proposedPlan'>;

/** The fields of a draft: a goal, a plan document, and notes in Markdown. */
export type DraftFields = ForeignFields<'goal' | 'plan' | 'notes'>;

/** The codes of a `DraftError`. On the command line the code is `error.reason`. */
export const DRAFT_ERROR_CODES = [
  /** The request is invalid, so nothing was done. @fix Follow the message. */
  'invalid-entry',
  /** The draft has no plan, and its notes contain none. @fix Give a plan document. */
  'draft-plan-required',
  /** The plan of the draft has errors, so no run was started. @fix Correct the errors and save the draft again. */
  'draft-invalid',
  /** The draft has a later revision than the named base. @fix Make the change in the latest revision and save again. */
  'stale-draft',
  /** The conversation has no such draft, or no such revision. @fix Name one that the message lists. */
  'draft-not-found',
  /** The conversation has no such artifact. @fix Name one that the message lists. */
  'artifact-not-found',
] as const;

export type DraftErrorCode = (typeof DRAFT_ERROR_CODES)[number];

/** A rejected request. The message says what is wrong and what to do. */
export class DraftError extends Error {
  override readonly name = 'DraftError';
  readonly code: DraftErrorCode;
  /** Of `draft-invalid`: the problems of the plan. */
  readonly issues?: readonly PlanIssue[];
  constructor(code: DraftErrorCode, message: string, issues?: readonly PlanIssue[]) {
    super(message);
    this.code = code;
    if (issues !== undefined) this.issues = issues;
  }
}

/**
 * The drafts and artifacts of conversations. The name of a conversation has 1 to 200 characters and is not blank. All
 * methods throw DraftError if they reject the request, and StoreError if the store cannot be used.
 */
export interface Drafts {
  /** Saves an artifact. A blank title becomes `New Conversation`. An invalid request gets `invalid-entry`. */
  saveArtifact(conversation: string, fields: ArtifactFields, options?: SaveOptions): Saved<Artifact>;
  /**
   * Compiles a plan and appends a revision, even if the plan has errors; `entry.issues` has them. Possible errors:
   * `invalid-entry`, `draft-plan-required`, and `stale-draft` if `base` is not the latest revision.
   */
  saveDraft(conversation: string, fields: DraftFields, options?: SaveDraftOptions): Saved<Draft>;
  /**
   * Lists entries in the order in which they were saved. `total` is the number of all entries of that kind. Possible
   * error: `invalid-entry`.
   */
  list(conversation: string, options: ListOptions & { readonly full: true }): Listed<FullEntry>;
  list(conversation: string, options?: ListOptions): Listed<Entry>;
  /**
   * Returns an artifact, or a revision of a draft, by default the latest; without an id, the revision that was saved
   * last. Possible errors: `artifact-not-found`, `draft-not-found`.
   */
  get(conversation: string, id?: string, revision?: number): Promise<{ readonly entry: FullEntry }>;
  /**
   * Starts a run of exactly the document of a draft, once for each revision, and records it. The run asks for its own
   * approval. Possible errors: `draft-not-found`, `draft-invalid`, `invalid-entry`.
   */
  handOff(conversation: string, request: HandOffRequest, startRun: StartRun): Saved<HandOffEntry>;
  /** Records the results of a run of the conversation when the run ends. An invalid request gets `invalid-entry`. */
  saveEnd(conversation: string, end: ConversationRun, options?: SaveOptions): Saved<Ended>;
  /**
   * The results of the conversation's runs in order, under the keys by which a later plan can name them. The last
   * result of a key counts. The result of a run without keys has `run_` and the number of its entry. Possible error:
   * `invalid-entry`.
   */
  results(conversation: string): Promise<{ readonly results: readonly NamedResult[] }>;
}

/** The answer to a save: the stored entry. `repeated` is true if the entry existed before and nothing was done. */
export type Saved<Kind> = Promise<{ readonly entry: Kind; readonly repeated: boolean }>;

export type Listed<Kind> = Promise<{ readonly entries: readonly Kind[]; readonly total: number }>;

/**
 * Starts a run, or returns the problems of its plan. Two starts with the same `once` start one run, as with the option
 * `once` of a plan client, so that a hand-off can be repeated after a crash.
 */
export type StartRun = (
  document: unknown,
  once: string,
  conversation?: string,
) => Promise<
  | { readonly ok: true; readonly run: { readonly workflowId: string } }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] }
>;

/** The options of `createDrafts`: the executors for checking plans, and a clock for tests. */
export interface DraftsOptions {
  /** The executors of a project. With a catalogue, plans are checked against it. */
  readonly catalogue?: Catalogue | undefined;
  /** Returns milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The options of every save: the name of the author, and a key that makes a repeated save harmless. */
export interface SaveOptions {
  readonly by?: string | undefined;
  /** A repeated save with the same key returns the first entry. */
  readonly idempotencyKey?: string | undefined;
}

/** The options of `saveDraft`: the name of the draft, its base revision, and the limits of its plan. */
export interface SaveDraftOptions extends SaveOptions {
  /** The name of the draft. Default `delegation_draft`. */
  readonly draft?: string | undefined;
  /** The revision from which this one was made, or 0 for none. Without a base, the save always appends. */
  readonly base?: number | undefined;
  /** The limits of the plan, such as `MODEL_LIMITS` if a model wrote it. Default `FILE_LIMITS`. */
  readonly limits?: Partial<Limits> | undefined;
}

/** The options of a list. By default it has entries of every kind, without their contents. */
export interface ListOptions {
  readonly kind?: EntryKind | undefined;
  /** The number of entries, counted from the last. Default 50. */
  readonly limit?: number | undefined;
  readonly full?: boolean | undefined;
}

export interface HandOffRequest {
  /** The name of the draft. By default the draft that was saved last. */
  readonly draft?: string;
  /** The number of the revision. By default the latest. */
  readonly revision?: number;
  /** The expected goal. If present, it must equal the goal of the draft. */
  readonly goal?: string;
  /** Text for the record. It does not change the plan. */
  readonly instructions?: string;
  readonly by?: string;
  readonly limits?: Partial<Limits>;
}
