/** JSON as it is typed, and as a file holds it. */

import { isRecord } from '../../wire/contract/index.ts';
import { CliError } from '../cli-error.ts';
import { nameOf } from './read-bytes.ts';
import { readPlan } from './read-plan.ts';

/** What an option was given. @throws CliError USAGE with what was expected, such as `'["id1"]'`. */
export function readJsonWord(option: string, typed: string, expected: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch (error) {
    throw new CliError('USAGE', `${option}: expected JSON such as ${expected}, got ${typed} (${reasonOf(error)})`);
  }
}

/** What the file that an option names holds. @throws CliError INPUT_INVALID, and as `readPlan`. */
export async function readJsonFile(option: string, file: string): Promise<unknown> {
  const bytes = await readPlan(file);
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  } catch (error) {
    throw new CliError('INPUT_INVALID', `${option} ${file} is no JSON: ${reasonOf(error)}`);
  }
}

/** The object that a file holds; `expected` shows one. @throws CliError INPUT_INVALID, and as `readPlan`. */
export async function readJsonObject(file: string, expected: string): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readPlan(file);
  const name = nameOf(file);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new CliError('INPUT_INVALID', `${name} is no JSON in UTF-8: ${reasonOf(error)}`);
  }
  if (isRecord(value)) return value;
  throw new CliError('INPUT_INVALID', `${name}: expected an object ${expected}`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
