/** A set as the text of a file, on stdout. */

import type { ResultSet } from '../../language/algebra/index.ts';
import { setText, type SetFormat } from '../../wire/results/index.ts';
import type { Output } from '../terminal/index.ts';
import { CliError } from '../cli-error.ts';

/** JSON is what `-o json` prints. */
export type FileShape = Exclude<SetFormat, 'json'>;

/** @throws CliError USAGE where stdout gets no text that could have the shape */
export function checkShape(format: FileShape | undefined, output: Output): void {
  if (format === undefined || output.format === 'text') return;
  throw new CliError('USAGE', `--format ${format} is a text, and -o ${output.format} is none; give one of them`);
}

/** @throws CliError INPUT_INVALID where these records cannot stand in such a file */
export function setFile(set: ResultSet, format: FileShape): string {
  const text = setText(set, format);
  if (!text.ok) throw new CliError('INPUT_INVALID', `--format ${format}: ${text.message}`);
  return [...text.lines].join('');
}
