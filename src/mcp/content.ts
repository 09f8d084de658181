/** Answers and failures as the content of a tool: JSON, as text and as structure, of limited size. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { toOperationError } from '../operations/index.ts';
import { given } from '../protocol/index.ts';
import { resultUri } from './resources.ts';
import type { HostCall, HostSession } from './host-session.ts';

/**
 * Maximum size of an answer in bytes, since a model reads it.
 * @bound an answer to a host @beyond `TOO_LARGE`, which says where the whole is
 */
const MAX_BYTES = 100_000;

/** @param elsewhere says how to get an answer that is too large */
export function contentOf(answer: object, elsewhere = 'ask for less of it'): CallToolResult {
  const json = JSON.stringify(answer);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_BYTES) {
    const error = {
      code: 'TOO_LARGE',
      message: `the answer has ${bytes} bytes, at most ${MAX_BYTES} are given; ${elsewhere}`,
    };
    return { ...contentOf({ ok: false, error }), isError: true };
  }
  return { content: [{ type: 'text', text: json }], structuredContent: JSON.parse(json) as Record<string, unknown> };
}

/** A failure with its code, its message and its details, such as the issues of a plan. */
export function failureOf(error: unknown, typed: (command: string) => string): CallToolResult {
  const { code, message, details } = toOperationError(error, typed);
  const content = contentOf({ ok: false, error: { code, message, ...details } });
  const short = content.isError === true ? contentOf({ ok: false, error: { code, message } }) : content;
  return { ...short, isError: true };
}

/** The outcome and the result of a run, or an error with the reason why it has none. @param more further fields */
export async function endedContent(
  session: HostSession,
  workflowId: string,
  call?: HostCall,
  more = {},
): Promise<CallToolResult> {
  const { receipt, error, ...ending } = await session.perform('ending', { workflowId }, call);
  const answer = { ...ending, ...given({ notes: receipt.notes }), ...more };
  if (error !== undefined) return { ...contentOf({ ...answer, error }), isError: true };
  const result = await session.perform('result', { workflowId }, call);
  const whole = contentOf({ ...answer, value: result });
  if (whole.isError !== true) return whole;
  return contentOf({
    ...answer,
    note: `its value is too large for an answer; the resource ${resultUri(workflowId)} has it`,
  });
}
