/** Reads a plan document from a file or from standard input, never more of it than a plan may have. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { compilePlan, FILE_LIMITS } from '../../plan/index.ts';
import { CliError } from '../cli-error.ts';
import { invalidPlan } from './plan-issues.ts';

/** @throws CliError NO_SUCH_FILE, NOT_A_FILE, NOT_READABLE, or PLAN_INVALID when it is too large. */
export async function readPlan(file: string): Promise<Uint8Array> {
  if (file === '-') return readAll(process.stdin, 'standard input');
  const size = await sizeOf(file);
  if (size > FILE_LIMITS.bytes) throw tooLarge(file, `${size} bytes`);
  return readAll(createReadStream(file), file);
}

/** A file named .yaml or .yml is YAML; everything else tells by its content. */
export function syntaxOf(file: string): { readonly syntax?: 'yaml' } {
  return /\.ya?ml$/i.test(file) ? { syntax: 'yaml' } : {};
}

/**
 * A plan document as a run or a draft takes it: its bytes, or of YAML what they say, since runs know JSON.
 * @throws CliError as `readPlan`, and PLAN_INVALID when the YAML does not parse.
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

async function sizeOf(file: string): Promise<number> {
  try {
    const stats = await stat(file);
    if (!stats.isDirectory()) return stats.size;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw new CliError('NOT_A_FILE', `${file} is a directory; name a plan file in it`);
}

/** Counted while reading: the size of a pipe is not known before, and a file may grow. */
async function readAll(stream: AsyncIterable<Buffer>, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > FILE_LIMITS.bytes) throw tooLarge(name, `more than ${FILE_LIMITS.bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof CliError ? error : unreadable(name, error);
  }
  return Buffer.concat(chunks);
}

function unreadable(file: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new CliError('NO_SUCH_FILE', `there is no file ${file}; name a plan file, or - for standard input`);
  }
  return new CliError('NOT_READABLE', `${file} cannot be read: ${message}`);
}

function tooLarge(name: string, got: string): CliError {
  const expected = `at most ${FILE_LIMITS.bytes} bytes`;
  const message = `${name} has ${got}; a plan document has ${expected}. Split the plan into several.`;
  return invalidPlan([{ code: 'too-large', severity: 'error', path: '$', message, expected, got }]);
}
