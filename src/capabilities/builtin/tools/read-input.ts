/** Reads the input schema of another library's tool, in any of its notations, as a JSON Schema and a check. */

import { createRequire } from 'node:module';
import { z } from 'zod';
import { strictly } from '../../read-arguments.ts';
import { describe, isRecord } from '../../../protocol/index.ts';
import { messageOf } from '../../../plan/text/index.ts';
import { readToolSchema, type SchemaCheck } from './tool-schema.ts';

/** Standard Schema, which zod, valibot, arktype and others implement. */
interface Standard {
  validate(value: unknown): Judged | Promise<Judged>;
  readonly jsonSchema?: { input(options: { readonly target: 'draft-2020-12' }): unknown };
}

type Judged =
  | { readonly issues?: undefined; readonly value: unknown }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

export interface ToolInput {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly problemsOf: SchemaCheck;
  /** Checks the arguments by the library's rules, and adds its defaults. Absent if the JSON Schema has all rules. */
  readonly validate?: Standard['validate'] | undefined;
}

const require = createRequire(import.meta.url);
const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false };
const EXPECTED = 'expected a zod schema, a JSON Schema, or jsonSchema(...) of the AI SDK';

/** @throws Error that says what is wrong with the schema */
export function readToolInput(written: unknown): ToolInput {
  const isLazy = typeof written === 'function' && !('~standard' in written);
  const { schema, validate } = notationOf((isLazy ? (written as () => unknown)() : written) ?? NO_ARGUMENTS);
  if (schema instanceof Promise) throw new Error('its input schema is a promise; write jsonSchema(await ...)');
  if (!isRecord(schema)) throw new Error(`its input schema is ${describe(schema)}; ${EXPECTED}`);
  const { type = 'object' } = schema;
  if (type !== 'object')
    throw new Error(`its input is ${describe(type)}; expected an object, since arguments have names`);
  const check = readToolSchema(schema, 'input');
  return {
    ...{ schema, validate },
    problemsOf(value) {
      const problems = check(value);
      if (problems.length > 0 || validate === undefined) return problems;
      try {
        const judged = validate(value);
        // A check that returns a promise is skipped here and made right before the call.
        return judged instanceof Promise ? (judged.catch(() => undefined), []) : argumentProblems(judged);
      } catch (error) {
        return [{ path: [], message: `it cannot be checked: ${messageOf(error)}` }];
      }
    },
  };
}

export function argumentProblems({ issues = [] }: Judged): ReturnType<SchemaCheck> {
  const keyOf = (part: unknown) => String(isRecord(part) ? part['key'] : part);
  return issues.map(({ path = [], message }) => ({ path: path.map(keyOf), message }));
}

function notationOf(source: unknown): { readonly schema: unknown; readonly validate?: Standard['validate'] } {
  if (typeof source === 'object' && source !== null && '_zod' in source) {
    // Makes objects strict, since zod would drop an unknown key although a person has approved it.
    const strict = strictly(source as z.ZodType);
    return { schema: z.toJSONSchema(strict, { io: 'input' }), validate: strict['~standard'].validate };
  }
  const standard = (source as { readonly '~standard'?: Standard })['~standard'];
  if (standard !== undefined) {
    const schema = standard.jsonSchema?.input({ target: 'draft-2020-12' }) ?? fromZod3(source);
    return { schema, validate: (value) => standard.validate(value) };
  }
  if (!isRecord(source) || !('jsonSchema' in source)) return { schema: source };
  // The AI SDK's own notation.
  const { jsonSchema: schema, validate } = source as unknown as AiSchema;
  if (validate == null) return { schema };
  return {
    schema,
    async validate(value) {
      const { success, value: read, error } = await validate(value);
      return success ? { value: read } : { issues: [{ message: messageOf(error) }] };
    },
  };
}

interface AiSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => PromiseLike<Validated> | Validated) | undefined;
}

type Validated = { readonly success: boolean; readonly value?: unknown; readonly error?: unknown };

function fromZod3(source: unknown): unknown {
  if (!isRecord(source) || !('_def' in source)) throw new Error(`its input schema has no JSON Schema; ${EXPECTED}`);
  try {
    const converter = require('zod-to-json-schema') as { zodToJsonSchema(of: unknown): unknown };
    return converter.zodToJsonSchema(source);
  } catch (cause) {
    const next = 'run npm install zod-to-json-schema, or use zod 4';
    throw new Error(`its input schema is of zod 3; ${next} (${messageOf(cause)})`, { cause });
  }
}
