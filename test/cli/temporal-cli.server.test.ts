/** The Temporal CLI alone is enough: nobody needs our program to start, see, decide and read a run. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createProject, writePlan, type Project } from './project.ts';

let project: Project;

beforeAll(async () => {
  project = createProject();
  await project.startWorker();
});

afterAll(() => project.close());

async function temporal<T>(...args: string[]): Promise<T> {
  const flags = ['--address', inject('address'), '-o', 'json'];
  const { stdout } = await promisify(execFile)(inject('cliPath'), ['workflow', ...args, ...flags]);
  return JSON.parse(stdout === '' ? 'null' : stdout) as T;
}

test('start, query, signal and result with a plan document as it stands', async () => {
  const id = `${project.taskQueue}-bare`;
  const task = {
    type: 'task',
    task: 'letters of the default word',
    hint: 'all of them',
    context: { source: 'a person' },
  };
  const document = {
    goal: 'Letters',
    plan: { type: 'combine', operator: 'INTERSECT', left: task, right: { ...task, hint: 'again' } },
  };
  const file = writePlan(project.folder, document);
  await temporal(
    'start',
    '--type',
    'planWorkflow',
    '--task-queue',
    project.taskQueue,
    '--workflow-id',
    id,
    '--input-file',
    file,
  );

  type Status = { queryResult: readonly [{ phase: string; digest: string }] };
  let status: Status['queryResult'][0];
  do [status] = (await temporal<Status>('query', '-w', id, '--type', 'status')).queryResult;
  while (status.phase === 'drafting');
  expect(status.phase).toBe('awaiting-approval');

  const decision = JSON.stringify({ digest: status.digest.slice(0, 8), by: 'ana' });
  await temporal('signal', '-w', id, '--name', 'approve', '--input', decision);
  const { result } = await temporal<{ result: { outcome: string; digest: string; result: { count: number } } }>(
    'result',
    '-w',
    id,
  );
  expect(result).toMatchObject({ outcome: 'done', digest: status.digest, result: { count: 10 } });
  expect((await project.type('result', id)).stdout).toBe('a\ng\nh\ni\nl\nn\np\nr\nt\nw\n');
});
