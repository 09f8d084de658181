/** A PostgreSQL of Debian's package in a folder of its own, on a free port of loopback, with its own settings. */

import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns {Promise<{ url: string, stop(): Promise<void> }>} a database `postgres` that lets anybody in on loopback. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-postgres-'));
  const as = userOf();
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const bin = programs();
  const data = join(folder, 'data');
  const port = await freePort();
  const type = (program, ...args) => execFileSync(join(bin, program), args, { ...as, cwd: folder, stdio: 'ignore' });
  type('initdb', '-D', data, '-U', 'postgres', '-A', 'trust');
  type('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', `-p ${port} -h 127.0.0.1 -k ${folder}`, 'start');
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      type('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: its own user carries it then. */
function userOf() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function programs() {
  const versions = '/usr/lib/postgresql';
  const newest = readdirSync(versions).toSorted((a, b) => Number(b) - Number(a))[0];
  return join(versions, newest, 'bin');
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
