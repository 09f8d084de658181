/** The JSON Schemas of a tool: complete for checking arguments, and without annotations for models. */

import { z } from 'zod';
import type { ReadSchema } from '../../index.ts';
import type { JsonValue } from '../../../plan/index.ts';
import { oneLine } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';

export function zodTypeOf(
  schema: Readonly<Record<string, unknown>>,
  { problemsOf }: Extract<ReadSchema, { ok: true }>,
): z.ZodType<Record<string, JsonValue>> {
  const type = z.unknown().transform((value, context) => {
    for (const { path, message } of problemsOf(value)) context.addIssue({ code: 'custom', path: [...path], message });
    return value as Record<string, JsonValue>;
  });
  const { $schema: _, ...described } = withoutNotes(schema) as Record<string, unknown>;
  // zod changes the object that it gets, so it gets a copy.
  type._zod.toJSONSchema = () => structuredClone(described);
  return type;
}

/** JSON Schema keywords that check nothing. They are removed from the schemas that models get. */
const NOTES = ['title', 'description', '$comment', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly', '$id'];

function withoutNotes(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withoutNotes(one));
  if (!isRecord(schema)) return schema;
  const members = Object.entries(schema).filter(([key]) => isNames || !NOTES.includes(key));
  const NAMED = ['properties', '$defs', 'definitions', 'patternProperties'];
  return Object.fromEntries(
    members.map(([key, value]) => {
      const isValues = !isNames && (key === 'enum' || key === 'const');
      return [key, isValues ? value : withoutNotes(value, !isNames && NAMED.includes(key))];
    }),
  );
}

export function notesOf({ properties }: Readonly<Record<string, unknown>>): string {
  const notes = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, one]) =>
    isRecord(one) && typeof one['description'] === 'string' ? [`${name}: ${oneLine(one['description'])}`] : [],
  );
  return notes.length === 0 ? '' : ` Arguments: ${notes.join('; ')}`;
}

export function toolNameOf(tool: unknown): unknown {
  return isRecord(tool) ? tool['name'] : undefined;
}
