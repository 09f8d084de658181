/** Finds a Temporal server, or starts a dev server with whatever CLI there is. */

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DevServerError, readOptions, type Asked, type DevServer, type DevServerOptions } from './dev-server.ts';
import { takeLock, type HeldLock } from './file-lock.ts';
import { DEFAULT_PORT, findWay, type Way } from './find-way.ts';
import { choosePort } from './ports.ts';
import { startServer } from './start-server.ts';

const DEFAULT_UI_PORT = 8233;
const START_ATTEMPTS = 3;
const DATABASE_WAIT = 5000;

type Cli = Extract<Way, { readonly kind: 'cli' }>;

/**
 * Finds a Temporal server or starts a dev server. In this order: `TEMPORAL_ADDRESS`; a server on 127.0.0.1:7233;
 * a CLI to start one with, from `TEMPORAL_CLI_PATH`, from `PATH`, from the cache folder, by the SDK's download, built with Go.
 * A started server ends with this process; it survives only a SIGKILL of this process.
 * @throws DevServerError
 */
export async function connectOrStart(options: DevServerOptions = {}): Promise<DevServer> {
  const asked = readOptions(options);
  const way = await findWay(asked);
  if (way.kind === 'cli') return startWithCli(way, asked);
  const { address, how } = way;
  return { address, namespace: asked.namespace, how, started: false, stop: async () => {} };
}

async function startWithCli(cli: Cli, asked: Asked): Promise<DevServer> {
  const { databaseFile, namespace } = asked;
  const lock = await takeDatabase(asked);
  try {
    const { pid, port, uiPort, stop } = await startOnPorts(cli, asked);
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

/** Waits a little: the server of a process that has just ended needs a moment to end as well. */
async function takeDatabase(asked: Asked): Promise<HeldLock> {
  const { databaseFile, signal } = asked;
  await mkdir(dirname(databaseFile), { recursive: true });
  const lockPath = `${databaseFile}.lock`;
  const lock = await takeLock(lockPath, {
    wait: DATABASE_WAIT,
    signal,
    onWait: ({ pid }) => asked.onProgress(`Waiting for process ${pid} to leave ${databaseFile} ...`),
  });
  if (lock.ok) return lock;
  const { pid, since } = lock.holder;
  throw new DevServerError(
    'database-in-use',
    `The database file ${databaseFile} is used by a dev server, process ${pid}, since ${since}. ` +
      `Stop it, or use another database file. If there is no such server, remove ${lockPath}.`,
  );
}

/** Somebody else can take a port between its choice and the start of the server; then others are chosen. */
async function startOnPorts(cli: Cli, asked: Asked) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const port = await choosePort(asked.port, DEFAULT_PORT);
      const uiPort = asked.headless === true ? undefined : await choosePort(asked.uiPort, DEFAULT_UI_PORT);
      asked.onProgress(`Starting a Temporal dev server on 127.0.0.1:${port} (${cli.how}: ${cli.path}) ...`);
      return { port, uiPort, ...(await startServer(asked, cli.path, port, uiPort)) };
    } catch (error) {
      const taken = error instanceof DevServerError && error.code === 'port-in-use';
      if (!taken || attempt === START_ATTEMPTS) throw error;
    }
  }
}
