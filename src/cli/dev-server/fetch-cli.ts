/** Gets a Temporal CLI into the cache folder: the download of the SDK, else a build with Go. */

import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tellTime, type Asked } from './dev-server.ts';
import { EXE, programOnPath, runCommand, type Found } from './programs.ts';

/** `cache` is the folder in which the program is kept. */
export type FetchOptions = Pick<Asked, 'cache' | 'env' | 'signal' | 'onProgress' | 'onTick'>;

const require = createRequire(import.meta.url);
const DOWNLOAD_MS = 60_000;
const BUILD_MS = 15 * 60_000;
/** The newest version that `go install` takes; later ones have a `replace` in their go.mod, which it refuses. */
const CLI_VERSION = 'v1.5.1';
const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
/**
 * Leaves out parts that take time and do not make a better dev server: debugging information, C, and the gRPC form of
 * Google's storage with its 124 packages (a tag that Temporal's own build sets too).
 */
const FLAGS = ['-tags=disable_grpc_modules', '-gcflags=all=-dwarf=false', '-ldflags=-s -w'];

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

export function builtCliPath(cache: string): string {
  return join(cache, `temporal-${CLI_VERSION}${EXE}`);
}

/** Fetches the CLI that the SDK names as its default, within 60 seconds. */
export async function downloadCli({ cache, env, signal, ...telling }: FetchOptions): Promise<Found> {
  await mkdir(cache, { recursive: true });
  const testing = pathToFileURL(require.resolve('@temporalio/testing')).href;
  const what = `Fetching the Temporal CLI from temporal.download into ${cache} (at most ${DOWNLOAD_MS / 1000} s)`;
  const onTick = tellTime(what, telling);
  const args = ['--input-type=module', '--eval', FETCH_PROGRAM, testing, cache];
  const result = await runCommand(process.execPath, args, { env, timeout: DOWNLOAD_MS, signal, onTick });
  return result.ok ? { ok: true, path: downloadedCliPath(cache) } : result;
}

/**
 * Builds the CLI with Go into the cache folder: 2 to 3 minutes on two cores, once. It is built beside its place and
 * moved there when it is whole, so that a build that is interrupted, or another one at the same time, breaks nothing.
 */
export async function buildCli({ cache, env, signal, ...telling }: FetchOptions): Promise<Found> {
  const go = await programOnPath('go', env);
  if (go === undefined) return { ok: false, reason: 'there is no `go` on PATH' };
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'build-'));
  const path = builtCliPath(cache);
  try {
    const result = await runCommand(go, ['install', ...FLAGS, CLI_PACKAGE], {
      env: { ...env, GOBIN: folder, CGO_ENABLED: '0' },
      timeout: BUILD_MS,
      signal,
      onTick: tellTime(`Building the Temporal CLI ${CLI_VERSION} from source (2 to 3 minutes, once)`, telling),
    });
    if (!result.ok) return result;
    await rename(join(folder, `temporal${EXE}`), path);
    return { ok: true, path };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
