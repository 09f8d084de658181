import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export interface DevServerOptions {
  readonly databaseFile?: string;
  /** The server's port; 0 for any free one. Default: 7233 if free, otherwise any. */
  readonly port?: number;
  /** The Web UI's port; 0 for any free one. Default: 8233 if free, otherwise any. */
  readonly uiPort?: number;
  readonly headless?: boolean;
  readonly onProgress?: (line: string) => void;
  /** Whether to use a server that already runs on 127.0.0.1:7233; default true. */
  readonly reuse?: boolean;
  /** The environment; default process.env. Read: TEMPORAL_ADDRESS, _NAMESPACE, _CLI_PATH, PATH, the cache folder's. */
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

export interface ResolvedOptions extends DevServerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly namespace: string;
  readonly cache: string;
  readonly databaseFile: string;
  readonly onProgress: (line: string) => void;
}

export function readOptions(options: DevServerOptions): ResolvedOptions {
  const { env = process.env, onProgress = () => {} } = options;
  const cache = cacheFolder(env);
  const databaseFile = resolve(options.databaseFile ?? join(cache, 'dev-server.db'));
  return { ...options, env, namespace: env['TEMPORAL_NAMESPACE'] || 'default', cache, databaseFile, onProgress };
}

/**
 * The folder for a fetched or built Temporal CLI and for the dev server's default database: `$PLANWRIGHT_CACHE`, or
 * `$XDG_CACHE_HOME/planwright`, or `~/.cache/planwright`. An empty variable counts as unset.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env['PLANWRIGHT_CACHE']) return resolve(env['PLANWRIGHT_CACHE']);
  if (env['XDG_CACHE_HOME']) return resolve(env['XDG_CACHE_HOME'], 'planwright');
  return join(homedir(), '.cache', 'planwright');
}
