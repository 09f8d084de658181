import { spawn } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cutStart } from '../../plan/text/index.ts';
import { OperationError } from '../../operations/operation-error.ts';
import type { ResolvedOptions } from './options.ts';
import { takeLock, type LockHolder } from './file-lock.ts';
import { describeExit } from './start-server.ts';

type FetchOptions = Pick<ResolvedOptions, 'cache' | 'env' | 'signal' | 'onProgress'>;

const require = createRequire(import.meta.url);
const EXE = process.platform === 'win32' ? '.exe' : '';
const DOWNLOAD_MS = 60_000;
const BUILD_MS = 15 * 60_000;
const STEP_MS = 10_000;
const TAIL = 600;
/** The newest version that `go install` accepts. It rejects the `replace` in the go.mod of later versions. */
const CLI_VERSION = 'v1.5.1';
const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
/** Build flags that save time: no debugging information, and no gRPC form of Google's storage (124 packages). */
const FLAGS = ['-tags=disable_grpc_modules', '-gcflags=all=-dwarf=false', '-ldflags=-s -w'];

/**
 * The source of a program that downloads the CLI, which the SDK does only while it starts a server. As a process of its
 * own it can be stopped, and does not set up the SDK's runtime in the current process, where a worker configures it
 * later.
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

/**
 * The first Temporal CLI that works, the cheapest way first. @param failed ways that did not work; this function adds
 * its own @param fetching puts a CLI into the cache folder @throws OperationError `DEV_SERVER`, or `NO_SERVER` with all
 * ways
 */
export async function findCli(options: ResolvedOptions, failed: string[], fetching = { downloadCli, buildCli }) {
  const { env, cache, signal } = options;
  const { TEMPORAL_CLI_PATH: named } = env;
  if (named) {
    if (await isProgram(named)) return { path: named, how: 'TEMPORAL_CLI_PATH' };
    const message = `TEMPORAL_CLI_PATH names ${named}, which is not a program that can be run. Correct or unset it.`;
    throw new OperationError('DEV_SERVER', message);
  }
  failed.push('TEMPORAL_CLI_PATH: not set');
  const cached = [downloadedCliPath(cache), builtCliPath(cache)];
  for (const [how, find] of [
    ['`temporal` on PATH', () => firstProgram(onPath('temporal', env), 'not there')],
    ['the cache folder', () => firstProgram(cached, `nothing in ${cache} yet`)],
    ['the download of the Temporal SDK', () => fetching.downloadCli(options)],
    ['building with Go', () => fetching.buildCli(options)],
  ] as const) {
    try {
      return { path: await find(), how };
    } catch (error) {
      signal?.throwIfAborted();
      failed.push(`${how}: ${(error as Error).message}`);
    }
  }
  throw noServer(failed);
}

export function downloadedCliPath(cache: string): string {
  const { version } = require('@temporalio/testing/package.json') as { readonly version: string };
  return join(cache, `temporal-sdk-typescript-${version}${EXE}`);
}

export function builtCliPath(cache: string): string {
  return join(cache, `temporal-${CLI_VERSION}${EXE}`);
}

async function downloadCli(options: FetchOptions): Promise<string> {
  const { cache } = options;
  await mkdir(cache, { recursive: true });
  const testing = pathToFileURL(require.resolve('@temporalio/testing')).href;
  const args = ['--input-type=module', '--eval', FETCH_PROGRAM, testing, cache];
  const what = `Fetching the Temporal CLI from temporal.download into ${cache} (at most ${DOWNLOAD_MS / 1000} s)`;
  await runCommand(what, process.execPath, args, DOWNLOAD_MS, options);
  return downloadedCliPath(cache);
}

/**
 * Builds the CLI with Go into the cache folder, in one process at a time. Takes 2 to 3 minutes on two cores. The file
 * gets its final path at the end, so an interruption breaks nothing.
 * @throws Error with the reason
 */
export async function buildCli(options: FetchOptions): Promise<string> {
  const { cache, env, signal, onProgress } = options;
  const go = await firstProgram(onPath('go', env), 'there is no `go` on PATH');
  await mkdir(cache, { recursive: true });
  const path = builtCliPath(cache);
  const what = `Building the Temporal CLI ${CLI_VERSION} from source (2 to 3 minutes, once)`;
  const onWait = ({ pid }: LockHolder) => onProgress(`Waiting for process ${pid}, which builds the Temporal CLI ...`);
  const lock = await takeLock(`${path}.lock`, { wait: BUILD_MS, signal, onWait });
  const folder = await mkdtemp(join(cache, 'build-'));
  try {
    if (await isProgram(path)) return path;
    const building = { ...options, env: { ...env, GOBIN: folder, CGO_ENABLED: '0' } };
    await runCommand(what, go, ['install', ...FLAGS, CLI_PACKAGE], BUILD_MS, building);
    await rename(join(folder, `temporal${EXE}`), path);
    return path;
  } finally {
    await rm(folder, { recursive: true, force: true });
    if ('release' in lock) await lock.release();
  }
}

function onPath(name: string, env: NodeJS.ProcessEnv): readonly string[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, `${name}${EXE}`));
}

async function firstProgram(paths: readonly string[], otherwise: string): Promise<string> {
  for (const path of paths) if (await isProgram(path)) return path;
  throw new Error(otherwise);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Runs a program and reports the time. Stops it at the time limit or on abort. @throws Error with its last output */
async function runCommand(
  what: string,
  program: string,
  args: readonly string[],
  timeout: number,
  { env, signal, onProgress }: FetchOptions,
): Promise<void> {
  const began = Date.now();
  onProgress(`${what} ...`);
  const child = spawn(program, args, { env, timeout, signal, stdio: ['ignore', 'pipe', 'pipe'] });
  const tick = () => onProgress(`${what}, ${Math.round((Date.now() - began) / 1000)} s`);
  const ticking = setInterval(tick, STEP_MS);
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (written = cutStart(written + text, TAIL)));
  const ending = await describeExit(child);
  clearInterval(ticking);
  signal?.throwIfAborted();
  if (child.exitCode === 0 && !child.killed) return;
  const tail = written.trim();
  throw new Error(`${child.killed ? `no end within ${timeout / 1000} s` : ending}${tail && `: ${tail}`}`);
}

function noServer(failed: readonly string[]): OperationError {
  return new OperationError(
    'NO_SERVER',
    `There is no Temporal server, and none could be started. Tried, in this order:
${failed.map((way) => `  - ${way}`).join('\n')}
Any one of these is enough:
  - set TEMPORAL_ADDRESS to the host:port of a running Temporal server
  - install the Temporal CLI (https://docs.temporal.io/cli) so that \`temporal\` is on PATH
  - set TEMPORAL_CLI_PATH to the \`temporal\` program
  - allow the download from https://temporal.download
  - install Go (https://go.dev/dl), so that the CLI is built from source once`,
  );
}
