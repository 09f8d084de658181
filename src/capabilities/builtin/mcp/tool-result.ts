/** The result of a tool: its structure as a value, or its contents as a text. */

import type { CallToolResult } from '@modelcontextprotocol/client';
import { CapabilityError, type ReadSchema } from '../../index.ts';
import type { JsonValue } from '../../../plan/index.ts';
import { cutCharacters, oneLine } from '../../../plan/text/index.ts';

const MOST_SAID = 1000;

/** @throws CapabilityError REPLANNING with what the tool says, where it says that it failed */
export function checkError({ isError, content }: CallToolResult, name: string): void {
  if (isError !== true) return;
  const said = cutCharacters(oneLine(textOf(content)), MOST_SAID);
  throw new CapabilityError('REPLANNING', `${name} says that it failed: ${said === '' ? 'nothing more' : said}`);
}

/**
 * The structure that the tool has announced.
 * @throws CapabilityError CRITICAL where it is not there, or does not fit its schema
 */
export function valueOf(
  { structuredContent }: CallToolResult,
  name: string,
  { problemsOf }: Extract<ReadSchema, { ok: true }>,
): JsonValue {
  if (structuredContent === undefined) {
    throw new CapabilityError('CRITICAL', `${name} has announced a structured result and gave none`);
  }
  const [problem] = problemsOf(structuredContent);
  if (problem === undefined) return structuredContent as JsonValue;
  const place = ['result', ...problem.path].join('.');
  throw new CapabilityError(
    'CRITICAL',
    `${name} gave a result that does not fit its schema: ${place}: ${problem.message}`,
  );
}

/** Its texts one below the other; a content of another kind is named, with its size. */
export function textOf(content: CallToolResult['content']): string {
  return content
    .map((one) => {
      switch (one.type) {
        case 'text':
          return one.text;
        case 'resource_link':
          return one.uri;
        case 'resource':
          return 'text' in one.resource ? one.resource.text : left(one.resource.mimeType, one.resource.blob);
        case 'image':
        case 'audio':
          return left(one.mimeType, one.data);
        default:
          return `[${(one as { readonly type: string }).type}, left out]`;
      }
    })
    .join('\n');
}

function left(type: string | undefined, base64: string): string {
  return `[${type ?? 'bytes'}, ${Math.floor((base64.length * 3) / 4)} bytes, left out]`;
}
