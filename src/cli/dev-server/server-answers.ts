/** A Temporal server that is asked: whether it answers, whether it takes our search attribute, where it shows runs. */

import { Connection, type ConnectionOptions } from '@temporalio/client';
import { WAITS_FOR_ATTRIBUTE } from '../../protocol/index.ts';
import { isListening } from './ports.ts';

/** `no-namespace`: a server answers, and does not know the namespace. `silent`: nothing that speaks Temporal answers. */
export type Answer =
  | { readonly ok: true }
  | { readonly ok: false; readonly kind: 'no-namespace' | 'silent'; readonly reason: string };

type Target = ConnectionOptions & { readonly address: string };

const GRPC_NOT_FOUND = 5;
/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;

/**
 * Asks a server to list the workflows of a namespace. An open port is not an answer: the frontend listens before its
 * namespaces can be used.
 * @param timeout milliseconds for connecting and asking together.
 */
export function serverAnswers(target: Target, namespace: string, timeout: number): Promise<Answer> {
  return ask(target, timeout, ({ workflowService }) =>
    workflowService.listWorkflowExecutions({ namespace, pageSize: 1 }),
  );
}

/** The same of a port of this machine. Connecting with gRPC to a closed one takes as long as its own retries. */
export async function localServerAnswers(port: number, namespace: string, timeout: number): Promise<Answer> {
  if (!(await isListening(port))) return { ok: false, kind: 'silent', reason: 'nothing listens there' };
  return serverAnswers({ address: `127.0.0.1:${port}` }, namespace, timeout);
}

/**
 * Registers the search attribute by which inboxes find runs, with a server of this machine; one that is registered stays as it is. The program's own
 * flag for this (`--search-attribute`) does it for a new database file only.
 * @param timeout milliseconds for connecting and registering together.
 */
export async function registerAttributes(port: number, namespace: string, timeout: number): Promise<Answer> {
  const searchAttributes = { [WAITS_FOR_ATTRIBUTE]: KEYWORD_LIST };
  const answer = await ask({ address: `127.0.0.1:${port}` }, timeout, ({ operatorService }) =>
    operatorService.addSearchAttributes({ namespace, searchAttributes }),
  );
  if (answer.ok) return answer;
  return { ...answer, reason: `${WAITS_FOR_ATTRIBUTE} could not be registered: ${answer.reason}` };
}

async function ask(
  target: Target,
  timeout: number,
  question: (connection: Connection) => Promise<unknown>,
): Promise<Answer> {
  const deadline = Date.now() + timeout;
  let connection: Connection | undefined;
  try {
    const connected = (connection = await Connection.connect({ ...target, connectTimeout: timeout }));
    await connected.withDeadline(deadline, () => question(connected));
    return { ok: true };
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    const kind = code === GRPC_NOT_FOUND ? 'no-namespace' : 'silent';
    return { ok: false, kind, reason: message.split('\n')[0] ?? message };
  } finally {
    await connection?.close();
  }
}
