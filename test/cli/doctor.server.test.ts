/** `planwright doctor` on a server: a worker that has died is none, though the server remembers it. */

import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { createProject } from './project.ts';
import { type Doctor } from './planwright.ts';

const project = createProject();
afterAll(() => project.close());

async function workerCheck() {
  const { code, ok, checks } = await project.json<Doctor>('doctor', '--task-queue', project.taskQueue);
  const found = checks.find(({ check }) => check === 'worker');
  expect([code, ok]).toEqual(found?.state === 'fail' ? [2, false] : [0, true]);
  return found;
}

test('before, with and after a worker', async () => {
  expect(await workerCheck()).toMatchObject({
    state: 'fail',
    message: expect.stringMatching(/^no worker on task queue \S+; start/) as string,
  });
  const { child } = await project.startWorker();
  await expect.poll(workerCheck).toMatchObject({
    state: 'ok',
    message: expect.stringMatching(
      new RegExp(`^1 on task queue \\S+: ${child.pid}@\\S+ .*, asked \\d+ s ago$`),
    ) as string,
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await workerCheck()).toMatchObject({
    state: 'fail',
    message: expect.stringMatching(/^no worker on task queue \S+ any more \(.*asked \d+ s ago\); start one/) as string,
  });
});
