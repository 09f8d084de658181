/** `planwright combine`: a set operator on two files, as a combine node of a plan would apply it. */

import { combineSets, observeSets } from '../../../language/algebra/index.ts';
import { toIdLines, toResultJson } from '../../../wire/results/index.ts';
import type { Output } from '../../terminal/index.ts';
import { CliError } from '../../cli-error.ts';
import { exitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { checkShape, setFile, type FileShape } from '../../showing/index.ts';
import { colocateOf, operatorOf, type ColocateFlags } from './operator-flags.ts';
import { readSides, type SideOptions } from './read-sides.ts';

export interface CombineOptions extends ColocateFlags, SideOptions {
  readonly format?: FileShape | undefined;
  /** What is noted is an error. */
  readonly strict?: true | undefined;
}

export async function combine(
  options: CombineOptions & GlobalOptions,
  output: Output,
  operatorName: string,
  leftFile: string,
  rightFile: string,
): Promise<number> {
  const operator = operatorOf(operatorName);
  const colocate = colocateOf(operator, options, output);
  checkShape(options.format, output);
  if (leftFile === '-' && rightFile === '-') {
    throw new CliError('USAGE', 'both sides are standard input; only one can be. Name a file for the other.');
  }
  const { left, right, notes } = await readSides([leftFile, rightFile], options, colocate?.output, output);
  const seen = observeSets(operator, left, right);
  for (const note of seen) output.note(`${output.paint('yellow', 'warning')} ${operator}: ${note}`);
  const odd = [...notes, ...seen];
  if (options.strict === true && odd.length > 0) {
    const what = odd.length === 1 ? '1 note is an error' : `${odd.length} notes are errors`;
    throw new CliError('INPUT_INVALID', `under --strict ${what}`, { notes: odd });
  }
  const combined = combineSets(operator, left, right, colocate);
  if (!combined.ok) throw new CliError('INPUT_INVALID', combined.message);
  const { set } = combined;
  const { format } = options;
  output.print(
    toResultJson(set),
    () => (format === undefined ? toIdLines(set) : setFile(set, format)),
    () => toResultJson(set).records,
  );
  return exitCode('done');
}
