/** Clients of the server for all tests of a file. */

import { Client, Connection } from '@temporalio/client';
import { afterAll, inject } from 'vitest';
import { openNamespace } from './namespaces.ts';

export async function fileClient(namespace = 'default'): Promise<Client> {
  const connection = await Connection.connect({ address: inject('address') });
  afterAll(() => connection.close());
  return new Client({ connection, namespace });
}

/** A namespace that no other file uses. */
export async function fileNamespace(): Promise<string> {
  const connection = await Connection.connect({ address: inject('address') });
  try {
    return await openNamespace(connection);
  } finally {
    await connection.close();
  }
}
