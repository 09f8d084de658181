import { z } from 'zod';
import type { ReadSchema } from '../../index.ts';
import { canonicalJson, exactJson, type JsonValue } from '../../../plan/index.ts';
import { cutCharacters, oneLine } from '../../../plan/text/index.ts';
import { isRecord, type ErrorClass } from '../../../protocol/index.ts';

/** Parses no content yet, since content of an unknown kind must not affect the rest. */
export const ANSWER = z.looseObject({
  content: z.array(z.unknown()).nullish(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().nullish(),
});
export type ToolAnswer = z.output<typeof ANSWER>;

type Judge = Extract<ReadSchema, { ok: true }>['problemsOf'];
const MAX_ANSWER_CHARACTERS = 1000;

/**
 * Reads the answer of a tool.
 * @param problemsOf checks the announced structure; if it is absent, the result is a text
 * @throws CallFailure `tool-error`, `misfit` or `empty`
 */
export function readToolAnswer(answer: ToolAnswer, name: string, problemsOf?: Judge): JsonValue {
  const texts = (answer.content ?? []).map(contentText);
  const text = texts.join('\n');
  if (answer.isError === true) {
    const why = cutCharacters(oneLine(text), MAX_ANSWER_CHARACTERS) || 'nothing more';
    throw new CallFailure('tool-error', `${name} says that it failed: ${why}`);
  }
  const structure = (answer.structuredContent ?? undefined) as JsonValue | undefined;
  if (problemsOf !== undefined) return structureIn([...texts, text], structure, name, problemsOf);
  const json = structure === undefined ? '' : JSON.stringify(structure);
  const found = json === '' || (json === '{}' && text.trim() !== '') ? text : json;
  if (found.trim() !== '') return found;
  throw new CallFailure('empty', `${name} gave an empty answer: ${texts.length === 0 ? 'no content' : 'a blank text'}`);
}

/** The structured result, or else the only text that matches the schema: many servers send the structure as text. */
function structureIn(
  texts: readonly string[],
  structure: JsonValue | undefined,
  name: string,
  problemsOf: Judge,
): JsonValue {
  const fitting = new Map<string, JsonValue>();
  for (const value of structure === undefined ? (texts.map(exactJson) as (JsonValue | undefined)[]) : [structure])
    if (value !== undefined && problemsOf(value).length === 0) fitting.set(canonicalJson(value), value);
  const [value] = fitting.values();
  if (value !== undefined && fitting.size === 1) return value;
  const [problem] = structure === undefined ? [] : problemsOf(structure);
  if (problem !== undefined) {
    const place = ['result', ...problem.path].join('.');
    throw new CallFailure('misfit', `${name} gave a result that does not fit its schema: ${place}: ${problem.message}`);
  }
  const why = `${fitting.size === 0 ? 'none' : fitting.size} of its texts fit`;
  throw new CallFailure('misfit', `${name} has announced a structured result and gave none; ${why}`);
}

function contentText(content: unknown): string {
  const { type, text, uri, resource, mimeType, data, blob } = isRecord(content) ? content : {};
  if (typeof text === 'string') return text;
  if (type === 'resource') return contentText(resource);
  if (type === 'resource_link' && typeof uri === 'string') return uri;
  const bytes = data ?? blob;
  const what = [mimeType, type].find((one) => typeof one === 'string') ?? 'bytes';
  return typeof bytes === 'string'
    ? `[${what}, ${Math.floor((bytes.length * 3) / 4)} bytes, left out]`
    : `[${what}, left out]`;
}

/**
 * Every outcome of a tool call except a readable result: its transports (`over`), the error class for a read, and the
 * state of an effect. The state is uncertain as soon as a request may have been sent. docs/mcp.md shows this table.
 */
export const CALL_OUTCOMES = {
  /** No request was sent: connection refused, no such host, bad certificate, or the process did not start. */
  unreachable: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'not-applied' },
  /** JSON-RPC error -32601, if this connection has never listed the tool. */
  unlisted: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'not-applied' },
  /** Another JSON-RPC error. A server may send -32602 after the tool ran, if the result does not match its schema. */
  error: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** An HTTP status other than 2xx. Redirects count as errors too. */
  status: { over: ['http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The process ended, the connection broke, or the server sent too much. */
  broken: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The server did not answer the call in time. */
  late: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The server answered, but its answer does not have the form of a tool result. */
  malformed: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The answer has `isError`: the tool says that it failed, but not how much it did before. */
  'tool-error': { over: ['stdio', 'http'], read: 'REPLANNING', effect: 'uncertain' },
  /** The structured result that the server announced is missing, or does not match its schema. */
  misfit: { over: ['stdio', 'http'], read: 'CRITICAL', effect: 'uncertain' },
  /** The result is empty. A read found nothing to continue with, but an effect has happened. */
  empty: { over: ['stdio', 'http'], read: 'REPLANNING', effect: 'done' },
} as const satisfies { readonly [answer: string]: { over: unknown; read: ErrorClass; effect: string } };

/** A tool call without a result. `answer` names its row of `CALL_OUTCOMES`. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly answer: keyof typeof CALL_OUTCOMES;
  constructor(answer: keyof typeof CALL_OUTCOMES, message: string, options?: ErrorOptions) {
    super(message, options);
    this.answer = answer;
  }
}
