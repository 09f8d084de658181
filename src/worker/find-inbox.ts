/** Finds the id of the worker's namespace, and whether its search attribute for inboxes is registered. */

import type { NativeConnection } from '@temporalio/worker';
import { messageOf } from '../plan/text/index.ts';
import { WAITS_FOR_ATTRIBUTE } from '../protocol/index.ts';

/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;
const ANSWER_MS = 5000;

/** Whether the search attribute is registered; false if unknown, since an unregistered one would block every run. */
export async function hasInbox(connection: NativeConnection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    return Number(customAttributes[WAITS_FOR_ATTRIBUTE]) === KEYWORD_LIST;
  } catch {
    return false;
  }
}

/** The server's id of a namespace: two servers may use the same name. @throws Error if the server does not answer */
export async function idOfNamespace(connection: NativeConnection, namespace: string): Promise<string> {
  const { namespaceInfo } = await connection
    .withDeadline(Date.now() + ANSWER_MS, () => connection.workflowService.describeNamespace({ namespace }))
    .catch((cause: unknown) => {
      throw new Error(`the server does not say what namespace ${namespace} is (${messageOf(cause)})`, { cause });
    });
  return namespaceInfo?.id ?? '';
}
