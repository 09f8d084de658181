/** Whether a Temporal server answers. */

import { Connection, type ConnectionOptions } from '@temporalio/client';

/** `no-namespace`: a server answers, and does not know the namespace. `silent`: nothing that speaks Temporal answers. */
export type Answer =
  | { readonly ok: true }
  | { readonly ok: false; readonly kind: 'no-namespace' | 'silent'; readonly reason: string };

const GRPC_NOT_FOUND = 5;

/**
 * Asks a server to list the workflows of a namespace. An open port is not an answer: the frontend listens before its
 * namespaces can be used.
 * @param timeout milliseconds for connecting and asking together.
 */
export async function serverAnswers(
  connectionOptions: ConnectionOptions & { readonly address: string },
  namespace: string,
  timeout: number,
): Promise<Answer> {
  const deadline = Date.now() + timeout;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ ...connectionOptions, connectTimeout: timeout });
    const { workflowService } = connection;
    await connection.withDeadline(deadline, () => workflowService.listWorkflowExecutions({ namespace, pageSize: 1 }));
    return { ok: true };
  } catch (error) {
    const kind = grpcCode(error) === GRPC_NOT_FOUND ? 'no-namespace' : 'silent';
    return { ok: false, kind, reason: firstLine(error) };
  } finally {
    await connection?.close();
  }
}

function grpcCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? text;
}
