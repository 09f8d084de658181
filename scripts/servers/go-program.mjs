/** Programs that are built with Go where there is no package of them, once, in the cache folder. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** @typedef {{ name: string, source: string, version: string }} GoProgram */

const BUILD_MS = 30 * 60 * 1000;

/** @param {GoProgram} program */
export function pathOf({ name, version }) {
  return join(cacheFolder(process.env), `${name}-${version}`);
}

/** Why there is none here; empty where it is built. @param {GoProgram} program */
export function notBuilt(program) {
  return existsSync(pathOf(program)) ? '' : `${program.name} is not built here; npm run test:long builds it (minutes)`;
}

/** Builds it where it is missing, and gives its path. @param {GoProgram} program */
export function build(program) {
  const path = pathOf(program);
  if (existsSync(path)) return path;
  const folder = `${path}.building-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  console.error(`Building ${program.name} ${program.version} (some minutes, once) ...`);
  try {
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
    const args = ['install', '-ldflags=-s -w', `${program.source}@${program.version}`];
    const { status, error } = spawnSync('go', args, { env, stdio: 'inherit', timeout: BUILD_MS });
    if (status !== 0) throw new Error(`go ${args.join(' ')} failed (${error?.message ?? status})`);
    renameSync(join(folder, basename(program.source)), path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return path;
}

/** @param {NodeJS.ProcessEnv} env */
function cacheFolder({ PLANWRIGHT_CACHE: own, XDG_CACHE_HOME: cache }) {
  return own || join(cache || join(homedir(), '.cache'), 'planwright');
}
