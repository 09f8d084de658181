/** An encrypted project by its commands, and by Temporal's own CLI with the codec server. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createFileStore, resultsIn } from '../../src/store/index.ts';
import { foundBelow, foundInDatabase } from '../support/found-in-clear.ts';
import { CONFIG, planwright, type Started } from './planwright.ts';
import { createProject, question, steps, writePlan, type Project } from './project.ts';
import { testFolder } from '../support/folders.ts';

const SECRET = `secret${randomBytes(9).toString('hex')}`;
const KEY = { TEST_KEY_1: randomBytes(32).toString('base64') };
const ENCRYPTION = "{ keys: { k1: { env: 'TEST_KEY_1' } }, current: 'k1' }";
let project: Project;
let codec: Started;
let url: string;

beforeAll(async () => {
  project = createProject('default', KEY);
  writeFileSync(
    join(project.folder, 'planwright.config.ts'),
    `import base from ${JSON.stringify(CONFIG)};\nexport default { ...base, encryption: ${ENCRYPTION} };\n`,
  );
  codec = project.begin('codec', '--port', '0');
  const ready = codec.said(/codec server ready at http:\S+,/);
  await project.startWorker('planwright.config.ts');
  url = /http:[^,\s]+/.exec(await ready)?.[0] ?? '';
});

afterAll(async () => {
  codec.child.kill('SIGTERM');
  expect(await codec.ended).toMatchObject({ code: 0 });
  await project.close();
});

const asks = () => steps({ ...question(`${SECRET} how many?`), description: `${SECRET} asks` });

test('every command reads and writes what the server and the store have encrypted', { tags: ['slow'] }, async () => {
  const id = await project.detach({ ...asks(), goal: `${SECRET} goal` });
  expect(id).toMatch(/^plan-[0-9a-f]{8}$/);
  const { digest, open } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
  expect(open[0]?.text).toContain('approve');
  const approved = await project.type('approve', id, '--digest', digest, '--by', SECRET, '--comment', `${SECRET} go`);
  expect(approved).toMatchObject({ code: 0 });
  const asked = await project.until(id, ({ waitingFor, phase }) => waitingFor === 1 && phase === 'running');
  const words = async (command: string) => (await project.type(command)).stdout;
  await expect.poll(() => words('inbox')).toContain(`${SECRET} how many?`);
  expect(await project.type('answer', id, asked.open[0]?.id ?? '', `"${SECRET} seven"`, '--by', SECRET)).toMatchObject({
    code: 0,
  });
  const result = await project.type('result', id, '--timeout', '60s');
  expect(result.stdout).toContain(`${SECRET} seven`);
  expect((await project.type('trace', id)).stdout).toContain(`${SECRET} go`);
  await expect.poll(() => words('list')).toContain(id);
  expect(await foundInDatabase(inject('databaseFile'), SECRET)).toEqual([]);
  expect(await foundBelow(join(project.folder, 'results'), SECRET)).toEqual([]);
});

test('a store in clear is copied into one of which nothing stands in clear, and that into another', async () => {
  const clear = join(project.folder, 'clear');
  const run = resultsIn(createFileStore(clear), 'runs/o/c');
  await run.enter('root/done', Buffer.from(await run.put(Buffer.from(`${SECRET} stored`))));
  for (const [from, to] of [
    [clear, 'sealed'],
    ['sealed', 'again'],
  ] as const) {
    const copied = await project.type('store', 'copy', from, to, '-o', 'json');
    expect(JSON.parse(copied.stdout)).toMatchObject({
      ok: true,
      amounts: { runs: { count: 2 } },
    });
    expect(await foundBelow(join(project.folder, to), SECRET)).toEqual([]);
    expect((await project.type('doctor', '--store', to)).stdout).toMatch(/^ok +store: .*: 2 keys, all whole$/m);
  }
  const elsewhere = testFolder('elsewhere');
  const keyless = await planwright(['store', 'copy', join(project.folder, 'sealed'), 'mine', '-o', 'json'], {
    env: project.env,
    cwd: elsewhere,
  });
  expect(JSON.parse(keyless.stdout)).toMatchObject({ error: { code: 'NO_KEY' } });
});

test('without the key a command says which it lacks, and sends nothing', async () => {
  const id = await project.detach(asks());
  const { digest } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
  const approve = ['approve', id, '--digest', digest, '--by', SECRET, '-o', 'json'];
  const unset = await planwright(approve, { env: { ...project.env, TEST_KEY_1: '' }, cwd: project.folder });
  expect(JSON.parse(unset.stdout)).toMatchObject({
    error: {
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('key k1: the environment has no TEST_KEY_1') as string,
    },
  });
  const elsewhere = mkdtempSync(join(tmpdir(), 'planwright-elsewhere-'));
  try {
    for (const args of [approve, ['status', id, '-o', 'json']]) {
      const typed = await planwright(args, { env: project.env, cwd: elsewhere });
      expect(typed.code).toBe(2);
      expect(JSON.parse(typed.stdout)).toMatchObject({
        error: { code: 'NO_KEY', message: expect.stringContaining('key "k1", which is not here') as string },
      });
    }
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
  expect(await project.until(id, () => true)).toMatchObject({ phase: 'awaiting-approval', waitingFor: 1 });
  expect(await project.type('reject', id, '--digest', digest)).toMatchObject({ code: 0 });
});

test('a worker that does not encrypt does not join the queue', async () => {
  const plain = project.begin('worker', '--config', CONFIG, '--task-queue', project.taskQueue, '-o', 'json');
  expect(await plain.said(/"ok":/)).toContain('"TASK_QUEUE_IN_USE"');
  expect(await plain.ended).toMatchObject({ code: 2 });
});

/** What it prints, with the data of payloads as text. */
async function temporal(...args: string[]): Promise<string> {
  const flags = ['--address', inject('address'), '-o', 'json'];
  const { stdout } = await promisify(execFile)(inject('cliPath'), ['workflow', ...args, ...flags]);
  return stdout.replaceAll(/"data": "([^"]*)"/g, (_, data: string) => Buffer.from(data, 'base64').toString('latin1'));
}

test('the Temporal CLI starts, shows, asks and decides by the codec server, and sees nothing without', async () => {
  const id = `${project.taskQueue}-cli`;
  const through = ['--codec-endpoint', url];
  const file = writePlan(project.folder, { plan: { ...asks(), goal: `${SECRET} typed` } });
  const start = ['start', '--type', 'planWorkflow', '--task-queue', project.taskQueue, '--workflow-id', id];
  await temporal(...start, '--input-file', file, '--static-summary', `${SECRET} summary`, ...through);
  const { digest } = await project.until(id, ({ waitingFor }) => waitingFor === 1);
  await temporal(
    'signal',
    '-w',
    id,
    '--name',
    'approve',
    '--input',
    JSON.stringify({ digest, by: SECRET }),
    ...through,
  );
  await project.until(id, ({ phase }) => phase === 'running');
  expect(await temporal('query', '-w', id, '--type', 'questions', ...through)).toContain(`${SECRET} how many?`);
  expect(await temporal('show', '-w', id, ...through)).toContain(SECRET);
  expect(await temporal('show', '-w', id)).not.toContain(SECRET);
  for (const what of ['describe', 'metadata']) {
    expect(await temporal(what, '-w', id, ...through)).toContain(SECRET);
    expect(await temporal(what, '-w', id)).not.toContain(SECRET);
  }
  await temporal(
    'signal',
    '-w',
    id,
    '--name',
    'control',
    '--input',
    '{"action":"kill","by":"operator","comment":"done"}',
    ...through,
  );
  expect(await project.until(id, ({ phase }) => phase === 'closed')).toMatchObject({ outcome: 'aborted' });
  expect(await foundInDatabase(inject('databaseFile'), SECRET)).toEqual([]);
});
