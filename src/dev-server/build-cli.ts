import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from './file-lock.ts';
import type { Found } from './find-way.ts';
import { EXE, isProgram, programOnPath } from './program.ts';
import { runCommand } from './run-command.ts';

/** The newest version that `go install` takes; later ones have a `replace` in their go.mod, which it refuses. */
const CLI_VERSION = 'v1.5.1';
const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
const TIMEOUT = 15 * 60_000;

export function builtCliPath(cache: string): string {
  return join(cache, `temporal-${CLI_VERSION}${EXE}`);
}

/** Builds the CLI from source with Go into the cache folder: about 3 minutes, once. Only one process builds at a time. */
export async function buildCli(options: {
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (line: string) => void;
}): Promise<Found> {
  const { cache, env, signal, onProgress } = options;
  const go = await programOnPath('go', env);
  if (go === undefined) return { ok: false, reason: 'there is no `go` on PATH' };
  await mkdir(cache, { recursive: true });
  const lockPath = `${builtCliPath(cache)}.lock`;
  const lock = await takeLock(lockPath, {
    wait: TIMEOUT,
    signal,
    onWait: ({ pid }, waited) => onProgress(`Process ${pid} builds the Temporal CLI; waited ${seconds(waited)} for it`),
  });
  if (!lock.ok) {
    const { pid, host, since } = lock.holder;
    const reason = `process ${pid} on ${host} has held ${lockPath} since ${since}; remove it if nothing builds there`;
    return { ok: false, reason };
  }
  try {
    // The one that we waited for may have built it.
    if (await isProgram(builtCliPath(cache))) return { ok: true, path: builtCliPath(cache) };
    return await build(go, options);
  } finally {
    await lock.release();
  }
}

/** Built beside its place and moved there when it is whole: an interrupted build leaves no broken program behind. */
async function build(go: string, options: Parameters<typeof buildCli>[0]): Promise<Found> {
  const { cache, env, signal, onProgress } = options;
  onProgress(`Building the Temporal CLI ${CLI_VERSION} from source (about 3 minutes, once) ...`);
  const folder = await mkdtemp(join(cache, 'build-'));
  try {
    const result = await runCommand(go, ['install', CLI_PACKAGE], {
      env: { ...env, GOBIN: folder },
      timeout: TIMEOUT,
      signal,
      onTick: (elapsed) => onProgress(`Building the Temporal CLI: ${seconds(elapsed)}`),
    });
    if (!result.ok) return result;
    await rename(join(folder, `temporal${EXE}`), builtCliPath(cache));
    return { ok: true, path: builtCliPath(cache) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
