/** Files and standard input, and JSON as it is typed. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { compilePlan, FILE_LIMITS } from '../../plan/index.ts';
import { isRecord, type ApprovalPolicy } from '../../protocol/index.ts';
import { OperationError, invalidPlan } from '../../operations/index.ts';

export interface Wanted {
  /** The words for the thing that a person should name: `a plan file`. */
  readonly what: string;
  /** Never more is read than this. Default: everything. */
  readonly limit?: { readonly bytes: number; error(name: string, got: string): OperationError };
}

/** `-` is standard input. @throws OperationError NO_SUCH_FILE, NOT_A_FILE, NOT_READABLE, or the limit's. */
export async function readBytes(file: string, wanted: Wanted): Promise<Uint8Array> {
  if (file === '-') return readAll(process.stdin, 'standard input', wanted);
  const size = await sizeOf(file, wanted);
  if (wanted.limit !== undefined && size > wanted.limit.bytes) throw wanted.limit.error(file, `${size} bytes`);
  return readAll(createReadStream(file), file, wanted);
}

/** The name of a file in a message. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function sizeOf(file: string, wanted: Wanted): Promise<number> {
  try {
    const stats = await stat(file);
    if (!stats.isDirectory()) return stats.size;
  } catch (error) {
    throw unreadable(file, error, wanted);
  }
  throw new OperationError('NOT_A_FILE', `${file} is a directory; name ${wanted.what} in it`);
}

/** Counted while reading: the size of a pipe is not known before, and a file may grow. */
async function readAll(stream: AsyncIterable<Buffer>, name: string, wanted: Wanted): Promise<Uint8Array> {
  const { limit } = wanted;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (limit !== undefined && bytes > limit.bytes) throw limit.error(name, `more than ${limit.bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof OperationError ? error : unreadable(name, error, wanted);
  }
  return Buffer.concat(chunks);
}

function unreadable(file: string, error: unknown, { what }: Wanted): OperationError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new OperationError('NO_SUCH_FILE', `there is no file ${file}; name ${what}, or - for standard input`);
  }
  return new OperationError('NOT_READABLE', `${file} cannot be read: ${message}`);
}

/** A file of records, as `combine` takes it. @throws OperationError as `readBytes`, and INPUT_INVALID where it is too large */
export async function readTrackFile(file: string): Promise<{ readonly name: string; readonly content: Uint8Array }> {
  const { MAX_TRACK_BYTES } = await import('../../store/index.ts');
  return { name: nameOf(file), content: await readLimited(file, 'a file of records', MAX_TRACK_BYTES) };
}

/** A file of `eval`: cases, or a report. @throws OperationError as `readTrackFile` */
export async function readCasesFile(file: string): Promise<{ readonly name: string; readonly content: string }> {
  const { LIMITS } = await import('../../operations/evaluation/index.ts');
  const content = await readLimited(file, 'a file of cases or a report', LIMITS.bytes);
  return { name: nameOf(file), content: new TextDecoder().decode(content) };
}

function readLimited(file: string, what: string, bytes: number): Promise<Uint8Array> {
  const error = (name: string, got: string) =>
    new OperationError('INPUT_INVALID', `${name} has ${got}, and at most ${bytes} are read; split it`);
  return readBytes(file, { what, limit: { bytes, error } });
}

/** @throws OperationError NO_SUCH_FILE, NOT_A_FILE, NOT_READABLE, or PLAN_INVALID when it is too large. */
export function readPlan(file: string): Promise<Uint8Array> {
  return readBytes(file, { what: 'a plan file', limit: { bytes: FILE_LIMITS.bytes, error: tooLarge } });
}

/** A plan document with what its name says of it. @throws OperationError as `readPlan` */
export async function readSource(file: string): Promise<Source> {
  return { document: await readPlan(file), ...syntaxOf(file) };
}

interface Source {
  readonly document: Uint8Array;
  readonly syntax?: 'yaml';
}

/** A file named .yaml or .yml is YAML; everything else tells by its content. */
function syntaxOf(file: string): { readonly syntax?: 'yaml' } {
  return /\.ya?ml$/i.test(file) ? { syntax: 'yaml' } : {};
}

/**
 * A plan document as a run or a draft takes it: its bytes, or of YAML what they say, since runs know JSON.
 * @throws OperationError as `readPlan`, and PLAN_INVALID when the YAML does not parse.
 */
export async function readDocument(file: string): Promise<unknown> {
  const bytes = await readPlan(file);
  if (syntaxOf(file).syntax === undefined) return bytes;
  const { parse } = await import('yaml');
  try {
    return parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    const compiled = compilePlan(bytes, { syntax: 'yaml' });
    throw invalidPlan(compiled.ok ? compiled.warnings : compiled.issues);
  }
}

function tooLarge(name: string, got: string): OperationError {
  const expected = `at most ${FILE_LIMITS.bytes} bytes`;
  const message = `${name} has ${got}; a plan document has ${expected}. Split the plan into several.`;
  return invalidPlan([{ code: 'too-large', severity: 'error', path: '$', message, expected, got }]);
}

/** The JSON that an option was given. @throws OperationError USAGE with what was expected, such as `'["id1"]'`. */
export function readJsonWord(option: string, typed: string, expected: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch (error) {
    throw new OperationError(
      'USAGE',
      `${option}: expected JSON such as ${expected}, got ${typed} (${reasonOf(error)})`,
    );
  }
}

/** The object that a file holds; `expected` shows one. @throws OperationError INPUT_INVALID, and as `readPlan`. */
export async function readJsonObject(file: string, expected: string): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readPlan(file);
  const name = nameOf(file);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new OperationError('INPUT_INVALID', `${name} is no JSON in UTF-8: ${reasonOf(error)}`);
  }
  if (isRecord(value)) return value;
  throw new OperationError('INPUT_INVALID', `${name}: expected an object ${expected}`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How runs ask for approval: a word, or a file of rules; the run's own check tells what is wrong inside them. */
export async function readApproval(typed: string): Promise<ApprovalPolicy> {
  if (typed === 'required' || typed === 'effects') return typed;
  try {
    return (await readJsonObject(typed, 'such as { "rules": [...] }')) as unknown as ApprovalPolicy;
  } catch (error) {
    if (!(error instanceof OperationError) || error.code !== 'NO_SUCH_FILE') throw error;
    const message = `--approval: expected required or effects, or a file { "rules": [...] }; there is no file ${typed}`;
    throw new OperationError('USAGE', message);
  }
}
