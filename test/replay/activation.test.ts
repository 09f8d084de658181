/** The real activations of the SDK's core tell what queries are judged by. */

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { DATA_CONVERTER } from '../../src/worker/index.ts';
import { WORKFLOW_SOURCES } from '../../src/worker/workflow-sources.ts';
import { readPacked } from '../support/packed-json.ts';
import { quietRuntime } from '../support/runtime.ts';

quietRuntime();

const logger = new DefaultLogger('ERROR', () => undefined);

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

test('the SDK is of a minor with which the suites have passed: of another, each file of `workflows/sdk` is tried without', () => {
  const { version } = createRequire(import.meta.url)('@temporalio/workflow/package.json') as { version: string };
  expect(version).toMatch(/^1\.2[34]\./);
});

test('activations tell the events, the size and the start of their task, and the sandbox tells the clock', async () => {
  const { workflowInterceptorModules: own } = WORKFLOW_SOURCES;
  const workflowInterceptorModules = [...own, pathOf('../support/activation-probe.ts')];
  const workflowBundle = await bundleWorkflowCode({ ...WORKFLOW_SOURCES, workflowInterceptorModules, logger });
  const history = readPacked(pathOf('histories/done.json.gz'));
  const options = { workflowBundle, dataConverter: DATA_CONVERTER };
  await expect(Worker.runReplayHistory(options, history, 'done')).resolves.toBeUndefined();
});
