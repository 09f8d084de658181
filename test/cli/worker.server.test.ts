/** `planwright worker` and `dev`: when they are ready, and what keeps them from it. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readSource } from '../support/source-files.ts';
import { CLI, CONFIG, start, type Started, type Answer } from './planwright.ts';
import { both, createProject, slowWord, word } from './project.ts';

const project = createProject();

afterAll(() => project.close());

test('a worker says when it is ready, and ends with exit 0 on SIGTERM', async () => {
  const worker = await project.startWorker();
  worker.child.kill('SIGTERM');
  const { code, stdout } = await worker.ended;
  expect(code).toBe(0);
  expect(stdout).toBe(
    `worker ready on task queue ${project.taskQueue}, namespace default at ${inject('address')}, ` +
      `store ${project.folder}/results; 10 capabilities, 0 agents, no model; process ${worker.child.pid}\n`,
  );
});

const NAMESPACES = ['unshare', '--pid', '--fork', '--kill-child'];
const hasNamespaces = spawnSync(NAMESPACES[0]!, [...NAMESPACES.slice(1), 'true']).status === 0;

test('process 1 of the container is the worker: on SIGTERM it lets the work end that it has', async ({ skip }) => {
  skip(!hasNamespaces, 'needs a PID namespace');
  const own = createProject();
  const bin = join(own.folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(CLI, join(bin, 'planwright'));
  const { services } = parse(readSource('docker-compose.yml')) as { services: { project: { command: string } } };
  const options = ['--config', CONFIG, '--task-queue', own.taskQueue, '--log-level', 'info'];
  const by = [...NAMESPACES, ...services.project.command.split(' ')];
  const worker = start(options, { cwd: own.folder, env: own.env, by });
  try {
    await worker.said(/worker ready/);
    const id = await own.detach(both(word('a'), slowWord('ab', 'stop')), '--approval', 'effects');
    await own.until(id, ({ counts }) => counts['running'] === 1);
    const children = readFileSync(`/proc/${worker.child.pid}/task/${worker.child.pid}/children`, 'utf8');
    process.kill(Number(/^[1-9]\d*/.exec(children)?.[0] ?? Number.NaN), 'SIGTERM');
    await worker.said(/STOPPING|DRAINING/);
    own.open('stop');
    expect(await worker.ended).toMatchObject({ code: 0 });
    await own.startWorker();
    expect(await own.json('result', id)).toMatchObject({ code: 0, kind: 'set' });
    const { stdout } = await own.type('trace', id);
    expect(stdout).not.toContain('attempt 2');
  } finally {
    worker.child.kill('SIGKILL');
    await own.close();
  }
});

test(
  'a queue on which other capabilities are offered is refused, until that worker has ended or by force',
  { tags: ['slow'] },
  async () => {
    const shared = createProject();
    const other = join(shared.folder, 'other.config.ts');
    writeFileSync(
      other,
      `import base from ${JSON.stringify(CONFIG)};\nexport default { capabilities: base.capabilities.slice(1) };\n`,
    );
    const begun: Started[] = [];
    const startOther = (...args: string[]) => {
      const worker = shared.begin('worker', '--config', other, '--task-queue', shared.taskQueue, ...args);
      begun.push(worker);
      return worker;
    };
    try {
      const first = await shared.startWorker();
      const same = await shared.startWorker();
      const refused = startOther('-o', 'json');
      expect(await refused.said(/"ok":/)).toContain('"TASK_QUEUE_IN_USE"');
      const { code, stdout } = await refused.ended;
      const { error } = JSON.parse(stdout) as Required<Answer>;
      expect(code).toBe(2);
      expect(error.message).toContain(`task queue ${shared.taskQueue}`);
      expect(error.message).toMatch(
        new RegExp(`worker (${first.child.pid}|${same.child.pid})@${hostname()} planwright/[0-9a-f]{8} with other`),
      );
      expect(error.message).toContain('taskQueue of its own in planwright.config.ts');
      expect(error.message).toContain('--force');

      const forced = startOther('--force');
      await forced.said(/worker ready/);
      const all = [forced, first, same];
      for (const { child } of all) child.kill('SIGTERM');
      await Promise.all(all.map(({ ended }) => ended));

      // The server still lists them; they have ended, so that a project whose capabilities change starts again at once.
      const next = startOther();
      await next.said(/worker ready/);
      next.child.kill('SIGTERM');
      expect((await next.ended).code).toBe(0);
    } finally {
      for (const { child } of begun) child.kill('SIGTERM');
      await shared.close();
    }
  },
);

test(
  'dev starts a server alone, in a folder without a config, until it is told to stop',
  { tags: ['slow'] },
  async () => {
    const db = `${project.folder}/alone.db`;
    const server = project.begin('dev', '--server-only', '--headless', '--port', '0', '--db', db, '-o', 'json');
    await server.said(/Ctrl-C stops it/);
    // Whoever starts it uses it from another process.
    const { code: reached } = await project.type('list', '--address', readyIn(await server.said(/"address"/)));
    expect(reached).toBe(0);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0 });
  },
);

test('and ends when the server does', async () => {
  const db = `${project.folder}/ends.db`;
  const server = project.begin('dev', '--server-only', '--headless', '--port', '0', '--db', db, '-o', 'json');
  onTestFinished(() => void server.child.kill('SIGTERM'));
  await server.said(/Ctrl-C stops it/);
  const said = await server.said(/"pid": \d+/);
  // Never 0, which would be this process and all that it has started.
  process.kill(Number(/"pid": ([1-9]\d*)/.exec(said)?.[1] ?? Number.NaN), 'SIGKILL');
  expect(await server.ended).toMatchObject({ code: 2, stdout: expect.stringContaining('has ended') as string });
});

function readyIn(said: string): string {
  return /"address": ?"(.*?)"/.exec(said)?.[1] ?? '';
}

test('dev --server-only leaves a server that runs as it is, and refuses what is about a worker', async () => {
  const found = await project.type('dev', '--server-only', '--address', inject('address'));
  expect(found).toMatchObject({
    code: 0,
    stdout: `server ready at ${inject('address')}, namespace default (TEMPORAL_ADDRESS)\n`,
  });
  const { code, stderr } = await project.type('dev', '--server-only', '--task-queue', 'q');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--task-queue is about one: leave out either')]);
});
