/** The namespace of a worker: its id, and whether runs can say in it whom they wait for, so that an inbox finds them. */

import type { NativeConnection } from '@temporalio/worker';
import { messageOf } from '../plan/text/index.ts';
import { WAITS_FOR_ATTRIBUTE } from '../protocol/index.ts';

/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;
const ANSWER_MS = 5000;

/**
 * Whether the search attribute is registered in the namespace. A server that refuses the question, as one may that
 * keeps its operator service to administrators, counts as one without it: setting an attribute that is not registered
 * would stop every run.
 */
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

/**
 * As its server has made it: another server may have a namespace of the same name.
 * @throws Error where the server does not tell it
 */
export async function idOfNamespace(connection: NativeConnection, namespace: string): Promise<string> {
  const { namespaceInfo } = await connection
    .withDeadline(Date.now() + ANSWER_MS, () => connection.workflowService.describeNamespace({ namespace }))
    .catch((cause: unknown) => {
      throw new Error(`the server does not say what namespace ${namespace} is (${messageOf(cause)})`, { cause });
    });
  return namespaceInfo?.id ?? '';
}
