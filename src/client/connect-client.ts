/** A program's connection to the server, and whether that is still there. */

import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DEFAULT_NAMESPACE } from '../protocol/index.ts';
import { encryptionCodec, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { noServer } from './client-error.ts';

/** A server that is there answers in milliseconds. */
const ALIVE_MS = 1500;

/** Within 1.5 s. */
export async function isServerThere({ connection, workflowService }: Client): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + ALIVE_MS, () => workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}

/**
 * The server to connect to. Default: as the Temporal CLI is configured, else `127.0.0.1:7233` and the namespace
 * `default`.
 */
export interface ClientTarget {
  readonly address?: string;
  readonly namespace?: string;
  /** The keys of the workers. Default none: nothing is encrypted, and what is encrypted is not read. */
  readonly encryption?: EncryptionKeys;
  /** A profile of the Temporal config file, and nothing that the environment says. */
  readonly profile?: string;
}

/** An open connection to a Temporal server, with its address and namespace. `close` ends it. */
export interface ConnectedClient {
  readonly client: Client;
  readonly address: string;
  readonly namespace: string;
  /** Whether the server still answers, within 1.5 s. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

export const DEFAULT_ADDRESS = '127.0.0.1:7233';
const CONNECT_TIMEOUT = '5 seconds';

/**
 * Connects as the Temporal CLI would: its profile and TEMPORAL_* variables, with `target` on top.
 * @throws ClientError `no-server` within 5 s when nothing answers; EncryptionError `invalid-keys`
 * @example const { client, address, namespace, close } = await connectClient({ namespace: 'staging' });
 */
export async function connectClient(target: ClientTarget = {}): Promise<ConnectedClient> {
  const { profile } = target;
  const { connectionOptions, namespace: configured } = loadClientConnectConfig(
    profile === undefined ? {} : { profile, disableEnv: true },
  );
  const address = target.address ?? connectionOptions.address ?? DEFAULT_ADDRESS;
  const namespace = target.namespace ?? configured ?? DEFAULT_NAMESPACE;
  const dataConverter = { payloadCodecs: [encryptionCodec(target.encryption)] };
  try {
    const { connection, close } = await openConnection({
      ...connectionOptions,
      address,
      connectTimeout: CONNECT_TIMEOUT,
    });
    const client = new Client({ connection, namespace, dataConverter });
    return { client, address, namespace, answers: () => isServerThere(client), close };
  } catch (error) {
    throw noServer({ address }, error);
  }
}

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
