/** A worker of the command line outlives what its capabilities leave behind uncaught, and says where it came from. */

import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createProject } from './project.ts';

const STRAY = fileURLToPath(new URL('../fixtures/project/stray.config.ts', import.meta.url));
const project = createProject();

afterAll(() => project.close());

test('an error that nobody catches is told with its attempt, and the worker goes on', async () => {
  const worker = await project.startWorker(STRAY);
  const ids: string[] = [];
  for (const by of ['timer', 'promise', 'unreadable']) {
    const plan = { goal: 'Stray', plan: { type: 'task', task: by, capability: 'stray', arguments: { by } } };
    const id = await project.detach(plan, '--approve');
    await project.until(id, ({ phase }) => phase === 'closed');
    expect(await project.json('result', id)).toMatchObject({ code: 0, text: by });
    ids.push(id);
  }
  worker.child.kill('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code).toBe(0);
  const of = (id: string | undefined) => `the worker goes on. It comes from runTask node_1 of run ${id}, attempt 1.\n`;
  expect(stderr).toContain(
    `an error was thrown and nobody caught it; ${of(ids[0])}Error: stray \\u001b[31mtimer\ufffd\n    at `,
  );
  expect(stderr).toContain(`a promise was rejected and nobody caught it; ${of(ids[1])}TypeError: stray promise\n`);
  expect(stderr).toContain(`an error was thrown and nobody caught it; ${of(ids[2])}an error that cannot be read\n`);
});
