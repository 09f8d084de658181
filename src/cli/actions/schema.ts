/** `planwright schema`: the JSON schema of plan documents. */

import { planSchema } from '../../language/plan/index.ts';
import type { Output } from '../terminal/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';

/** The schema is the answer in every format, so that it can be written to a file as it stands. */
export async function schema(_options: GlobalOptions, output: Output): Promise<number> {
  const written = planSchema();
  output.print(written, () => JSON.stringify(written, null, 2));
  return exitCode('done');
}
