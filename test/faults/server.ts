/** A dev server of a scenario's own, on a database file, that can be killed and comes back on the same port. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { connectOrStart } from '../../src/edge/dev-server/index.ts';
import { until } from './site.ts';

export interface OwnServer {
  readonly address: string;
  /** SIGKILL, and a new one on the same file so many milliseconds later. */
  crash(downMs: number): Promise<void>;
}

/** Starts a server that ends with the test. */
export async function startOwnServer(): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-faults-server-'));
  const { TEMPORAL_ADDRESS: _address, TEMPORAL_NAMESPACE: _namespace, ...env } = process.env;
  const start = (port: number) =>
    connectOrStart({ env, reuse: false, headless: true, port, databaseFile: join(folder, 'temporal.db') });
  let server = await start(0);
  onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { address } = server;
  return {
    address,
    async crash(downMs) {
      const { pid = 0 } = server;
      process.kill(pid, 'SIGKILL');
      await until('the server is gone', () => !isThere(pid));
      await new Promise((resolve) => setTimeout(resolve, downMs));
      server = await start(Number(address.split(':')[1]));
    },
  };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
