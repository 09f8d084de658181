/** Operations for whoever sends their input from another process, as a page or a model does. */

import { OperationError } from './operation-error.ts';
import type { Operation, Waiting } from './operation.ts';
import type { Plans } from './plans.ts';

/**
 * Carries out an operation with an input that another process has sent.
 * @throws OperationError INPUT_INVALID that names every field which does not fit, and as the operation
 */
export async function perform<Input, Output>(
  { input: inputOf, run }: Operation<Input, Output>,
  plans: Plans,
  input: unknown,
  waiting?: Waiting,
): Promise<Output> {
  const { z: zod } = await import('zod');
  const read = inputOf(zod).safeParse(input);
  if (read.success) return run(plans, read.data, waiting);
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  throw new OperationError('INPUT_INVALID', issues.join('; '));
}
