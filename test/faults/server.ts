/** A dev server of a scenario's own, on a database file, that can be killed and comes back on the same port. */

import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { onTestFinished } from 'vitest';
import { freePort } from '../../scripts/servers/server.mjs';
import { connectOrStart, type DevServer } from '../../src/cli/dev-server/dev-server.ts';
import { findCli } from '../../src/cli/dev-server/find-cli.ts';
import { readOptions } from '../../src/cli/dev-server/options.ts';
import { until } from './site.ts';
import { memoryFolder } from '../support/memory-folder.ts';
import { isRunning } from '../support/processes.ts';

export interface OwnServer {
  readonly address: string;
  /** SIGKILL, and a new one on the same file so many milliseconds later. */
  crash(downMs: number): Promise<void>;
  /** Stops it, copies its database, and starts it again. @returns what `restore` takes */
  copy(): Promise<string>;
  /** SIGKILL, and a new one that knows what the copy has, and nothing since. */
  restore(copy: string): Promise<void>;
}

/** Starts a server that ends with the test. @param isBare at first without any setting that the product gives it */
export async function startOwnServer(dir = memoryFolder(), isBare = false): Promise<OwnServer> {
  const folder = await mkdtemp(join(dir, 'planwright-faults-server-'));
  const databaseFile = join(folder, 'temporal.db');
  const { TEMPORAL_ADDRESS: _address, TEMPORAL_NAMESPACE: _namespace, ...env } = process.env;
  const start = (port: number) => connectOrStart({ env, reuse: false, headless: true, port, databaseFile });
  /** With what the database has beside it. */
  const files = async (of: string) =>
    (await readdir(of)).filter((name) => name.startsWith('temporal.db') && !name.endsWith('.lock'));
  let server: Pick<DevServer, 'address' | 'pid' | 'stop'> = isBare
    ? await startBare(databaseFile, env)
    : await start(0);
  let copies = 0;
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { address } = server;
  const again = () => start(Number(address.split(':')[1]));
  const kill = async () => {
    const { pid = 0 } = server;
    process.kill(pid, 'SIGKILL');
    await until('the server is gone', () => !isRunning(pid));
  };
  return {
    address,
    async crash(downMs) {
      await kill();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      server = await again();
    },
    async copy() {
      const to = join(folder, `copy-${++copies}`);
      await server.stop();
      for (const name of await files(folder)) await cp(join(folder, name), join(to, name));
      server = await again();
      return to;
    },
    async restore(copy) {
      await kill();
      for (const name of await files(folder)) await rm(join(folder, name));
      for (const name of await files(copy)) await cp(join(copy, name), join(folder, name));
      server = await again();
    },
  };
}

async function startBare(databaseFile: string, env: NodeJS.ProcessEnv) {
  const { path } = await findCli(readOptions({ env }), []);
  const port = await freePort();
  const args = ['server', 'start-dev', '--port', String(port), '--headless', '--db-filename', databaseFile];
  const child = spawn(path, args, { stdio: 'ignore' });
  const address = `127.0.0.1:${port}`;
  const isReady = async () => {
    const connection = await Connection.connect({ address });
    try {
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return true;
    } finally {
      await connection.close();
    }
  };
  await until('the server is ready', () => isReady().catch(() => false));
  return { address, pid: child.pid ?? 0, stop: async () => void child.kill() };
}
