import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperationError } from '../../operations/operation-error.ts';
import { takeLock } from './file-lock.ts';
import { findCli } from './find-cli.ts';
import { findServer } from './find-server.ts';
import { readOptions, type ResolvedOptions, type DevServerOptions } from './options.ts';
import { startDevServer } from './start-server.ts';

export interface DevServer {
  readonly address: string;
  readonly namespace: string;
  /** Where the server or its CLI was found, for messages. */
  readonly how: string;
  /** True if this call started the server. Otherwise the following fields are absent. */
  readonly started: boolean;
  readonly uiUrl?: string;
  readonly pid?: number;
  readonly databaseFile?: string;
  readonly cliPath?: string;
  stop(): Promise<void>;
}

const DATABASE_WAIT = 5000;

/**
 * Finds a Temporal server or starts a dev server. In this order: `TEMPORAL_ADDRESS`; a server on 127.0.0.1:7233; a CLI
 * from `TEMPORAL_CLI_PATH`, `PATH`, the cache folder, the SDK's download, or a build with Go. A started server ends
 * with this process, unless SIGKILL ends the process. @throws OperationError `NO_SERVER`, `PORT_IN_USE`,
 * `DATABASE_IN_USE` or `DEV_SERVER`; ClientError `no-namespace`. The message lists what was tried and what to do next.
 */
export async function connectOrStart(options: DevServerOptions = {}): Promise<DevServer> {
  const resolved = readOptions(options);
  const { databaseFile, namespace } = resolved;
  const failed: string[] = [];
  const running = await findServer(resolved, failed);
  if (running !== undefined) return { ...running, namespace, started: false, stop: async () => {} };
  const cli = await findCli(resolved, failed);
  const lock = await takeDatabase(resolved);
  try {
    const { pid, port, uiPort, stop } = await startDevServer(resolved, cli);
    await lock.transfer(pid);
    return {
      address: `127.0.0.1:${port}`,
      namespace,
      how: cli.how,
      started: true,
      ...(uiPort !== undefined && { uiUrl: `http://127.0.0.1:${uiPort}` }),
      pid,
      databaseFile,
      cliPath: cli.path,
      async stop() {
        await stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Locks the database. If it is locked, waits a little: the lock of a server that ended lasts a moment longer. */
async function takeDatabase({ databaseFile, signal, onProgress }: ResolvedOptions) {
  await mkdir(dirname(databaseFile), { recursive: true });
  const path = `${databaseFile}.lock`;
  const lock = await takeLock(path, {
    wait: DATABASE_WAIT,
    signal,
    onWait: ({ pid }) => onProgress(`Waiting for process ${pid} to leave ${databaseFile} ...`),
  });
  if ('release' in lock) return lock;
  throw new OperationError(
    'DATABASE_IN_USE',
    `The database file ${databaseFile} is used by a dev server, process ${lock.pid}, since ${lock.since}. ` +
      `Stop it, or use another database file. If there is no such server, remove ${path}.`,
  );
}
