import { OperationError } from './operation-error.ts';
import type { Operation, Waiting } from './operation.ts';
import type { Plans } from './plans.ts';
import { OPERATIONS, type OperationName } from './rows.ts';

type Row<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]>>;
export type InputOf<Name extends OperationName> = Parameters<Row<Name>['run']>[1];
export type OutputOf<Name extends OperationName> = Awaited<ReturnType<Row<Name>['run']>>;

export async function perform<Name extends OperationName>(
  name: Name,
  plans: Plans,
  input: InputOf<Name>,
  waiting?: Waiting,
): Promise<OutputOf<Name>> {
  const row = await rowOf(name);
  return row.run(plans, input, waiting).catch((error: unknown) => {
    // Adds the run's id, since the error's message may name a command with the id.
    if (error instanceof Error) Object.assign(error, { run: (input as { workflowId?: unknown }).workflowId });
    throw error;
  });
}

/**
 * Performs an operation with input from another process, such as a page or a model.
 * @throws OperationError INPUT_INVALID that names every wrong field; other errors as in `perform`
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

/** The cast lets TypeScript pair an operation with its own input. */
async function rowOf<Name extends OperationName>(name: Name): Promise<Operation<InputOf<Name>, OutputOf<Name>>> {
  return (await OPERATIONS[name]()) as unknown as Operation<InputOf<Name>, OutputOf<Name>>;
}
