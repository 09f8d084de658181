/** The result in the answer of a tool, found in every place where the protocol allows it. */

import { z } from 'zod';
import type { ReadSchema } from '../../index.ts';
import { canonicalJson, exactJson, type JsonValue } from '../../../plan/index.ts';
import { cutCharacters, oneLine } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';
import { CallFailure } from './outcomes.ts';

/** Raw, so that a content of a kind that is not known leaves the others. `toolResult` is of the protocol of 2024. */
export const ANSWER = z.looseObject({
  content: z.array(z.unknown()).nullish(),
  structuredContent: z.unknown().optional(),
  toolResult: z.unknown().optional(),
  isError: z.boolean().nullish(),
});
export type Answer = z.output<typeof ANSWER>;

const MOST_SAID = 1000;

/**
 * @param announced the judge of the structure that the tool has announced; without it the result is a text
 * @throws CallFailure `tool-error`, `misfit` or `empty`
 */
export function readAnswer(answer: Answer, name: string, announced?: Extract<ReadSchema, { ok: true }>): JsonValue {
  const texts = textsOf(answer.content ?? []);
  const text = texts.join('\n');
  if (answer.isError === true) {
    const why = cutCharacters(oneLine(text), MOST_SAID);
    throw new CallFailure('tool-error', `${name} says that it failed: ${why === '' ? 'nothing more' : why}`);
  }
  const structure = (answer.structuredContent ?? answer.toolResult) as JsonValue | undefined;
  if (announced !== undefined) return announcedValue(structure, texts, name, announced);
  const isText = structure === undefined || (isBlankValue(structure) && text.trim() !== '');
  const found = isText ? text : typeof structure === 'string' ? structure : JSON.stringify(structure);
  if (found.trim() !== '') return found;
  throw new CallFailure('empty', `${name} gave an empty answer: ${texts.length === 0 ? 'no content' : 'a blank text'}`);
}

function isBlankValue(value: JsonValue): boolean {
  return typeof value === 'object' && Object.keys(value ?? {}).length === 0;
}

/** The structure, else the one text that is JSON and fits: many servers announce a structure and write it as text alone. */
function announcedValue(
  structure: JsonValue | undefined,
  texts: readonly string[],
  name: string,
  { problemsOf }: Extract<ReadSchema, { ok: true }>,
): JsonValue {
  const [problem] = structure === undefined ? [] : problemsOf(structure);
  if (problem !== undefined) {
    const place = ['result', ...problem.path].join('.');
    throw new CallFailure('misfit', `${name} gave a result that does not fit its schema: ${place}: ${problem.message}`);
  }
  if (structure !== undefined) return structure;
  const values = [texts.join('\n'), ...texts].map(exactJson).filter((value) => value !== undefined);
  const fitting = new Map(
    values.flatMap((value) => (problemsOf(value).length > 0 ? [] : [[canonicalJson(value as JsonValue), value]])),
  );
  const [value] = fitting.values();
  if (fitting.size === 1) return value as JsonValue;
  const why = fitting.size > 1 ? `${fitting.size} of its texts fit` : 'none of its texts is JSON that fits';
  throw new CallFailure('misfit', `${name} has announced a structured result and gave none; ${why}`);
}

/** The texts of an answer; a content of another kind is named, with its size. */
function textsOf(content: readonly unknown[]): readonly string[] {
  return content.map((one) => {
    if (!isRecord(one)) return '[left out]';
    const { type, text, uri, resource, mimeType, data } = one;
    if (type === 'text' && typeof text === 'string') return text;
    if (type === 'resource_link' && typeof uri === 'string') return uri;
    if (type === 'resource' && isRecord(resource)) {
      const inside = resource['text'];
      return typeof inside === 'string' ? inside : bytesOf(resource['mimeType'], resource['blob']);
    }
    return typeof data === 'string' ? bytesOf(mimeType, data) : `[${String(type)}, left out]`;
  });
}

function bytesOf(type: unknown, base64: unknown): string {
  const size = typeof base64 === 'string' ? Math.floor((base64.length * 3) / 4) : 0;
  return `[${typeof type === 'string' ? type : 'bytes'}, ${size} bytes, left out]`;
}
