/** Decisions, answers and orders as the trace keeps them. */

import type { Decision, Said } from '../../contract/index.ts';
import type { Dialogue } from '../dialogue.ts';

export function textOf({ kind, digest, by, comment }: Decision): string {
  return `${kind} ${digest.slice(0, 8)} by ${by}${comment === undefined ? '' : ` (${comment})`}`;
}

/**
 * A message as it is kept: without the plan of an edit and the value of a result, which are in the store, and with the
 * plan that it was said about, whole, however few digits were named.
 */
export function saidOf(message: object, { approval: { digest, revision } }: Dialogue, ref?: string): Said {
  const { plan: _, value: __, token: ___, ...said } = message as Record<string, unknown>;
  return { ...said, digest, revision, ...(ref !== undefined && { ref }) };
}
