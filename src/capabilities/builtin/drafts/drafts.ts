import type { ConversationRun } from '../../../protocol/index.ts';
import type { Catalogue, Limits, PlanIssue } from '../../../plan/index.ts';
import type { Artifact, Draft, Ended, Entry, EntryKind, FullEntry, HandOffEntry, NamedResult } from './entry.ts';
import type { ArtifactFields, DraftAnswer, DraftFields } from './requests.ts';

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
