/** Builds the Temporal CLI from source, where there is no other way to one. */

import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from './file-lock.ts';
import type { Found } from './find-way.ts';
import { EXE, isProgram, programOnPath } from './program.ts';
import type { Progress } from './progress.ts';
import { runCommand } from './run-command.ts';

export interface BuildOptions extends Progress {
  /** Folder where the program is kept. */
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

/** The newest version that `go install` takes; later ones have a `replace` in their go.mod, which it refuses. */
const CLI_VERSION = 'v1.5.1';
const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
const TIMEOUT = 15 * 60_000;
const FOLDER = 'build-';

export function builtCliPath(cache: string): string {
  return join(cache, `temporal-${CLI_VERSION}${EXE}`);
}

/** Builds the CLI with Go into the cache folder: about 3 minutes, once. Only one process builds at a time. */
export async function buildCli(options: BuildOptions): Promise<Found> {
  const { cache, env, signal, onTick } = options;
  const go = await programOnPath('go', env);
  if (go === undefined) return { ok: false, reason: 'there is no `go` on PATH' };
  await mkdir(cache, { recursive: true });
  const lockPath = `${builtCliPath(cache)}.lock`;
  const lock = await takeLock(lockPath, {
    wait: TIMEOUT,
    signal,
    onWait: ({ pid }, waited) => onTick(`Process ${pid} builds the Temporal CLI; waited ${seconds(waited)} for it`),
  });
  if (!lock.ok) {
    const { pid, host, since } = lock.holder;
    const reason = `process ${pid} on ${host} has held ${lockPath} since ${since}; remove it if nothing builds there`;
    return { ok: false, reason };
  }
  try {
    // The one that we waited for may have built it.
    if (await isProgram(builtCliPath(cache))) return { ok: true, path: builtCliPath(cache) };
    await removeLeftovers(cache);
    return await build(go, options);
  } finally {
    await lock.release();
  }
}

/**
 * Built beside its place and moved there when it is whole: an interrupted build leaves no broken program behind. What Go
 * needs meanwhile lies in the same folder, which goes with it.
 */
async function build(go: string, { cache, env, signal, onProgress, onTick }: BuildOptions): Promise<Found> {
  onProgress(`Building the Temporal CLI ${CLI_VERSION} from source (about 3 minutes, once) ...`);
  const folder = await mkdtemp(join(cache, FOLDER));
  try {
    const result = await runCommand(go, ['install', CLI_PACKAGE], {
      env: { ...env, GOBIN: folder, GOTMPDIR: folder },
      timeout: TIMEOUT,
      signal,
      onTick: (elapsed) => onTick(`Building the Temporal CLI: ${seconds(elapsed)}`),
    });
    if (!result.ok) return result;
    await rename(join(folder, `temporal${EXE}`), builtCliPath(cache));
    return { ok: true, path: builtCliPath(cache) };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes what killed builds have left. Whoever holds the lock is alone. */
async function removeLeftovers(cache: string): Promise<void> {
  const names = (await readdir(cache)).filter((name) => name.startsWith(FOLDER));
  await Promise.all(names.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
