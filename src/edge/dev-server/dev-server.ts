/** A Temporal server for somebody who has none at hand, and how it is asked for. */

import type { ConnectionOptions } from '@temporalio/client';
import type { Progress } from './progress.ts';

export interface DevServerOptions {
  /** SQLite file of the server; by default `dev-server.db` in the cache folder. */
  readonly databaseFile?: string;
  /** Port to start a server on; 0 takes any free one. By default 7233 when it is free, else any free one. */
  readonly port?: number;
  /** Port of the Web UI; 0 takes any free one. By default 8233 when it is free, else any free one. */
  readonly uiPort?: number;
  /** Starts the server without its Web UI; default false. */
  readonly headless?: boolean;
  /** The folder for a CLI that is fetched or built; by default `cacheFolder(env)`. */
  readonly cacheDir?: string;
  /** Takes one line of progress at a time, for a person who waits; by default they are dropped. */
  readonly onProgress?: Progress['onProgress'];
  /** Takes lines that each take the place of the one before; by default some of them, about ten, are told as progress. */
  readonly onTick?: Progress['onTick'];
  /** Whether a server that already runs on 127.0.0.1:7233 is used; default true. */
  readonly reuse?: boolean;
  /** Read: TEMPORAL_ADDRESS, _NAMESPACE, _API_KEY, _TLS, _CLI_PATH, PATH and those of the cache folder. By default process.env. */
  readonly env?: NodeJS.ProcessEnv;
  /** How to connect to TEMPORAL_ADDRESS, where an API key or plain TLS is not enough (client certificates). */
  readonly connection?: ConnectionOptions;
  /** The started server lives on when this process ends; default false. */
  readonly detach?: boolean;
  readonly signal?: AbortSignal;
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
