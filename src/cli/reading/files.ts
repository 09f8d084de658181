import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { compilePlan, FILE_LIMITS, jsonFlaw } from '../../plan/index.ts';
import { isRecord } from '../../protocol/index.ts';
import { OperationError, wrongUsage, invalidPlanError, readsFile, type InputField } from '../../operations/index.ts';
import { dashed } from '../options.ts';
import type { Output } from '../terminal/index.ts';
import { speakerOf } from './speaker.ts';

type Typed = Readonly<Record<string, unknown>>;

export async function readFields(fields: readonly InputField[], typed: Typed, output: Output): Promise<Typed> {
  const stdin = fields.filter((field) => readsFile(field) && typed[field.name] === '-');
  if (stdin.length > 1) {
    const named = stdin.map(({ name }) => name).join(' and ');
    throw wrongUsage(`${named} are both standard input; only one can be. Name a file for the other.`);
  }
  const input: Record<string, unknown> = {};
  for (const field of fields) Object.assign(input, await readField(field, typed, output));
  return input;
}

async function readField({ name, from, ...field }: InputField, all: Typed, output: Output): Promise<object> {
  const typed = all[name] ?? field.default;
  if (from === 'columns') return { [name]: output.columns };
  if (from === 'person') return { [name]: speakerOf({ by: typed, demo: all['demo'] } as object).by };
  if (from === 'flag') return {};
  if (from === 'none' || typed === undefined) return field.default === undefined ? {} : { [name]: field.default };
  const read = READERS[from === 'source-fields' ? 'source' : (from ?? '')];
  const value = read === undefined ? typed : await read(typed as string, `--${dashed(name)}`);
  return from === 'source-fields' ? (value as object) : { [name]: value };
}

/**
 * Readers for fields that are not plain text, by the field's `from`. `flag` is for messages.
 * @throws OperationError USAGE, INPUT_INVALID, PLAN_INVALID, and those of `planBytes`
 */
export const READERS: Readonly<Record<string, (typed: string, flag: string) => unknown>> = {
  async approval(typed, flag) {
    if (typed === 'required' || typed === 'effects') return typed;
    try {
      return await objectIn(typed, 'such as { "rules": [...] }');
    } catch (error) {
      if (!(error instanceof OperationError) || error.code !== 'NO_SUCH_FILE') throw error;
      const message = `${flag}: expected required or effects, or a file { "rules": [...] }; there is no file ${typed}`;
      throw wrongUsage(message);
    }
  },

  /** Reads a document as bytes. A YAML file is parsed, since runs read JSON. */
  async document(file) {
    const { document, syntax } = await sourceIn(file);
    if (syntax === undefined) return document;
    const { parse } = await import('yaml');
    try {
      return parse(Buffer.from(document).toString('utf8')) as unknown;
    } catch {
      const compiled = compilePlan(document, { syntax });
      throw invalidPlanError(compiled.ok ? compiled.warnings : compiled.issues);
    }
  },

  json(typed, flag) {
    try {
      return exactValue(typed);
    } catch (error) {
      const message = `${flag}: expected JSON such as '["id1","id2"]' or '"a text"', got ${typed} (${reasonOf(error)})`;
      throw wrongUsage(message);
    }
  },

  object: (file) => objectIn(file, 'such as {"name":"value"}'),
  source: sourceIn,
};

/** Reads a plan file. The endings .yaml and .yml mean YAML; the content decides any other format. */
async function sourceIn(file: string): Promise<{ readonly document: Uint8Array; readonly syntax?: 'yaml' }> {
  return { document: await planBytes(file), ...(/\.ya?ml$/i.test(file) && { syntax: 'yaml' }) };
}

async function objectIn(file: string, expected: string): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await planBytes(file);
  let value: unknown;
  try {
    value = exactValue(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new OperationError('INPUT_INVALID', `${nameOf(file)} is no exact JSON in UTF-8: ${reasonOf(error)}`);
  }
  if (isRecord(value)) return value;
  throw new OperationError('INPUT_INVALID', `${nameOf(file)}: expected an object ${expected}`);
}

/** Parses JSON. @throws Error if the text is not JSON, or ambiguous, for example with a repeated key */
function exactValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const flaw = jsonFlaw(text);
  if (flaw !== undefined) throw new Error(flaw);
  return value;
}

/**
 * Reads a file or, for `-`, standard input. Counts bytes while reading, since a pipe has no size and a file may grow.
 * @throws OperationError NO_SUCH_FILE, NOT_A_FILE, NOT_READABLE, PLAN_INVALID
 */
async function planBytes(file: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    if (file !== '-') {
      const stats = await stat(file);
      if (stats.isDirectory()) throw new OperationError('NOT_A_FILE', `${file} is a directory; name a plan file in it`);
      if (stats.size > FILE_LIMITS.bytes) throw tooLarge(file, `${stats.size} bytes`);
    }
    const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > FILE_LIMITS.bytes) throw tooLarge(nameOf(file), `more than ${FILE_LIMITS.bytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new OperationError('NO_SUCH_FILE', `there is no file ${file}; name a plan file, or - for standard input`);
    throw new OperationError('NOT_READABLE', `${nameOf(file)} cannot be read: ${message}`);
  }
}

function tooLarge(name: string, got: string): OperationError {
  const expected = `at most ${FILE_LIMITS.bytes} bytes`;
  const message = `${name} has ${got}; a plan document has ${expected}. Split the plan into several.`;
  return invalidPlanError([{ code: 'too-large', severity: 'error', path: '$', message, expected, got }]);
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
