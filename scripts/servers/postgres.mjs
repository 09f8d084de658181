/** A PostgreSQL of Debian's package in a folder of its own, on a free port of loopback, with its own settings. */

import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, runServer } from './server.mjs';

const VERSIONS = '/usr/lib/postgresql';

/** Why there is none here; empty where there is one. */
export function noPostgres() {
  return folderOfPrograms() === undefined
    ? 'PostgreSQL is not installed; apt-get install postgresql, to test with it'
    : '';
}

/**
 * A database `postgres` that lets anybody in on loopback.
 * @param {{ folder?: string, port?: number, settings?: readonly string[] }} [options] a folder that is there is used as it is
 */
export async function startPostgres({ folder: given, port: wanted, settings = [] } = {}) {
  const bin = folderOfPrograms();
  if (bin === undefined) throw new Error(noPostgres());
  const folder = given ?? mkdtempSync(join(tmpdir(), 'planwright-postgres-'));
  const as = userOf();
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const port = wanted ?? (await freePort());
  if (!existsSync(data)) {
    const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C', '--encoding=UTF8'];
    execFileSync(join(bin, 'initdb'), args, { ...as, cwd: folder, stdio: 'ignore' });
  }
  const words = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder];
  const server = runServer(join(bin, 'postgres'), [...words, ...settings.flatMap((one) => ['-c', one])], {
    options: { ...as, cwd: folder },
    isReady: (line) => line.includes('ready to accept connections'),
    // SIGINT: sessions end; SIGTERM would wait for them.
    signal: 'SIGINT',
  });
  await server.start();
  return {
    port,
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start: server.start,
    /** SIGQUIT is a crash, from which it recovers when it is started again. @param {NodeJS.Signals} [signal] */
    stop: (signal) => server.stop(signal),
    async close() {
      await server.stop();
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: its own user carries it then. @returns {{ uid: number, gid: number } | { uid?: undefined }} */
function userOf() {
  if (process.getuid?.() !== 0) return {};
  const id = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** @returns {string | undefined} */
function folderOfPrograms() {
  if (!existsSync(VERSIONS)) return undefined;
  const newest = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a));
  return newest.map((version) => join(VERSIONS, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}
