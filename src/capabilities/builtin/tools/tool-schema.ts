/**
 * Makes capabilities of tools that others wrote: descriptions, versions and JSON Schemas. Models get the schemas
 * without annotations; checks use them unchanged.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readSchema, type ReadSchema } from '../../index.ts';
import { canonicalJson, type JsonValue } from '../../../plan/index.ts';
import { cutCharacters, oneLine } from '../../../plan/text/index.ts';
import { isRecord } from '../../../protocol/index.ts';

type Schema = Readonly<Record<string, unknown>>;
export type SchemaCheck = Extract<ReadSchema, { ok: true }>['problemsOf'];

const DIGITS = 12;
const MAX_DESCRIPTION = 1000;

/** The digest of everything by which plans and people judge a tool. @throws TypeError for a lone surrogate */
export function toolDigest(declared: object): string {
  const canonical = canonicalJson(JSON.parse(JSON.stringify(declared)) as JsonValue);
  return createHash('sha256').update(canonical).digest('hex').slice(0, DIGITS);
}

/** What all tools have in common: a third party described them, and they see no goal. */
export function toolMembers(describedBy: string, description: string, schema: Schema, problemsOf: SchemaCheck) {
  return {
    description: cutCharacters(oneLine(`${description}${notesOf(schema)}`), MAX_DESCRIPTION),
    describedBy,
    input: zodTypeOf(schema, problemsOf),
    usesGoal: false,
    alone: true,
  } as const;
}

/** @throws Error with the first problem of the schema */
export function readToolSchema(schema: unknown, what: string): SchemaCheck {
  const read = readSchema(schema);
  if (read.ok) return read.problemsOf;
  const [first] = read.problems;
  const place = first?.path.map((part) => `${part}: `).join('') ?? '';
  throw new Error(`its ${what} schema cannot be used: ${place}${first?.message ?? 'no reason is known'}`);
}

function zodTypeOf(schema: Schema, problemsOf: SchemaCheck): z.ZodType<Record<string, JsonValue>> {
  const type = z.unknown().transform((value, context) => {
    for (const { path, message } of problemsOf(value)) context.addIssue({ code: 'custom', path: [...path], message });
    return value as Record<string, JsonValue>;
  });
  const { $schema: _, ...described } = withoutNotes(schema) as Record<string, unknown>;
  // zod changes the object that it receives, so it gets a copy.
  type._zod.toJSONSchema = () => structuredClone(described);
  return type;
}

/** JSON Schema keywords that check nothing. Models get schemas without them. */
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

function notesOf({ properties }: Schema): string {
  const notes = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, one]) =>
    isRecord(one) && typeof one['description'] === 'string' ? [`${name}: ${oneLine(one['description'])}`] : [],
  );
  return notes.length === 0 ? '' : ` Arguments: ${notes.join('; ')}`;
}

export function toolNameOf(tool: unknown): unknown {
  return isRecord(tool) ? tool['name'] : undefined;
}
