import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectOrStart } from '../../src/edge/dev-server/index.ts';
import type { Lane } from '../../src/wire/contract/index.ts';
import { builtBundle } from './built-bundle.ts';

declare module 'vitest' {
  /** What every server test can `inject`. */
  export interface ProvidedContext {
    /** `host:port` of the Temporal dev server of this test run; namespace `default`. */
    address: string;
    /** The database of that server, an SQLite file. */
    databaseFile: string;
    /** Path of the workflow bundle, for `Worker.create({ workflowBundle: { codePath } })`. */
    bundlePath: string;
    /** Path of the Temporal CLI that runs the server, for tests that type what a person would type. */
    cliPath: string;
    /** Every worker has tiny histories, no cache and one slot for workflow tasks. */
    hostile: boolean;
    /** The lane of runs that name none; undefined where the product's own holds. */
    lane: Lane | undefined;
    /** Scenarios of faults run in full, not in their short form. */
    long: boolean;
  }
}

/**
 * One Temporal dev server for all server tests of a run. Every test file uses a task queue of
 * its own, so that files do not take each other's work.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-tests-'));
  const databaseFile = join(folder, 'temporal.db');
  const [bundlePath, server] = await Promise.all([builtBundle(), startServer(databaseFile)]);
  project.provide('address', server.address);
  project.provide('databaseFile', databaseFile);
  project.provide('bundlePath', bundlePath);
  project.provide('hostile', project.name.startsWith('hostile'));
  project.provide('lane', project.name.startsWith('parts') ? 'parts' : undefined);
  project.provide('long', project.name === 'faults');
  if (server.cliPath === undefined) throw new Error(`The test server was not started by us: ${server.how}`);
  project.provide('cliPath', server.cliPath);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

function startServer(databaseFile: string) {
  // A test run never touches a server that somebody works with.
  const { TEMPORAL_ADDRESS: _address, TEMPORAL_NAMESPACE: _namespace, ...env } = process.env;
  return connectOrStart({
    env,
    reuse: false,
    headless: true,
    port: 0,
    databaseFile,
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
}
