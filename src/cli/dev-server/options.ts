/** The options of a dev server, and what their defaults and the environment make of them. */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

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
