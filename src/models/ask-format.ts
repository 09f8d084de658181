/** How a format is asked for, by what the server can be held to. */

import type { FormatSupport } from '../protocol/index.ts';
import { isStrict } from './shape.ts';
import type { ModelFormat, ModelMessage, ModelRequest } from './model-client.ts';

/** The messages as they are sent: where the server is not told the schema itself, the model reads it. */
export function promptOf({ messages, format }: ModelRequest, support: FormatSupport): readonly ModelMessage[] {
  if (format === undefined || support === 'json_schema') return messages;
  const asked = askInWords(format);
  const first = messages[0];
  // Some templates of chats take one system message, at the beginning.
  if (first?.role !== 'system') return [{ role: 'system', content: asked }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${asked}` }, ...messages.slice(1)];
}

/** OpenAI's servers refuse JSON mode where the prompt does not say JSON. */
function askInWords({ name, schema }: ModelFormat): string {
  return (
    `Answer with one JSON value and nothing else: no prose, no code fence. It is a ${name} and keeps to this JSON Schema:\n` +
    JSON.stringify(schema)
  );
}

/** How the format is named to the server: as the Responses API has it; chat completions nest the same one deeper. */
export function formatOf(format: ModelFormat | undefined, support: FormatSupport) {
  if (format === undefined || support === 'none') return undefined;
  if (support === 'json_object') return { type: support };
  const { name, schema } = format;
  return { type: support, name, schema: { ...schema }, ...(isStrict(schema) && { strict: true }) };
}
