/** The one way to carry out an operation: for who types it as values, and for who sends it from another process. */

import { OperationError } from './operation-error.ts';
import type { Operation, Waiting } from './operation.ts';
import type { Plans } from './plans.ts';
import { OPERATIONS, type OperationName } from './rows.ts';

type Row<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]>>;
export type InputOf<Name extends OperationName> = Parameters<Row<Name>['run']>[1];
export type OutputOf<Name extends OperationName> = Awaited<ReturnType<Row<Name>['run']>>;

/** @throws OperationError, and the errors of the rooms below, which `toOperationError` reads */
export async function perform<Name extends OperationName>(
  name: Name,
  plans: Plans,
  input: InputOf<Name>,
  waiting?: Waiting,
): Promise<OutputOf<Name>> {
  const row = await rowOf(name);
  return row.run(plans, input, waiting).catch((error: unknown) => {
    // An error about a run says which one, for the commands that are told with it.
    if (error instanceof Error) Object.assign(error, { run: (input as { workflowId?: unknown }).workflowId });
    throw error;
  });
}

/**
 * The same with an input that another process has sent, as a page or a model does.
 * @throws OperationError INPUT_INVALID that names every field which does not fit, and as `perform`
 */
export async function performSent<Name extends OperationName>(
  name: Name,
  plans: Plans,
  input: unknown,
  waiting?: Waiting,
): Promise<OutputOf<Name>> {
  const { input: inputOf } = await rowOf(name);
  const { z: zod } = await import('zod');
  const read = inputOf(zod).safeParse(input);
  if (read.success) return perform(name, plans, read.data, waiting);
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  throw new OperationError('INPUT_INVALID', issues.join('; '));
}

/** No row of a union takes the inputs of all. */
async function rowOf<Name extends OperationName>(name: Name): Promise<Operation<InputOf<Name>, OutputOf<Name>>> {
  return (await OPERATIONS[name]()) as unknown as Operation<InputOf<Name>, OutputOf<Name>>;
}
