/** A failure of a command that its user can do something about. */

import { toOperationError, type OperationError } from '../operations/index.ts';
import { asTyped } from './as-typed.ts';

export { invalidPlan, issuesOf, OperationError as CliError } from '../operations/index.ts';

export function toCliError(error: unknown): OperationError {
  return toOperationError(error, asTyped);
}
