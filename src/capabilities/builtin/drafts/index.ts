export type { KeptResult, Outcome, ConversationRun } from '../../../protocol/index.ts';
export type { Catalogue, JsonValue, Limits, PlanIssue } from '../../../plan/index.ts';
export type { Store } from '../../../store/index.ts';
export { createDrafts } from './create-drafts.ts';
export { DRAFT_ERROR_CODES, DraftError, ENTRY_KINDS } from './drafts.ts';
export type * from './drafts.ts';
