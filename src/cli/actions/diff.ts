/** `planwright diff`: two plans compared, offline. */

import { diffPlans, renderDiff } from '../../language/plan/index.ts';
import type { Output } from '../terminal/index.ts';
import { CliError } from '../cli-error.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { compileFile } from '../reading/index.ts';

export async function diff(_options: GlobalOptions, output: Output, left: string, right: string): Promise<number> {
  if (left === '-' && right === '-')
    throw new CliError('USAGE', 'standard input can be one of the two plans, not both');
  const { plan: before } = await compileFile(left, output);
  const { plan: after } = await compileFile(right, output);
  const found = diffPlans(before, after);
  output.print({ ok: true, before: before.digest, after: after.digest, ...found }, () =>
    found.same ? `one plan, digest ${after.digest}` : renderDiff(found, before, after, { width: output.columns }),
  );
  return exitCode(found.same ? 'done' : 'badOutcome');
}
