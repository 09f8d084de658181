/** Finds a Temporal server, or starts a dev server with whatever CLI there is. */

import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { DevServerError } from './dev-server-error.ts';
import type { DevServer, DevServerOptions } from './dev-server.ts';
import { takeLock, type HeldLock, type LockHolder } from './file-lock.ts';
import { DEFAULT_PORT, findWay, type Way } from './find-way.ts';
import { machineProbe } from './machine-probe.ts';
import { freePort, isPortFree } from './ports.ts';
import { startServer } from './start-server.ts';
import { wayError } from './way-error.ts';

const DEFAULT_UI_PORT = 8233;
const START_ATTEMPTS = 3;
const DATABASE_WAIT = 5000;

/**
 * Finds a Temporal server or starts a dev server. In this order: `TEMPORAL_ADDRESS`; a server on 127.0.0.1:7233;
 * a CLI to start one with, from `TEMPORAL_CLI_PATH`, from `PATH`, from the cache folder, by the SDK's download, built with Go.
 * A started server ends with this process unless `detach` is set; it survives only a SIGKILL of this process.
 * @throws DevServerError
 */
export async function connectOrStart(options: DevServerOptions = {}): Promise<DevServer> {
  const env = options.env ?? process.env;
  const namespace = env['TEMPORAL_NAMESPACE'] || 'default';
  const way = await findWay(machineProbe(options, env, namespace));
  switch (way.kind) {
    case 'running':
      return { address: way.address, namespace, how: way.how, started: false, stop: async () => {} };
    case 'cli':
      return startWithCli(way, options, env, namespace);
    case 'unreachable':
    case 'no-namespace':
    case 'cli-path':
    case 'none':
      throw wayError(way, namespace);
  }
}

async function startWithCli(
  way: Extract<Way, { kind: 'cli' }>,
  options: DevServerOptions,
  env: NodeJS.ProcessEnv,
  namespace: string,
): Promise<DevServer> {
  const databaseFile = resolve(options.databaseFile ?? join(options.cacheDir ?? cacheFolder(env), 'dev-server.db'));
  await mkdir(dirname(databaseFile), { recursive: true });
  const lock = await takeDatabase(databaseFile, options);
  try {
    const { server, port, uiPort } = await startOnPorts(way, options, { databaseFile, namespace, env });
    await lock.transfer(server.pid);
    return {
      address: `127.0.0.1:${port}`,
      namespace,
      how: way.how,
      started: true,
      ...(uiPort === undefined ? {} : { uiUrl: `http://127.0.0.1:${uiPort}` }),
      pid: server.pid,
      databaseFile,
      cliPath: way.path,
      async stop() {
        await server.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Waits a little: the server of a process that has just ended needs a moment to end as well. */
async function takeDatabase(databaseFile: string, options: DevServerOptions): Promise<HeldLock> {
  const lockPath = `${databaseFile}.lock`;
  const onWait = ({ pid }: LockHolder) =>
    options.onProgress?.(`Waiting for process ${pid} to leave ${databaseFile} ...`);
  const lock = await takeLock(lockPath, { wait: DATABASE_WAIT, onWait, signal: options.signal });
  if (lock.ok) return lock;
  const { pid, since } = lock.holder;
  throw new DevServerError(
    'database-in-use',
    `The database file ${databaseFile} is used by a dev server, process ${pid}, since ${since}. ` +
      `Stop it, or use another database file. If there is no such server, remove ${lockPath}.`,
  );
}

/** Somebody else can take a port between its choice and the start of the server; then others are chosen. */
async function startOnPorts(
  way: Extract<Way, { kind: 'cli' }>,
  options: DevServerOptions,
  rest: { readonly databaseFile: string; readonly namespace: string; readonly env: NodeJS.ProcessEnv },
) {
  const { onProgress = () => {}, detach = false, headless = false, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const port = await choosePort(options.port, DEFAULT_PORT);
      const uiPort = headless ? undefined : await choosePort(options.uiPort, DEFAULT_UI_PORT);
      onProgress(`Starting a Temporal dev server on 127.0.0.1:${port} (${way.how}: ${way.path}) ...`);
      const server = await startServer({ ...rest, cliPath: way.path, port, uiPort, detach, signal });
      return { server, port, uiPort };
    } catch (error) {
      const taken = error instanceof DevServerError && error.code === 'port-in-use';
      if (!taken || attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function choosePort(asked: number | undefined, preferred: number): Promise<number> {
  if (asked === 0) return freePort();
  if (await isPortFree(asked ?? preferred)) return asked ?? preferred;
  if (asked === undefined) return freePort();
  throw new DevServerError(
    'port-in-use',
    `Port ${asked} of 127.0.0.1 is taken. Free it, or name another; 0 takes any.`,
  );
}
