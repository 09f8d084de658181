/** What drafts refuse, as an error of the command line. */

import type { DraftRefusal } from '../builtin/drafts/index.ts';
import { CliError } from './cli-error.ts';
import type { ErrorCode } from './exit-codes.ts';

const CODES = {
  'invalid-entry': 'INPUT_INVALID',
  'draft-plan-required': 'INPUT_INVALID',
  'draft-not-found': 'INPUT_INVALID',
  'artifact-not-found': 'INPUT_INVALID',
  'draft-invalid': 'PLAN_INVALID',
  'stale-draft': 'STALE',
} as const satisfies Record<DraftRefusal['code'], ErrorCode>;

/** The reason stands in the JSON form, so that a program tells a missing draft from a malformed one. */
export function toDraftError({ code, message, issues }: DraftRefusal): CliError {
  return new CliError(CODES[code], message, { reason: code, ...(issues !== undefined && { issues }) });
}
