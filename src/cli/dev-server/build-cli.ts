/** Builds the Temporal CLI from source, where there is no other way to one. */

import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tellSteps, type Asked } from './dev-server.ts';
import { takeLock, type Lock } from './file-lock.ts';
import { EXE, isProgram, programOnPath, runCommand, type CommandOptions, type Found } from './programs.ts';

/** `cache` is the folder in which the program is kept. */
export type BuildOptions = Pick<Asked, 'cache' | 'env' | 'signal' | 'onProgress' | 'onTick'>;

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

export function builtCliPath(cache: string): string {
  return join(cache, `temporal-${CLI_VERSION}${EXE}`);
}

/**
 * Builds the CLI with Go into the cache folder: 2 to 3 minutes on two cores, once. Only one process builds at a time;
 * the others wait and take its program, which costs them less than builds side by side.
 */
export async function buildCli(options: BuildOptions): Promise<Found> {
  const { cache, env } = options;
  const go = await programOnPath('go', env);
  if (go === undefined) return { ok: false, reason: 'there is no `go` on PATH' };
  await mkdir(cache, { recursive: true });
  const lock = await waitForOthers(options);
  if (!lock.ok) {
    const { pid, host, since } = lock.holder;
    const reason = `process ${pid} on ${host} has held ${lockPath(cache)} since ${since}`;
    return { ok: false, reason: `${reason}; remove it if nothing builds there` };
  }
  try {
    const path = builtCliPath(cache);
    const isBuilt = await isProgram(path);
    const result = isBuilt ? ({ ok: true } as const) : await install(go, path, options);
    return result.ok ? { ok: true, path } : result;
  } finally {
    await lock.release();
  }
}

function lockPath(cache: string): string {
  return `${builtCliPath(cache)}.lock`;
}

function waitForOthers(options: BuildOptions): Promise<Lock> {
  const tell = tellSteps(options, -1);
  return takeLock(lockPath(options.cache), {
    wait: TIMEOUT,
    signal: options.signal,
    onWait: ({ pid }, waited) => tell(`Waiting for process ${pid}, which builds the Temporal CLI`, waited),
  });
}

/**
 * Built beside its place and moved there when it is whole: an interrupted build leaves no broken program behind. Go's
 * own files lie in the same folder meanwhile, which goes with it; one that a killed build has left goes first.
 */
async function install(go: string, path: string, options: BuildOptions) {
  const { cache, env, signal, onProgress } = options;
  onProgress(`Building the Temporal CLI ${CLI_VERSION} from source (2 to 3 minutes, once) ...`);
  const folder = join(cache, 'build');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  try {
    const result = await runCommand(go, ['install', '-v', ...FLAGS, CLI_PACKAGE], {
      env: { ...env, GOBIN: folder, GOTMPDIR: folder, CGO_ENABLED: '0' },
      timeout: TIMEOUT,
      signal,
      ...followGo(options),
    });
    if (result.ok) await rename(join(folder, `temporal${EXE}`), path);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * The progress of Go, by the lines of `go install -v`: `go: downloading NAME VERSION` for each module, then the name of
 * each package that it compiles. Go does not name packages that it has from an earlier build, so that the end may come
 * early.
 */
function followGo(options: BuildOptions): Required<Pick<CommandOptions, 'isNews' | 'onTick'>> {
  const tell = tellSteps(options);
  const counts = { modules: 0, packages: 0 };
  let elapsed = 0;
  const show = () => {
    const { modules, packages } = counts;
    const step = Math.floor((2 * modules) / MODULES) + Math.floor((10 * packages) / PACKAGES);
    tell(`Building the Temporal CLI: ${howFar(modules, packages)}`, elapsed, step);
  };
  return {
    isNews(line) {
      if (line.startsWith('go: downloading ')) counts.modules += 1;
      else if (/^[^\s#:]+$/.test(line)) counts.packages += 1;
      else return false;
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
function howFar(modules: number, packages: number): string {
  if (modules === 0 && packages === 0) return 'Go begins';
  if (packages === 0) return `fetched ${modules} of about ${MODULES} modules`;
  const percent = Math.min(99, Math.floor((100 * packages) / PACKAGES));
  return `${percent} % (${packages} of about ${PACKAGES} packages)`;
}
