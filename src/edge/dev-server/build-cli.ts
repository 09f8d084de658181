/** Builds the Temporal CLI from source, where there is no other way to one. */

import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from './file-lock.ts';
import type { Found } from './find-way.ts';
import { EXE, isProgram, programOnPath } from './program.ts';
import { tellSteps, timeStep, type Progress } from './progress.ts';
import { runCommand, type CommandOptions } from './run-command.ts';

export interface BuildOptions extends Progress {
  /** Folder where the program is kept. */
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

/** The newest version that `go install` takes; later ones have a `replace` in their go.mod, which it refuses. */
const CLI_VERSION = 'v1.5.1';
const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
/**
 * Leaves out parts that take time and do not make a better dev server: debugging information, C, and the gRPC form of
 * Google's storage with its 124 packages (a tag that Temporal's own build sets too).
 */
const FLAGS = ['-tags=disable_grpc_modules', '-gcflags=all=-dwarf=false', '-ldflags=-s -w'];
/** About as many are fetched, and then compiled, where none is there yet; by these the progress is measured. */
const MODULES = 154;
const PACKAGES = 1174;
const TIMEOUT = 15 * 60_000;
const FOLDER = 'build-';

export function builtCliPath(cache: string): string {
  return join(cache, `temporal-${CLI_VERSION}${EXE}`);
}

/** Builds the CLI with Go into the cache folder: 2 to 3 minutes on two cores, once. Only one process builds at a time. */
export async function buildCli(options: BuildOptions): Promise<Found> {
  const { cache, env, signal } = options;
  const go = await programOnPath('go', env);
  if (go === undefined) return { ok: false, reason: 'there is no `go` on PATH' };
  await mkdir(cache, { recursive: true });
  const lockPath = `${builtCliPath(cache)}.lock`;
  const tell = tellSteps(options);
  const lock = await takeLock(lockPath, {
    wait: TIMEOUT,
    signal,
    onWait: ({ pid }, waited) =>
      tell(`Process ${pid} builds the Temporal CLI; waited ${seconds(waited)} for it`, 1 + timeStep(waited)),
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
 * Built beside its place and moved there when it is whole: an interrupted build leaves no broken program behind. Go's
 * own files lie in the same folder meanwhile, which goes with it.
 */
async function build(go: string, options: BuildOptions): Promise<Found> {
  const { cache, env, signal, onProgress } = options;
  onProgress(`Building the Temporal CLI ${CLI_VERSION} from source (2 to 3 minutes, once) ...`);
  const folder = await mkdtemp(join(cache, FOLDER));
  const progress = followGo(options);
  try {
    const result = await runCommand(go, ['install', '-v', ...FLAGS, CLI_PACKAGE], {
      env: { ...env, GOBIN: folder, GOTMPDIR: folder, CGO_ENABLED: '0' },
      timeout: TIMEOUT,
      signal,
      ...progress,
    });
    if (!result.ok) return result;
    await rename(join(folder, `temporal${EXE}`), builtCliPath(cache));
    return { ok: true, path: builtCliPath(cache) };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * The progress of Go, by the lines of `go install -v`: `go: downloading NAME VERSION` for each module, then the name of
 * each package that it compiles. Go does not name packages that it has from an earlier build, so that the end may come
 * early.
 */
function followGo(progress: Progress): Pick<CommandOptions, 'isNews' | 'onTick'> {
  const tell = tellSteps(progress);
  const counts = { modules: 0, packages: 0 };
  let line = 'Go begins';
  let elapsed = 0;
  const show = () => {
    const step = Math.floor((2 * counts.modules) / MODULES) + Math.floor((10 * counts.packages) / PACKAGES);
    tell(`Building the Temporal CLI: ${line}, ${seconds(elapsed)}`, step);
  };
  return {
    isNews(told) {
      const what = told.startsWith('go: downloading ') ? 'modules' : /^[^\s#:]+$/.test(told) ? 'packages' : undefined;
      if (what === undefined) return false;
      counts[what] += 1;
      line =
        counts.packages === 0
          ? `fetched ${counts.modules} of about ${MODULES} modules`
          : `${percent(counts.packages)} (${counts.packages} of about ${PACKAGES} packages)`;
      show();
      return true;
    },
    onTick(now) {
      elapsed = now;
      show();
    },
  };
}

/** A package more than there should be is no reason to say that it is done. */
function percent(packages: number): string {
  return `${Math.min(99, Math.floor((100 * packages) / PACKAGES))} %`;
}

/** Removes the files that killed builds have left. The holder of the lock is alone. */
async function removeLeftovers(cache: string): Promise<void> {
  const names = (await readdir(cache)).filter((name) => name.startsWith(FOLDER));
  await Promise.all(names.map((name) => rm(join(cache, name), { recursive: true, force: true })));
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
