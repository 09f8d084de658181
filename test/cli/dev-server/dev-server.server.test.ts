/** A dev server that is found, started, shared and stopped. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectOrStart, type DevServer } from '../../../src/cli/dev-server/dev-server.ts';
import { findServer } from '../../../src/cli/dev-server/find-server.ts';
import { readOptions, type DevServerOptions } from '../../../src/cli/dev-server/options.ts';
import { connect } from '../../../src/config/project/index.ts';
import { WAITS_FOR_ATTRIBUTE } from '../../../src/protocol/index.ts';
import { fileFolder } from '../../support/folders.ts';
import { eventually } from '../../support/eventually.ts';
import { isRunning } from '../../support/processes.ts';

const folder = fileFolder('dev-server');
let server: DevServer;
let options: DevServerOptions;

beforeAll(async () => {
  const { TEMPORAL_ADDRESS: _address, ...env } = process.env;
  options = {
    env: { ...env, TEMPORAL_NAMESPACE: 'orchard' },
    reuse: false,
    port: 0,
    uiPort: 0,
    databaseFile: join(folder, 'd.db'),
  };
  server = await connectOrStart(options);
});

afterAll(async () => {
  await server.stop();
});

describe('a started dev server', () => {
  test('has the namespace and can be used at once', async () => {
    const connection = await Connection.connect({ address: server.address });
    const { executions } = await connection.workflowService.listWorkflowExecutions({ namespace: 'orchard' });
    await connection.close();
    expect(executions).toEqual([]);
    expect(server).toMatchObject({ started: true, namespace: 'orchard', databaseFile: join(folder, 'd.db') });
  });

  test.each(['new.db', 'new.db', 'made-without.db'])(
    'takes the attribute by which inboxes find runs: %s',
    async (file) => {
      const databaseFile = join(folder, file);
      if (file === 'made-without.db') await startWithoutAttribute(databaseFile);
      const other = await connectOrStart({ ...options, headless: true, databaseFile });
      const connection = await Connection.connect({ address: other.address });
      const client = new Client({ connection, namespace: 'orchard' });
      const key = defineSearchAttributeKey(WAITS_FOR_ATTRIBUTE, SearchAttributeType.KEYWORD_LIST);
      const typedSearchAttributes = [{ key, value: ['growers'] }];
      const start = { workflowId: `harvest-${Date.now()}`, taskQueue: 'nobody', typedSearchAttributes };
      const run = await client.workflow.start('harvest', start);
      expect((await run.describe()).typedSearchAttributes.get(key)).toEqual(['growers']);
      await connection.close();
      await other.stop();
    },
  );

  test('serves its Web UI where it says', async () => {
    const page = await fetch(server.uiUrl as string);
    expect(page.status).toBe(200);
  });

  test('is found by its address', async () => {
    const found = await connectOrStart({ env: { ...options.env, TEMPORAL_ADDRESS: server.address } });
    expect(found).toMatchObject({ started: false, address: server.address, how: 'TEMPORAL_ADDRESS' });
  });

  test.each([true, false])('is found by the port where one that runs is asked for: %s', async (reuse) => {
    const failed: string[] = [];
    const found = await findServer(readOptions({ ...options, reuse }), failed, Number(server.address.split(':')[1]));
    expect(found?.address).toBe(reuse ? server.address : undefined);
    expect(failed).toEqual(['TEMPORAL_ADDRESS: not set']);
  });

  test('at the port without the namespace is not passed over', async () => {
    const asked = readOptions({ env: { ...options.env, TEMPORAL_NAMESPACE: 'vineyard' } });
    await expect(findServer(asked, [], Number(server.address.split(':')[1]))).rejects.toMatchObject({
      code: 'no-namespace',
      message: expect.stringContaining('temporal operator namespace create -n vineyard'),
    });
  });

  test('without the namespace asked for is an error that says how to create it', async () => {
    const env = { ...options.env, TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'vineyard' };
    await expect(connectOrStart({ env })).rejects.toMatchObject({
      code: 'no-namespace',
      message: expect.stringContaining(`temporal operator namespace create -n vineyard --address ${server.address}`),
    });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ends with the process that started it: %s', async (signal) => {
    const entry = new URL('../../../dist/cli/dev-server/dev-server.js', import.meta.url).href;
    const databaseFile = join(folder, `${signal}.db`);
    const program = `
      const { connectOrStart } = await import(${JSON.stringify(entry)});
      const options = ${JSON.stringify({ reuse: false, port: 0, headless: true, databaseFile })};
      console.log((await connectOrStart(options)).pid);
      setInterval(() => {}, 1000);`;
    const args = ['--input-type=module', '--eval', program];
    const parent = spawn(process.execPath, args, { env: options.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isRunning(pid)).toBe(true);
    parent.kill(signal);
    const [, endedBy] = (await once(parent, 'exit')) as [number | null, string | null];
    expect(endedBy).toBe(signal);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('keeps its database file to itself', { tags: ['slow'] }, async () => {
    await expect(connectOrStart(options)).rejects.toMatchObject({
      code: 'DATABASE_IN_USE',
      message: expect.stringContaining(`process ${server.pid}`),
    });
  });

  test('gives its database file back when it stops, and may be stopped twice', async () => {
    const other = await connectOrStart({ ...options, headless: true, databaseFile: join(folder, 'other.db') });
    await other.stop();
    expect(isRunning(other.pid as number)).toBe(false);
    const again = await connectOrStart({ ...options, headless: true, databaseFile: join(folder, 'other.db') });
    await again.stop();
    await again.stop();
  });
});

test('a port that somebody took at the last moment is replaced by another', async () => {
  const cli = join(folder, 'late-once');
  const late = 'if [ ! -e "$0.was" ]; then touch "$0.was"; echo "bind: address already in use" >&2; exit 2; fi';
  await writeFile(cli, `#!/bin/sh\n${late}\nexec "$REAL_CLI" "$@"\n`, { mode: 0o755 });
  const env = { ...options.env, TEMPORAL_CLI_PATH: cli, REAL_CLI: inject('cliPath') };
  const lines: string[] = [];
  const onProgress = (line: string) => void lines.push(line);
  const started = await connectOrStart({ ...options, env, onProgress, databaseFile: join(folder, 'late.db') });
  await started.stop();
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(started.address);
});

describe('a server that cannot be had', () => {
  test('an address at which nothing answers', async () => {
    const env = { ...options.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    await expect(connectOrStart({ env })).rejects.toMatchObject({
      code: 'NO_SERVER',
      message: expect.stringMatching(/127\.0\.0\.1:1.*unset TEMPORAL_ADDRESS/s),
    });
  });

  test('a port that is taken', async () => {
    const port = Number(server.address.split(':')[1]);
    const databaseFile = join(folder, 'taken.db');
    await expect(connectOrStart({ ...options, databaseFile, port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  });

  test('a program that is no Temporal CLI shows what it wrote', async () => {
    const databaseFile = join(folder, 'false.db');
    const env = { ...options.env, TEMPORAL_CLI_PATH: process.execPath };
    await expect(connectOrStart({ ...options, env, databaseFile })).rejects.toMatchObject({
      code: 'DEV_SERVER',
      message: expect.stringMatching(/ended with code \d+ while it started.*node/s),
    });
  });
});

/** A database file as another program left it. */
async function startWithoutAttribute(databaseFile: string): Promise<void> {
  const port = String(20_000 + Math.floor(Math.random() * 10_000));
  const args = ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', port, '--log-level', 'error'];
  const other = spawn(inject('cliPath'), [...args, '--namespace', 'orchard', '--db-filename', databaseFile], {
    stdio: 'ignore',
  });
  const address = `127.0.0.1:${port}`;
  const connection = await eventually(() => connect({ address, namespace: 'orchard' }));
  await connection.close();
  other.kill('SIGTERM');
  await once(other, 'exit');
}
