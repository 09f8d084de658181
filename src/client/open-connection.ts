/** A connection that can be closed while calls are under way. */

import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Parameters<Interceptor>[1]>;

/** gRPC's CANCELLED: no call with it is tried again. */
const CANCELLED = 1;

/** An open connection. `close` ends it; a call that waits for its next try then fails as cancelled. */
export interface OpenConnection {
  readonly connection: Connection;
  close(): Promise<void>;
}

/**
 * Connects with the SDK's own retries, bound to the life of the connection: the SDK's timer would else begin the next
 * try of a call on a closed channel, which throws where nobody can catch it and ends the process.
 * @example const { connection, close } = await openConnection({ address: '127.0.0.1:7233' });
 */
export async function openConnection(options: Omit<ConnectionOptions, 'interceptors'>): Promise<OpenConnection> {
  let closed = false;
  // gRPC uses no more of an interceptor's result than its interface; the declared class has private fields besides.
  const whileOpen = ((call, next) => (closed ? cancelledCall() : next(call))) as Interceptor;
  const connection = await Connection.connect({
    ...options,
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), whileOpen],
  });
  const close = () => {
    closed = true;
    return connection.close();
  };
  return { connection, close };
}

/** Answers as a call that was cancelled before it began: no message, then the status. */
function cancelledCall(): Call {
  const nothing = () => undefined;
  return {
    start(metadata, listener) {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: CANCELLED, details: 'The connection was closed.', metadata });
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    halfClose: nothing,
    startRead: nothing,
    cancelWithStatus: nothing,
    getPeer: () => 'closed',
    getAuthContext: () => null,
  };
}
