/** Fetches the Temporal CLI that the SDK would fetch. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildOptions } from './build-cli.ts';
import type { Found } from './find-way.ts';
import { EXE } from './program.ts';
import { tellSteps, timeStep } from './progress.ts';
import { runCommand } from './run-command.ts';

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
export async function downloadCli(options: BuildOptions): Promise<Found> {
  const { cache, env, signal, onProgress } = options;
  const tell = tellSteps(options);
  onProgress(`Fetching the Temporal CLI from temporal.download into ${cache} (at most ${TIMEOUT / 1000} s) ...`);
  const testing = pathToFileURL(require.resolve('@temporalio/testing')).href;
  const result = await runCommand(process.execPath, ['--input-type=module', '--eval', FETCH_PROGRAM, testing, cache], {
    env,
    timeout: TIMEOUT,
    signal,
    onTick: (elapsed) => tell(`Fetching the Temporal CLI: ${Math.round(elapsed / 1000)} s`, timeStep(elapsed)),
  });
  return result.ok ? { ok: true, path: downloadedCliPath(cache) } : result;
}
