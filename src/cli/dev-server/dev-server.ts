/** A Temporal server for somebody who has none at hand: one that is found, or a dev server that is started. */

import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { OperationError } from '../../operations/operation-error.ts';
import { takeLock } from './file-lock.ts';
import { findCli } from './find-cli.ts';
import { findServer } from './find-server.ts';
import { startServer } from './start-server.ts';

export interface DevServerOptions {
  /** SQLite file of the server; by default `dev-server.db` in the cache folder. */
  readonly databaseFile?: string;
  /** Port to start a server on; 0 takes any free one. By default 7233 when it is free, else any free one. */
  readonly port?: number;
  /** Port of the Web UI; 0 takes any free one. By default 8233 when it is free, else any free one. */
  readonly uiPort?: number;
  /** Starts the server without its Web UI; default false. */
  readonly headless?: boolean;
  /** Takes one line of progress at a time, for a person who waits; by default they are dropped. */
  readonly onProgress?: (line: string) => void;
  /** Takes lines that each take the place of the one before; by default one each half minute is told as progress. */
  readonly onTick?: (line: string) => void;
  /** Whether a server that already runs on 127.0.0.1:7233 is used; default true. */
  readonly reuse?: boolean;
  /** Read: TEMPORAL_ADDRESS, _NAMESPACE, _CLI_PATH, PATH and those of the cache folder. By default process.env. */
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** The options with what their defaults and the environment make of them. */
export interface Asked extends DevServerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly namespace: string;
  /** Folder of a CLI that was fetched or built. */
  readonly cache: string;
  readonly databaseFile: string;
  readonly onProgress: (line: string) => void;
}

export interface DevServer {
  /** `host:port` of the frontend. */
  readonly address: string;
  readonly namespace: string;
  /** One sentence fragment for people: where the server, or the CLI that runs it, comes from. */
  readonly how: string;
  /** Whether this call started it. The fields below are there only then. */
  readonly started: boolean;
  readonly uiUrl?: string;
  readonly pid?: number;
  readonly databaseFile?: string;
  readonly cliPath?: string;
  /** Stops the server if this call started it, else does nothing. May be called twice. */
  stop(): Promise<void>;
}

const DATABASE_WAIT = 5000;

/**
 * Finds a Temporal server or starts a dev server. In this order: `TEMPORAL_ADDRESS`; a server on 127.0.0.1:7233;
 * a CLI to start one with, from `TEMPORAL_CLI_PATH`, from `PATH`, from the cache folder, by the SDK's download, built with Go.
 * A started server ends with this process; it survives only a SIGKILL of this process.
 * @throws OperationError `NO_SERVER`, `PORT_IN_USE`, `DATABASE_IN_USE` or `DEV_SERVER`; ClientError `no-namespace`. The message says
 * what was tried and what to do next.
 */
export async function connectOrStart(options: DevServerOptions = {}): Promise<DevServer> {
  const asked = readOptions(options);
  const { databaseFile, namespace } = asked;
  const failed: string[] = [];
  const running = await findServer(asked, failed);
  if (running !== undefined) return { ...running, namespace, started: false, stop: async () => {} };
  const cli = await findCli(asked, failed);
  const lock = await takeDatabase(asked);
  try {
    const { pid, port, uiPort, stop } = await startServer(asked, cli);
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

export function readOptions(options: DevServerOptions): Asked {
  const { env = process.env, onProgress = () => {} } = options;
  const cache = cacheFolder(env);
  const databaseFile = resolve(options.databaseFile ?? join(cache, 'dev-server.db'));
  return { ...options, env, namespace: env['TEMPORAL_NAMESPACE'] || 'default', cache, databaseFile, onProgress };
}

/**
 * The folder for a Temporal CLI that we fetched or built, and for the default database of the dev server:
 * `$PLANWRIGHT_CACHE`, else `$XDG_CACHE_HOME/planwright`, else `~/.cache/planwright`. An empty variable counts as
 * unset.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env['PLANWRIGHT_CACHE']) return resolve(env['PLANWRIGHT_CACHE']);
  if (env['XDG_CACHE_HOME']) return resolve(env['XDG_CACHE_HOME'], 'planwright');
  return join(homedir(), '.cache', 'planwright');
}

/** Waits a little: the server of a process that has just ended needs a moment to end as well. */
async function takeDatabase({ databaseFile, signal, onProgress }: Asked) {
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
