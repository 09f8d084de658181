import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import type { TestProject } from 'vitest/node';
import { connectOrStart } from '../../src/dev-server/index.ts';

declare module 'vitest' {
  /** What every server test can `inject`. */
  export interface ProvidedContext {
    /** `host:port` of the Temporal dev server of this test run; namespace `default`. */
    address: string;
    /** Path of the workflow bundle, for `Worker.create({ workflowBundle: { codePath } })`. */
    bundlePath: string;
    /** Path of the Temporal CLI that runs the server, for tests that type what a person would type. */
    cliPath: string;
  }
}

/**
 * One Temporal dev server and one workflow bundle for all server tests of a run. Every test file uses a task queue of
 * its own, so that files do not take each other's work.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-tests-'));
  const [bundlePath, server] = await Promise.all([writeBundle(folder), startServer(folder)]);
  project.provide('address', server.address);
  project.provide('bundlePath', bundlePath);
  if (server.cliPath === undefined) throw new Error(`The test server was not started by us: ${server.how}`);
  project.provide('cliPath', server.cliPath);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

function startServer(folder: string) {
  // A test run never touches a server that somebody works with.
  const { TEMPORAL_ADDRESS: _address, TEMPORAL_NAMESPACE: _namespace, ...env } = process.env;
  return connectOrStart({
    env,
    reuse: false,
    headless: true,
    port: 0,
    databaseFile: join(folder, 'temporal.db'),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
}

async function writeBundle(folder: string): Promise<string> {
  const source = (path: string) => fileURLToPath(new URL(`../../src/workflows/${path}`, import.meta.url));
  const quiet = new DefaultLogger('WARN');
  const { code } = await bundleWorkflowCode({
    logger: quiet,
    workflowsPath: source('index.ts'),
    payloadConverterPath: source('payload-converter.js'),
  });
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
}
