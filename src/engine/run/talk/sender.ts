/** The sender of a message to a run: the part that every message has. */

import { describe, isMalformed, isRecord } from '../../../wire/contract/index.ts';
import { isWellFormed, quote } from '../../../language/text/index.ts';
import { personOf } from '../approval/index.ts';

/** A comment is kept in the run's memory and shown in its details. */
export const MAX_TEXT = 2000;
const MAX_NAME = 200;

/** A message is one JSON object; any other value has no keys to look at. */
export function shapeProblem(payload: unknown, example: string): string | undefined {
  if (isMalformed(payload)) return `the message could not be decoded (${payload.reason})`;
  return isRecord(payload) ? undefined : `expected an object such as ${example}, got ${describe(payload)}`;
}

export function senderProblem({ by, role, comment, feedback }: Record<string, unknown>): string | undefined {
  if (typeof by !== 'string' || personOf(by) === '' || by.length > MAX_NAME) {
    return `by: expected the name of who says it, at most ${MAX_NAME} characters, got ${describe(by)}`;
  }
  if (role !== undefined && (typeof role !== 'string' || role.trim() === '' || role.length > MAX_NAME)) {
    return `role: expected a text of at most ${MAX_NAME} characters, got ${describe(role)}`;
  }
  if (comment !== undefined && (typeof comment !== 'string' || comment.length > MAX_TEXT)) {
    return `comment: expected a text of at most ${MAX_TEXT} characters, got ${describe(comment)}`;
  }
  const broken = Object.entries({ by, role, comment, feedback }).find(
    ([, text]) => typeof text === 'string' && !isWellFormed(text),
  );
  if (broken !== undefined)
    return `${broken[0]}: it holds half of a surrogate pair, which is no character; leave it out`;
  return undefined;
}

export function unknownKey(payload: Record<string, unknown>, known: readonly string[]): string | undefined {
  const unknown = Object.keys(payload).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : `unknown key ${quote(unknown)}; known are ${known.join(', ')}`;
}
