/** Fetches the Temporal CLI that the SDK would fetch. */

import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tellSteps, type Asked } from './dev-server.ts';
import { EXE, runCommand, type Found } from './programs.ts';

const TIMEOUT = 60_000;
const require = createRequire(import.meta.url);

/**
 * The SDK downloads a CLI only as a part of starting a server with it. That happens in a process of its own: it can
 * be stopped at the time limit, and it does not set up the SDK's runtime in ours, which a worker configures later.
 */
const FETCH_PROGRAM = `
const [testing, downloadDir] = process.argv.slice(1);
const { TestWorkflowEnvironment } = (await import(testing)).default;
const executable = { type: 'cached-download', downloadDir, ttl: '10 years' };
try {
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await environment.teardown();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}`;

/** The path at which the SDK puts its download in the cache folder; the name is the SDK's. */
export function downloadedCliPath(cache: string): string {
  const { version } = require('@temporalio/testing/package.json') as { readonly version: string };
  return join(cache, `temporal-sdk-typescript-${version}${EXE}`);
}

/** Fetches the CLI that the SDK names as its default, within 60 seconds. */
export async function downloadCli(asked: Asked): Promise<Found> {
  const { cache, env, signal, onProgress } = asked;
  const tell = tellSteps(asked);
  await mkdir(cache, { recursive: true });
  onProgress(`Fetching the Temporal CLI from temporal.download into ${cache} (at most ${TIMEOUT / 1000} s) ...`);
  const testing = pathToFileURL(require.resolve('@temporalio/testing')).href;
  const result = await runCommand(process.execPath, ['--input-type=module', '--eval', FETCH_PROGRAM, testing, cache], {
    env,
    timeout: TIMEOUT,
    signal,
    onTick: (elapsed) => tell('Fetching the Temporal CLI', elapsed),
  });
  return result.ok ? { ok: true, path: downloadedCliPath(cache) } : result;
}
