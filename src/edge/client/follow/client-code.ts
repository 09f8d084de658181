/** Tells the errors of the client apart. */

import type { ClientError, ClientErrorCode } from '../client-error.ts';

/**
 * The code of a client's error, which is known by its name, since the client's room stands above this one. Undefined
 * for any other error.
 */
export function clientCode(error: unknown): ClientErrorCode | undefined {
  return error instanceof Error && error.name === 'ClientError' ? (error as ClientError).code : undefined;
}

/** A worker or a server that does not answer now may do so later. */
export function passingCode(error: unknown): 'no-worker' | 'no-server' | undefined {
  const code = clientCode(error);
  return code === 'no-worker' || code === 'no-server' ? code : undefined;
}
