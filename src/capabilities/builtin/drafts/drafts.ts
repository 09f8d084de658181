/** The operations on the drafts and artifacts of conversations. */

import type { ConversationRun } from '../../../protocol/index.ts';
import type { Catalogue, Limits, PlanIssue } from '../../../plan/index.ts';
import type { Artifact, Draft, Ended, Entry, EntryKind, FullEntry, HandOffEntry, NamedResult } from './entry.ts';
import type { ArtifactFields, DraftAnswer, DraftFields } from './requests.ts';

/**
 * A conversation is any text of 1 to 200 characters that is not blank. All methods throw StoreError when the store
 * cannot be used; everything else that can be wrong comes as `{ ok: false, code, message, issues? }`.
 */
export interface Drafts {
  /** A blank title becomes `New Conversation`. Refuses with `invalid-entry`. */
  saveArtifact(conversation: string, fields: ArtifactFields, options?: SaveOptions): Saved<Artifact>;
  /**
   * Compiles the plan and appends a revision, whether the plan has errors or not; `entry.issues` has those of the
   * compiler. Refuses with `invalid-entry`, `draft-plan-required`, and `stale-draft` when `base` is not the latest
   * revision.
   */
  saveDraft(conversation: string, fields: DraftFields, options?: SaveDraftOptions): Saved<Draft>;
  /** In the order in which they were appended; `total` counts all of the kind. Refuses with `invalid-entry`. */
  list(conversation: string, options: ListOptions & { readonly full: true }): Listed<FullEntry>;
  list(conversation: string, options?: ListOptions): Listed<Entry>;
  /**
   * An artifact, or a revision of a draft (default: its latest). Without an id the revision that was saved last. Refuses
   * with `artifact-not-found`, `draft-not-found`.
   */
  get(conversation: string, id?: string, revision?: number): Promise<DraftAnswer<{ readonly entry: FullEntry }>>;
  /**
   * Starts a run of exactly the document of a draft, once for each revision, and records it. The plan is compiled
   * again. Refuses with `draft-not-found`, `draft-invalid` and `invalid-entry`. The run asks for its own approval.
   */
  handOff(conversation: string, request: HandOffRequest, startRun: StartRun): Saved<HandOffEntry>;
  /** Records what a run of the conversation has left at its end. Refuses with `invalid-entry`. */
  saveEnd(conversation: string, end: ConversationRun, options?: SaveOptions): Saved<Ended>;
  /**
   * The results of the conversation's runs, in order, each under the key by which the steps of a later plan may take
   * it: the last of a key counts, and the result of a run without keys is `run_` and the number of its entry. Refuses
   * with `invalid-entry`.
   */
  results(conversation: string): Promise<DraftAnswer<{ readonly results: readonly NamedResult[] }>>;
}

/** The answer to a save: the entry that is kept. `repeated`: the entry was there before, and nothing was done. */
export type Saved<Kind> = Promise<DraftAnswer<{ readonly entry: Kind; readonly repeated: boolean }>>;

/** The answer to a list: its entries in order, and in `total` how many there are of the kind, beyond the limit too. */
export type Listed<Kind> = Promise<DraftAnswer<{ readonly entries: readonly Kind[]; readonly total: number }>>;

/**
 * Starts a run of the document, or gives the problems of the plan. Two starts with the same digits are one start, as with
 * the option `once` of a plan client: a hand-off that a crash cut in two is repeated.
 */
export type StartRun = (
  document: unknown,
  once: string,
  /** The run is of this conversation: its option `conversation`. */
  conversation?: string,
) => Promise<
  | { readonly ok: true; readonly run: { readonly workflowId: string } }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] }
>;

/** The options of `createDrafts`: the check of plans, and the clock, which tests replace. */
export interface DraftsOptions {
  /** With it plans are checked against the executors of a project. */
  readonly catalogue?: Catalogue | undefined;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The options of every save: the saver's name, and a key that makes a repeated save harmless. */
export interface SaveOptions {
  /** The person or program that saves. */
  readonly by?: string | undefined;
  /** A save that comes again under its key is answered with the entry of the first time. */
  readonly idempotencyKey?: string | undefined;
}

/** The options of `saveDraft`: the draft's name, the revision that it builds on, and the limits of its plan. */
export interface SaveDraftOptions extends SaveOptions {
  /** Name of the draft. Default `delegation_draft`. */
  readonly draft?: string | undefined;
  /** The revision that this one was made from, 0 when there was none. Without it the save appends. */
  readonly base?: number | undefined;
  /** The limits of the plan: `MODEL_LIMITS` for one of a model. Default `FILE_LIMITS`. */
  readonly limits?: Partial<Limits> | undefined;
}

/** The options of a list: how many entries, and how much of each. Without `kind` it has entries of every kind. */
export interface ListOptions {
  readonly kind?: EntryKind | undefined;
  /** The last so many. Default 50. */
  readonly limit?: number | undefined;
  /** With contents. Default false. */
  readonly full?: boolean | undefined;
}

/** The request that starts a run of a draft: it names the revision and the person who asks. */
export interface HandOffRequest {
  /** Default: the draft that was saved last in the conversation. */
  readonly draft?: string;
  /** Default: the latest of the draft. */
  readonly revision?: number;
  /** Must be the goal of the draft, if it is given. */
  readonly goal?: string;
  /** Words for the record; they change nothing in the plan. */
  readonly instructions?: string;
  readonly by?: string;
  /** The limits of the plan, as in `SaveDraftOptions`. */
  readonly limits?: Partial<Limits>;
}
