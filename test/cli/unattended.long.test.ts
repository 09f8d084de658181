/** Time without a worker: it fails nothing, and is told by the server for as long as it lasts. */

import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createProject } from './project.ts';

const BRIEF = fileURLToPath(new URL('../fixtures/project/brief.config.ts', import.meta.url));
/** The times that the task declares, of one attempt and in all. */
const DECLARED_MS = 2000;

const project = createProject();
afterAll(() => project.close());

interface Silent {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly unattended?: { readonly taskQueue: string; readonly since: string };
  };
}

test('work that was scheduled for longer than its times goes on at the next worker, and meanwhile the queue is named', async () => {
  const worker = await project.startWorker(BRIEF);
  const plan = { goal: 'Wait for the morning', plan: { task: 'Wait', capability: 'brief', arguments: {} } };
  const id = await project.detach(plan, '--approval', 'effects');
  await project.until(id, ({ counts }) => counts['running'] === 1);
  worker.child.kill('SIGKILL');
  await once(worker.child, 'exit');
  const isLonger = ({ error }: Silent) => Date.now() - Date.parse(error.unattended?.since ?? '') > 2 * DECLARED_MS;
  let silent = await project.json<Silent>('status', id);
  while (!isLonger(silent)) silent = await project.json<Silent>('status', id);
  const words = new RegExp(`no worker asks for work on ${project.taskQueue}, for \\d+(\\.\\d+)? s`, 'u');
  expect(silent.error).toMatchObject({ code: 'NO_WORKER', unattended: { taskQueue: project.taskQueue } });
  expect(silent.error.message).toMatch(words);
  const told = await project.type('status', id);
  expect([told.code, told.stderr.replaceAll(/\s+/gu, ' ')]).toEqual([2, expect.stringMatching(words) as string]);
  expect((await project.type('list', '--open')).stdout.replaceAll(/\s+/gu, ' ')).toMatch(words);
  const { runs } = await project.json<'list'>('list', '--open');
  expect(runs.find(({ workflowId }) => workflowId === id)).toMatchObject({
    answered: false,
    unattended: { taskQueue: project.taskQueue, since: expect.any(String) as string },
  });
  project.open('morning');
  await project.startWorker(BRIEF);
  expect(await project.until(id, ({ phase }) => phase === 'closed')).toMatchObject({
    outcome: 'done',
    counts: { succeeded: 1 },
  });
});
