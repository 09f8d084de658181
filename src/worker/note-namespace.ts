/** The namespaces whose runs use a store stand in it, so that nobody who looks after the store forgets one. */

import type { NativeConnection } from '@temporalio/worker';
import { messageOf } from '../plan/text/index.ts';
import { namespaceName, usedBy } from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';

const ANSWER_MS = 10_000;

/**
 * Notes it once, by its id: another server may have one of the same name.
 * @throws Error where the server does not tell the id; StoreError where the store is away
 */
export async function noteNamespace(
  store: ResultStore,
  connection: NativeConnection,
  namespace: string,
): Promise<void> {
  const { namespaceInfo } = await connection
    .withDeadline(Date.now() + ANSWER_MS, () => connection.workflowService.describeNamespace({ namespace }))
    .catch((cause: unknown) => {
      throw new Error(`the server does not say what namespace ${namespace} is (${messageOf(cause)})`, { cause });
    });
  const id = namespaceInfo?.id ?? '';
  const name = namespaceName(id);
  if ((await store.bound(name)) !== undefined) return;
  await store.bind(name, await store.put(Buffer.from(JSON.stringify(usedBy({ namespace, id })), 'utf8')));
}
