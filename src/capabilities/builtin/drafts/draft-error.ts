/** The errors of a request about drafts and artifacts. docs/errors.md lists the codes; a test compares. */

import type { PlanIssue } from '../../../plan/index.ts';

/** Every code of a refused request about drafts and artifacts. docs/errors.md says what to do about each. */
export const DRAFT_ERROR_CODES = [
  'invalid-entry',
  'draft-plan-required',
  'draft-invalid',
  'stale-draft',
  'draft-not-found',
  'artifact-not-found',
] as const;

/** The stable code of a refused request about drafts and artifacts, one of `DRAFT_ERROR_CODES`. */
export type DraftErrorCode = (typeof DRAFT_ERROR_CODES)[number];

/**
 * A refused request about drafts and artifacts. `message` says what is wrong and what to do next; `issues` are those of
 * the plan, with `draft-invalid`.
 */
export interface DraftRefusal {
  readonly ok: false;
  readonly code: DraftErrorCode;
  readonly message: string;
  readonly issues?: readonly PlanIssue[];
}

/** The answer to a request about drafts: `ok: true` with the fields of `Given`, or the refusal. */
export type DraftAnswer<Given> = ({ readonly ok: true } & Given) | DraftRefusal;

export function refuse(code: DraftErrorCode, message: string, issues?: readonly PlanIssue[]): DraftRefusal {
  return { ok: false, code, message, ...(issues !== undefined && { issues }) };
}
