/** A plan document from a file or from standard input, never more of it than a plan may have. */

import { compilePlan, FILE_LIMITS } from '../../language/plan/index.ts';
import { invalidPlan, type CliError } from '../cli-error.ts';
import { readBytes } from './read-bytes.ts';

/** @throws CliError NO_SUCH_FILE, NOT_A_FILE, NOT_READABLE, or PLAN_INVALID when it is too large. */
export function readPlan(file: string): Promise<Uint8Array> {
  return readBytes(file, { what: 'a plan file', limit: { bytes: FILE_LIMITS.bytes, error: tooLarge } });
}

/** A plan document with what its name says of it. @throws CliError as `readPlan` */
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

function tooLarge(name: string, got: string): CliError {
  const expected = `at most ${FILE_LIMITS.bytes} bytes`;
  const message = `${name} has ${got}; a plan document has ${expected}. Split the plan into several.`;
  return invalidPlan([{ code: 'too-large', severity: 'error', path: '$', message, expected, got }]);
}
