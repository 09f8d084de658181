/** A Temporal server for somebody who has none at hand: how it is asked for, what comes of it, and why there is none. */

import type { DevServerErrorCode } from '../../operations/error-codes.ts';
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
  /** Read: TEMPORAL_ADDRESS, _NAMESPACE, _API_KEY, _TLS, _CLI_PATH, PATH and those of the cache folder. By default process.env. */
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

/** Milliseconds after which a line is told again. */
const STEP_MS = 30_000;

/** Tells a line at once, and then for how long it goes on: on a terminal that can draw it again, else each half minute. */
export function tellTime(line: string, { onProgress, onTick }: Pick<Asked, 'onProgress' | 'onTick'>) {
  let told = 0;
  onProgress(`${line} ...`);
  return (elapsed: number): void => {
    const timed = `${line}, ${Math.round(elapsed / 1000)} s`;
    if (onTick !== undefined) return onTick(timed);
    if (elapsed < told + STEP_MS) return;
    told = elapsed;
    onProgress(timed);
  };
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

/** Why there is no Temporal server. The message says what was tried and what to do next. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
  readonly code: DevServerErrorCode;
  constructor(code: DevServerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
