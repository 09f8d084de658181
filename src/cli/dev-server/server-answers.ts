/** A Temporal server that is asked: whether it answers, whether it takes our search attribute, where it shows runs. */

import { Connection, type ConnectionOptions } from '@temporalio/client';
import { WAITS_FOR_ATTRIBUTE } from '../../protocol/index.ts';
import type { DevServer } from './dev-server.ts';
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

/** A dev server puts its Web UI on the port of the server plus this, unless it is told otherwise. */
const UI_OFFSET = 1000;
const UI_WITHIN_MS = 1000;
const PAGE_WITHIN_MS = 500;

/** The address of a server's Web UI, or undefined when it has none that we know of. */
export async function webUiOf({ address, uiUrl }: Pick<DevServer, 'address' | 'uiUrl'>): Promise<string | undefined> {
  if (uiUrl !== undefined) return uiUrl;
  const [host = '', port] = address.split(':');
  const guess = `http://${host}:${Number(port) + UI_OFFSET}`;
  // Another program on that port does not answer this.
  return (await isThere(`${guess}/api/v1/cluster-info`, UI_WITHIN_MS)) ? guess : undefined;
}

/** The page of a run; undefined unless a Web UI on this machine really shows this run. */
export async function runPageOf(
  { address, namespace }: Pick<DevServer, 'address' | 'namespace'>,
  workflowId: string,
): Promise<string | undefined> {
  const [, host, port] = /^(127\.0\.0\.1|localhost):(\d+)$/.exec(address) ?? [];
  if (host === undefined) return undefined;
  const path = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  const base = `http://${host}:${Number(port) + UI_OFFSET}`;
  return (await isThere(`${base}/api/v1/${path}`, PAGE_WITHIN_MS)) ? `${base}/${path}` : undefined;
}

async function isThere(url: string, withinMs: number): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(withinMs) })).ok;
  } catch {
    return false;
  }
}
