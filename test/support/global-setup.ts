import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectOrStart, type DevServer } from '../../src/cli/dev-server/dev-server.ts';
import type { Lane } from '../../src/protocol/index.ts';
import { builtBundle } from './built-bundle.ts';
import { memoryFolder } from './memory-folder.ts';

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
    /** Scenarios of faults, widths of the page and pages to type are all there, not in a short form. */
    long: boolean;
  }
}

/**
 * One Temporal dev server for all server tests of a run. Every test file uses a task queue of
 * its own, so that files do not take each other's work.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(memoryFolder(), 'planwright-tests-'));
  const databaseFile = join(folder, 'temporal.db');
  const [bundlePath, server] = await Promise.all([builtBundle(), startServer(databaseFile, 0)]);
  project.provide('address', server.address);
  project.provide('databaseFile', databaseFile);
  project.provide('bundlePath', bundlePath);
  project.provide('hostile', project.name.startsWith('hostile'));
  project.provide('lane', project.name.startsWith('parts') ? 'parts' : undefined);
  project.provide('long', ['faults', 'long'].includes(project.name));
  if (server.cliPath === undefined) throw new Error(`The test server was not started by us: ${server.how}`);
  project.provide('cliPath', server.cliPath);
  const stop = restartWhereStuck(server, databaseFile);
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** How SQLite refuses a statement that was cancelled. In the dev server it may refuse all others from then on, until it ends. */
const STUCK = 'interrupted (9)';
const LOOK_MS = 1000;

/** Another process goes on with the same file and port, so that one test fails and not all after it. @returns stops it */
function restartWhereStuck(first: DevServer, databaseFile: string): () => Promise<void> {
  const port = Number(first.address.split(':').at(-1));
  let server = first;
  let read = 0;
  let work = Promise.resolve();
  const look = async () => {
    const log = await readFile(`${databaseFile}.log`, 'utf8').catch(() => '');
    const isStuck = log.slice(read).includes(STUCK);
    read = log.length;
    if (!isStuck) return;
    process.stderr.write(`The Temporal dev server is stuck (SQLite: ${STUCK}); it is started again\n`);
    await server.stop();
    server = await startServer(databaseFile, port);
    read = (await readFile(`${databaseFile}.log`, 'utf8').catch(() => '')).length;
  };
  const timer = setInterval(() => {
    work = work.then(look).catch((error: unknown) => void process.stderr.write(`${String(error)}\n`));
  }, LOOK_MS);
  return async () => {
    clearInterval(timer);
    await work;
    await server.stop();
  };
}

function startServer(databaseFile: string, port: number) {
  // A test run never touches a server that somebody works with.
  const { TEMPORAL_ADDRESS: _address, TEMPORAL_NAMESPACE: _namespace, ...env } = process.env;
  return connectOrStart({
    env,
    reuse: false,
    headless: true,
    port,
    databaseFile,
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
}
