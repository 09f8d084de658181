/** The names of deployments and builds: those that a server would take no worker of, without a word, are refused. */

import type { NativeConnection } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createFileStore } from '../../src/store/index.ts';
import { createWorker, deploymentProblem, planwrightPlugin } from '../../src/worker/index.ts';
import { ids } from '../support/capabilities.ts';

const long = (length: number) => 'x'.repeat(length);
const ours = { registry: createRegistry([ids]), store: createFileStore('/nowhere') };

test.each([
  ['booking', '2026-08-01'],
  ['booking plans', '1.0:rc'],
  [long(200), long(200)],
])('%s %s is taken', (name, build) => {
  expect(deploymentProblem({ name, build })).toBeUndefined();
});

test.each([
  ['', '1', /^deployment: expected 1 to 200 characters/],
  ['a', ' ', /^build: expected 1 to 200 characters/],
  ['a.b', '1', /^deployment: a name without "\." and ":"/],
  ['a:b', '1', /^deployment: a name without/],
  ['__a', '1', /^deployment: .*"__"/],
  ['a', '__1', /^build: .*"__"/],
  [long(201), '1', /^deployment: expected 1 to 200 characters/],
])('%j %j is refused with what is expected', (name, build, problem) => {
  expect(deploymentProblem({ name, build })).toMatch(problem);
});

test('a worker of such a name does not start', async () => {
  const place = { connection: {} as NativeConnection, namespace: 'default', taskQueue: 'q' };
  await expect(createWorker({ ...place, ...ours, deployment: { name: 'a.b', build: '1' } })).rejects.toThrow(TypeError);
});

test('nor does one that names a deployment and is not versioned: its runs could not go on', async () => {
  const version = { deploymentName: 'a', buildId: '1' };
  const configured = planwrightPlugin(ours).configureWorker?.({
    connection: {} as NativeConnection,
    taskQueue: 'q',
    workerDeploymentOptions: { useWorkerVersioning: false, version },
  });
  await expect(configured).rejects.toThrow('useWorkerVersioning: true');
});
