/** Releases as an operator types them: workers of builds, what holds an old one, and what may not share a name. */

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { movedFrom, release } from '../support/deployments.ts';
import { CONFIG, type Started, type Doctor } from './planwright.ts';
import { createProject, word } from './project.ts';
import { fileClient } from '../support/file-client.ts';

const deployment = `cli-${randomUUID().slice(0, 8)}`;
const project = createProject();
const workers: Started[] = [];
const client = await fileClient();
afterAll(async () => {
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(workers.map(({ ended }) => ended));
  await project.close();
});

function begin(build: string, config = CONFIG, ...args: string[]): Started {
  const flags = ['--task-queue', project.taskQueue, '--deployment', deployment, '--build', build];
  const worker = project.begin('worker', '--config', config, ...flags, ...args);
  workers.push(worker);
  return worker;
}

async function builds() {
  const { checks } = await project.json<Doctor>('doctor', '--task-queue', project.taskQueue);
  return checks.find(({ check }) => check === 'builds');
}

const listed = async (id: string) => {
  const { runs } = await project.json<'list'>('list', '--open');
  return runs.find(({ workflowId }) => workflowId === id)?.build;
};
const detach = async (text: string) => {
  const id = await project.detach({ goal: 'Wait', plan: word(text) });
  await project.until(id, ({ phase }) => phase === 'awaiting-approval');
  return id;
};

test('a run holds its build until it is told to go on', async () => {
  const first = begin('1');
  await first.said(/worker ready/);
  // The server names a worker some moments after its first poll.
  await expect.poll(builds).toMatchObject({
    state: 'fail',
    message: expect.stringContaining('given to nobody') as string,
  });
  const untaken = await project.detach({ goal: 'Wait', plan: word('ab') });
  const command = `set-current-version --deployment-name ${deployment} --build-id 1 --yes`;
  for (const typed of [
    ['status'],
    ['approve', '--digest', 'ffffffff', '--by', 'operator'],
    ['control', 'pause', '--by', 'operator'],
  ] as const) {
    const [verb = '', ...more] = typed;
    const { stdout, stderr } = await project.type(verb, untaken, ...more);
    const told = stdout + stderr;
    expect([verb, told]).toEqual([verb, expect.stringContaining(`${deployment} has no current build`)]);
    expect(told).toContain(command);
    expect(told).not.toContain('start one with');
  }
  await client.workflow.getHandle(untaken).terminate();
  await release(client, { name: deployment, build: '1' });
  const [id = '', left = ''] = [await detach('abc'), await detach('abcd')];
  const pinned = { deployment, build: '1' };
  await expect.poll(() => listed(id)).toEqual({ ...pinned, current: '1' });
  await expect.poll(() => listed(left)).toEqual({ ...pinned, current: '1' });
  expect(await builds()).toMatchObject({
    state: 'ok',
  });

  // Another build may be another program: the server keeps their work apart.
  const other = join(project.folder, 'other.config.ts');
  writeFileSync(
    other,
    `import base from ${JSON.stringify(CONFIG)};\nexport default { capabilities: base.capabilities.slice(1) };\n`,
  );
  await begin('2', other).said(/worker ready/);
  await release(client, { name: deployment, build: '2' });
  await expect.poll(() => listed(id)).toEqual({ ...pinned, current: '2' });
  const words = async () => (await project.type('list', '--open')).stdout;
  await expect.poll(words).toContain('awaiting-approval (build 1, current is 2)');
  expect(await builds()).toMatchObject({
    state: 'warn',
    message: expect.stringMatching(/^2 open runs hold build 1 of .*go-on RUN/) as string,
  });

  const { runId } = await client.workflow.getHandle(id).describe();
  const told = await project.type('go-on', id);
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('goes on in a new history') as string });
  expect(await movedFrom(client, id, runId)).toBe('2');
  await expect.poll(() => listed(id)).toEqual({ deployment, build: '2', current: '2' });

  first.child.kill('SIGTERM');
  await first.ended;
  expect(await builds()).toMatchObject({
    state: 'fail',
    message: expect.stringMatching(/^1 open run holds build 1 .*start one with --build 1/) as string,
  });
});

test.each([
  [['--build', '1'], '--deployment NAME and --build ID go together'],
  [['--deployment', 'a.b', '--build', '1'], '--deployment: a name without "." and ":" is expected, got "a.b"'],
  [['--deployment', 'a', '--build', '__1'], '--build: expected 1 to 200 characters'],
])('%j is refused before anything starts', async (args, message) => {
  const { code, stderr } = await project.type('worker', '--config', CONFIG, ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
