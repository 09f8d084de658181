/** The search attribute that plans need, on a server that was just started. */

import { Connection } from '@temporalio/client';
import { WAITS_FOR_ATTRIBUTE } from '../../wire/contract/index.ts';

export type Registered = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;

/**
 * Registers the search attribute by which inboxes find runs; one that is registered stays as it is. The program's own
 * flag for this (`--search-attribute`) does it for a new database file only.
 * @param timeout milliseconds for connecting and again for registering.
 */
export async function registerAttributes(address: string, namespace: string, timeout: number): Promise<Registered> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: timeout });
    const { operatorService } = connection;
    const searchAttributes = { [WAITS_FOR_ATTRIBUTE]: KEYWORD_LIST };
    await connection.withDeadline(Date.now() + timeout, () =>
      operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: `${WAITS_FOR_ATTRIBUTE} could not be registered: ${(error as Error).message}` };
  } finally {
    await connection?.close();
  }
}
