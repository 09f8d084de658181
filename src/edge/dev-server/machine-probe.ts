/** The facts about this machine that tell the ways to a Temporal server. */

import { mkdir } from 'node:fs/promises';
import type { ConnectionOptions } from '@temporalio/client';
import { buildCli, builtCliPath } from './build-cli.ts';
import { cacheFolder } from './cache-folder.ts';
import type { DevServerOptions } from './dev-server.ts';
import { downloadCli, downloadedCliPath } from './download-cli.ts';
import { DEFAULT_ADDRESS, DEFAULT_PORT, type Found, type Probe } from './find-way.ts';
import { isListening } from './ports.ts';
import { isProgram, programOnPath } from './program.ts';
import { serverAnswers, type Answer } from './server-answers.ts';

/** Milliseconds a server has for its answer. */
const ANSWER_WITHIN = 4000;

export function machineProbe(options: DevServerOptions, env: NodeJS.ProcessEnv, namespace: string): Probe {
  const cache = options.cacheDir ?? cacheFolder(env);
  const { signal, onProgress = () => {}, onTick } = options;
  const fetching = { cache, env, signal, onProgress, onTick };
  return {
    address: env['TEMPORAL_ADDRESS'] || undefined,
    reuse: options.reuse ?? true,
    cliPath: env['TEMPORAL_CLI_PATH'] || undefined,
    isProgram,
    async namedServerAnswers(address: string): Promise<Answer> {
      return serverAnswers({ ...connectionFor(options, env), address }, namespace, ANSWER_WITHIN);
    },
    async localServerAnswers(): Promise<Answer> {
      if (!(await isListening(DEFAULT_PORT))) return { ok: false, kind: 'silent', reason: 'nothing listens there' };
      return serverAnswers({ address: DEFAULT_ADDRESS }, namespace, ANSWER_WITHIN);
    },
    async onPath(): Promise<Found> {
      const path = await programOnPath('temporal', env);
      return path === undefined ? { ok: false, reason: 'not there' } : { ok: true, path };
    },
    async inCache(): Promise<Found> {
      for (const path of [downloadedCliPath(cache), builtCliPath(cache)]) {
        if (await isProgram(path)) return { ok: true, path };
      }
      return { ok: false, reason: `nothing in ${cache} yet` };
    },
    async download(): Promise<Found> {
      await mkdir(cache, { recursive: true });
      return unlessAborted(downloadCli(fetching), signal);
    },
    build: () => unlessAborted(buildCli(fetching), signal),
  };
}

/** A person who interrupts does not want the next way tried. */
async function unlessAborted(fetched: Promise<Found>, signal: AbortSignal | undefined): Promise<Found> {
  try {
    return await fetched;
  } finally {
    signal?.throwIfAborted();
  }
}

function connectionFor(options: DevServerOptions, env: NodeJS.ProcessEnv): ConnectionOptions {
  if (options.connection !== undefined) return options.connection;
  const apiKey = env['TEMPORAL_API_KEY'];
  if (apiKey) return { apiKey, tls: true };
  return env['TEMPORAL_TLS'] === 'true' ? { tls: true } : {};
}
