/** Connects a program to a Temporal server. */

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

const ALIVE_MS = 1500;

/** Whether the server answers within 1.5 s. */
export async function isServerThere({ connection, workflowService }: Client): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + ALIVE_MS, () => workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}

/** The server to connect to. Default: as the Temporal CLI, otherwise `127.0.0.1:7233`, namespace `default`. */
export interface ClientTarget {
  readonly address?: string;
  readonly namespace?: string;
  /** The encryption keys of the workers. Default: none, so nothing is encrypted and encrypted data are unreadable. */
  readonly encryption?: EncryptionKeys;
  /** A profile of the Temporal config file. If set, environment variables are ignored. */
  readonly profile?: string;
}

/** An open connection to a Temporal server. `close` ends it. */
export interface ConnectedClient {
  readonly client: Client;
  readonly address: string;
  readonly namespace: string;
  /** Whether the server answers within 1.5 s. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

export const DEFAULT_ADDRESS = '127.0.0.1:7233';
const CONNECT_TIMEOUT = '5 seconds';

/**
 * Connects like the Temporal CLI, by its profile and the TEMPORAL_* variables. Values in `target` take precedence.
 * @throws ClientError `no-server` if nothing answers within 5 s; EncryptionError `invalid-keys`
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

export function configuredNamespace(): string {
  return loadClientConnectConfig().namespace ?? DEFAULT_NAMESPACE;
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Parameters<Interceptor>[1]>;

/** A status of gRPC. */
const CANCELLED = 1;

/** An open connection. `close` ends it; a call that waits for its next attempt then fails as cancelled. */
export interface OpenConnection {
  readonly connection: Connection;
  close(): Promise<void>;
}

/**
 * Connects with the SDK's retries, which end with the connection. Otherwise the SDK's timer would retry a call on a
 * closed channel, throw where nobody can catch, and end the process.
 * @example const { connection, close } = await openConnection({ address: '127.0.0.1:7233' });
 */
export async function openConnection(options: Omit<ConnectionOptions, 'interceptors'>): Promise<OpenConnection> {
  let closed = false;
  // The declared class also has private members, but gRPC uses only its interface.
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
