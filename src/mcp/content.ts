/** Answers and failures as the content of a tool's result: JSON, as text and as structure, within a bound. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { toOperationError } from '../operations/index.ts';

/**
 * Bytes of the JSON of an answer: it is read by a model.
 * @bound an answer to a host
 * @beyond `TOO_LARGE`, which says where the whole is
 */
const MOST_BYTES = 100_000;

/** @param elsewhere where the whole is to be had that is too large */
export function contentOf(answer: object, elsewhere = 'ask for less of it'): CallToolResult {
  const json = JSON.stringify(answer);
  const bytes = Buffer.byteLength(json);
  if (bytes > MOST_BYTES) {
    const error = {
      code: 'TOO_LARGE',
      message: `the answer has ${bytes} bytes, at most ${MOST_BYTES} are given; ${elsewhere}`,
    };
    return { ...contentOf({ ok: false, error }), isError: true };
  }
  return { content: [{ type: 'text', text: json }], structuredContent: JSON.parse(json) as Record<string, unknown> };
}

/** The code, the sentence and the details, such as the issues of a plan, as every command tells them. */
export function failureOf(error: unknown, typed: (command: string) => string): CallToolResult {
  const { code, message, details } = toOperationError(error, typed);
  const told = contentOf({ ok: false, error: { code, message, ...details } });
  const short = told.isError === true ? contentOf({ ok: false, error: { code, message } }) : told;
  return { ...short, isError: true };
}
