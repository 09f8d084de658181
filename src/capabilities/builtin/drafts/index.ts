/** The entries of a conversation before any run: drafts, artifacts and hand-offs. */

export type { KeptResult, Outcome, ConversationRun } from '../../../protocol/index.ts';
export type { Catalogue, JsonValue, Limits, PlanIssue } from '../../../plan/index.ts';
export type { Store } from '../../../store/index.ts';
export { createDrafts } from './create-drafts.ts';
export { DRAFT_ERROR_CODES, type DraftAnswer, type DraftErrorCode, type DraftRefusal } from './requests.ts';
export type {
  Drafts,
  DraftsOptions,
  HandOffRequest,
  Listed,
  ListOptions,
  Saved,
  SaveDraftOptions,
  SaveOptions,
  StartRun,
} from './drafts.ts';
export {
  ENTRY_KINDS,
  type Artifact,
  type Draft,
  type Ended,
  type Entry,
  type EntryKind,
  type FullEntry,
  type HandOffEntry,
  type NamedResult,
} from './entry.ts';
export type { ArtifactFields, DraftFields } from './requests.ts';
