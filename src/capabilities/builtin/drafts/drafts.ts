/** The entries of a conversation and the requests about them. */

import type { Catalogue, JsonValue, Limits, PlanIssue } from '../../../plan/index.ts';
import type { ConversationRun, KeptResult } from '../../../protocol/index.ts';

/** Every kind of entry: an artifact, a revision of a draft, the hand-off of a draft to a run, the end of a run. */
export const ENTRY_KINDS = ['artifact', 'draft', 'handed-off', 'ended'] as const;

/** The kind of an entry, one of `ENTRY_KINDS`. The other fields of the entry follow from it. */
export type EntryKind = (typeof ENTRY_KINDS)[number];

interface AnyEntry {
  /**
   * The name of the entry: of an artifact `plan_` and 12 hex digits, of a draft its name, of a hand-off and of an end
   * the workflow id.
   */
  readonly id: string;
  readonly conversation: string;
  /** Its place in the conversation, from 1, without gaps. */
  readonly number: number;
  /** ISO 8601, UTC, by the writer's clock. The order is that of the numbers, not of the clocks. */
  readonly createdAt: string;
  readonly by?: string;
}

/** A finding or a proposal from before any run. */
export interface Artifact extends AnyEntry {
  readonly kind: 'artifact';
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  readonly assumptions: readonly JsonValue[];
  readonly parameters: { readonly [name: string]: JsonValue };
  /** A plan document as the writer gave it. It is compiled when it becomes a draft. */
  readonly proposedPlan?: JsonValue;
}

/** One revision of a plan that is being worked on. */
export interface Draft extends AnyEntry {
  readonly kind: 'draft';
  /** Counts the saves under this id, from 1. */
  readonly revision: number;
  /** Empty if neither the plan nor the caller has one. */
  readonly goal: string;
  /** The digest of the compiled plan; absent if the plan has errors. */
  readonly digest?: string;
  readonly errors: number;
  /** The plan document, as text or as JSON: exactly what a hand-off runs. */
  readonly plan: JsonValue;
  /** Markdown. */
  readonly notes?: string;
  /** The issues of the compiler when the draft was saved: errors, warnings and notes. */
  readonly issues: readonly PlanIssue[];
}

/** A run of a draft was started: the draft's revision, the run's workflow id and its plan's digest. */
export interface HandOffEntry extends AnyEntry {
  readonly kind: 'handed-off';
  readonly draft: string;
  readonly revision: number;
  readonly workflowId: string;
  readonly digest: string;
  readonly instructions?: string;
}

/** The end of a run of the conversation. */
export interface Ended extends AnyEntry, ConversationRun {
  readonly kind: 'ended';
}

/** An entry of a conversation with its contents. `kind` says which fields it has. */
export type FullEntry = Artifact | Draft | HandOffEntry | Ended;

type Contents = 'summary' | 'assumptions' | 'parameters' | 'proposedPlan' | 'plan' | 'notes' | 'issues' | 'results';
type WithoutContents<Kind> = Kind extends unknown ? Omit<Kind, Contents | 'left'> : never;

/** An entry without its contents, as lists give it. `kind` says which fields it has. */
export type Entry = WithoutContents<FullEntry>;

/** A result of a run of the conversation, by the key under which a plan may name it. */
export type NamedResult = KeptResult & { readonly key: string; readonly workflowId: string };

/** Fields under our names or those of Pathfinder. Values are checked when they are read. */
type ForeignFields<Field extends string> = { readonly [name in Field]?: unknown } & {
  readonly [foreign: string]: unknown;
};

/** The fields of an artifact: its title, its contents, and a plan that it proposes. */
export type ArtifactFields = ForeignFields<'title' | 'summary' | 'assumptions' | 'parameters' | 'proposedPlan'>;

/** The fields of a draft: a goal, a plan document, and notes in Markdown. */
export type DraftFields = ForeignFields<'goal' | 'plan' | 'notes'>;

/** The code of a refusal of `createDrafts`; on the command line the `error.reason`. */
export const DRAFT_ERROR_CODES = [
  /** What was given does not fit; nothing was done. @fix Follow the message. */
  'invalid-entry',
  /** There is no plan, and none in the notes. @fix Give a plan document. */
  'draft-plan-required',
  /** The plan of the draft has errors, and no run was started. @fix Mend them, save the draft again. */
  'draft-invalid',
  /**
   * The draft has a later revision than the one named as its base. @fix Look at the latest, carry the change over,
   * save again.
   */
  'stale-draft',
  /** The conversation has no such draft, or no such revision of it. @fix Name one that the message lists. */
  'draft-not-found',
  /** The conversation has no such artifact. @fix Name one that the message lists. */
  'artifact-not-found',
] as const;

/** The code of a refused request about drafts and artifacts. */
export type DraftErrorCode = (typeof DRAFT_ERROR_CODES)[number];

/**
 * A refused request about drafts and artifacts. `message` says what is wrong and what to do next; `issues` are those of
 * the plan, for `draft-invalid`.
 */
export interface DraftRefusal {
  readonly ok: false;
  readonly code: DraftErrorCode;
  readonly message: string;
  readonly issues?: readonly PlanIssue[];
}

/** The answer to a request about drafts: `ok: true` with the fields of `Given`, or the refusal. */
export type DraftAnswer<Given> = ({ readonly ok: true } & Given) | DraftRefusal;

/**
 * A conversation is any text of 1 to 200 characters that is not blank. All methods throw StoreError if the store cannot
 * be used; every other problem comes as `{ ok: false, code, message, issues? }`.
 */
export interface Drafts {
  /** A blank title becomes `New Conversation`. Refuses with `invalid-entry`. */
  saveArtifact(conversation: string, fields: ArtifactFields, options?: SaveOptions): Saved<Artifact>;
  /**
   * Compiles the plan and appends a revision, even if the plan has errors; `entry.issues` has the compiler's issues.
   * Refuses with `invalid-entry`, `draft-plan-required`, and `stale-draft` if `base` is not the latest revision.
   */
  saveDraft(conversation: string, fields: DraftFields, options?: SaveDraftOptions): Saved<Draft>;
  /** In order of saving; `total` counts all of the kind. Refuses with `invalid-entry`. */
  list(conversation: string, options: ListOptions & { readonly full: true }): Listed<FullEntry>;
  list(conversation: string, options?: ListOptions): Listed<Entry>;
  /**
   * An artifact, or a revision of a draft (default: its latest). Without an id the revision that was saved last. Refuses
   * with `artifact-not-found`, `draft-not-found`.
   */
  get(conversation: string, id?: string, revision?: number): Promise<DraftAnswer<{ readonly entry: FullEntry }>>;
  /**
   * Starts a run of exactly the document of a draft, once per revision, and records it. The plan is compiled again.
   * Refuses with `draft-not-found`, `draft-invalid` and `invalid-entry`. The run asks for its own approval.
   */
  handOff(conversation: string, request: HandOffRequest, startRun: StartRun): Saved<HandOffEntry>;
  /** Records the results of a run of the conversation at its end. Refuses with `invalid-entry`. */
  saveEnd(conversation: string, end: ConversationRun, options?: SaveOptions): Saved<Ended>;
  /**
   * The results of the conversation's runs, in order, by the keys for the steps of a later plan. The last result of a
   * key counts; the result of a run without keys is `run_` plus the number of its entry. Refuses with `invalid-entry`.
   */
  results(conversation: string): Promise<DraftAnswer<{ readonly results: readonly NamedResult[] }>>;
}

/** The answer to a save: the stored entry. `repeated`: it existed before, and nothing was done. */
export type Saved<Kind> = Promise<DraftAnswer<{ readonly entry: Kind; readonly repeated: boolean }>>;

/** The answer to a list: its entries in order; `total` counts all of the kind. */
export type Listed<Kind> = Promise<DraftAnswer<{ readonly entries: readonly Kind[]; readonly total: number }>>;

/**
 * Starts a run of the document, or returns the problems of the plan. Two starts with the same digits are one, as with
 * the option `once` of a plan client, so that a hand-off can be repeated after a crash.
 */
export type StartRun = (
  document: unknown,
  once: string,
  /** The run's option `conversation`. */
  conversation?: string,
) => Promise<
  | { readonly ok: true; readonly run: { readonly workflowId: string } }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] }
>;

/** The options of `createDrafts`: the check of plans, and the clock, for tests. */
export interface DraftsOptions {
  /** With it, plans are checked against the executors of a project. */
  readonly catalogue?: Catalogue | undefined;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The options of every save: the saver's name, and a key for repeated saves. */
export interface SaveOptions {
  readonly by?: string | undefined;
  /** A repeated save with the same key returns the first entry. */
  readonly idempotencyKey?: string | undefined;
}

/** The options of `saveDraft`: the draft's name, its base revision, and the limits of its plan. */
export interface SaveDraftOptions extends SaveOptions {
  /** Name of the draft. Default `delegation_draft`. */
  readonly draft?: string | undefined;
  /** The revision that this one was made from, 0 for none. Without it the save appends. */
  readonly base?: number | undefined;
  /** The limits of the plan: `MODEL_LIMITS` for a model's plan. Default `FILE_LIMITS`. */
  readonly limits?: Partial<Limits> | undefined;
}

/** The options of a list. Default: entries of every kind, without contents. */
export interface ListOptions {
  readonly kind?: EntryKind | undefined;
  /** The last entries. Default 50. */
  readonly limit?: number | undefined;
  readonly full?: boolean | undefined;
}

/** Selects the revision to start, and names the person who asks. */
export interface HandOffRequest {
  /** Default: the draft that was saved last. */
  readonly draft?: string;
  /** Default: the latest. */
  readonly revision?: number;
  /** If present, it must be the goal of the draft. */
  readonly goal?: string;
  /** Text for the record; it does not change the plan. */
  readonly instructions?: string;
  readonly by?: string;
  readonly limits?: Partial<Limits>;
}
