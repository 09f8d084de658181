/** `planwright run --dev`: one command, from nothing to the result. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { CONFIG, start } from './planwright.ts';
import { BROKEN, both, createProject, slowWord, word, writePlan } from './project.ts';

const project = createProject();
afterAll(() => project.close());

const GOOD = both(word('hello'), word('world'));
const typed = (plan: unknown, ...more: string[]) => [
  'run',
  writePlan(project.folder, plan),
  '--dev',
  '--config',
  CONFIG,
  ...more,
];

test('without a server: one is started, and is gone when the run has ended', async () => {
  const own = {
    FIXTURE_DIR: project.folder,
    PLANWRIGHT_STORE: `${project.folder}/results`,
    PLANWRIGHT_CACHE: project.folder,
    TEMPORAL_CLI_PATH: inject('cliPath'),
  };
  const args = typed(GOOD, '--yes', '--by', 'operator', '-o', 'json');
  const { code, stdout, stderr } = await start(args, { env: own, cwd: project.folder }).ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('worker in this process')]);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, outcome: 'done', result: { count: 7 } });
  const [, port, how] = /server 127\.0\.0\.1:(\d+) \((.*?)\)/.exec(stderr) ?? [];
  // Where one runs on the usual port already it is used, and stays.
  expect(await isOpen(Number(port))).toBe(how?.includes('already') === true);
});

test('without a config: files and a plan over them are enough', { tags: ['slow'] }, async () => {
  const put = (name: string, text: string) => writeFileSync(join(project.folder, name), text);
  put('genes.gff3', 'chr1\t.\tgene\t1001\t2000\t.\t+\t.\tID=near\nchr1\t.\tgene\t5001\t6000\t.\t-\t.\tID=far\n');
  put('peaks.bed', 'chr1\t2299\t2400\tpeak\n');
  put(
    'near.yaml',
    `goal: Genes near a peak
plan:
  task: Write them
  capability: records.write
  arguments: { path: result.bed }
  input:
    operator: COLOCATE
    downstream: 500
    left: { task: Genes, capability: records.file, arguments: { path: genes.gff3 } }
    right: { task: Peaks, capability: records.file, arguments: { path: peaks.bed } }
`,
  );
  const { code, stderr } = await project.begin('run', 'near.yaml', '--dev', '--yes', '--by', 'operator').ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('worker in this process on task queue planwright-')]);
  expect(stderr).toMatch(/^done in .*: 1 record -> result\.bed; approved by operator$/m);
  expect(readFileSync(join(project.folder, 'result.bed'), 'utf8')).toBe('chr1\t1000\t2000\tnear\t0\t+\n');
});

test('Ctrl-C leaves a run that goes on when a worker is there again, and says how', { tags: ['slow'] }, async () => {
  const begun = project.begin(...typed(both(slowWord('abc', 'bell'), word('d')), '--yes', '--by', 'operator'));
  await begun.said(/node_2 .*succeeded/);
  begun.child.kill('SIGINT');
  const { code, stderr } = await begun.ended;
  expect(code).toBe(130);
  const [, id = ''] = /^run (\S+)$/m.exec(stderr) ?? [];
  const [, queue = ''] = /`planwright dev --task-queue (\S+)` goes on with the run/.exec(stderr) ?? [];
  project.open('bell');
  const worker = project.begin('dev', '--config', CONFIG, '--task-queue', queue);
  await worker.said(/worker ready/);
  expect((await project.type('result', id, '--timeout', '20s')).stdout).toContain('a\nb\nc\nd\n');
  worker.child.kill('SIGINT');
  await worker.ended;
});

test('a node that fails is told by the run alone', { tags: ['slow'] }, async () => {
  const args = typed({ goal: 'Fail', plan: BROKEN }, '--yes', '--by', 'operator');
  const { code, stderr } = await start(args, { env: project.env, cwd: project.folder }).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('node_1')]);
  expect(stderr).not.toMatch(/Activity failed|sdkComponent|^ +at /m);
});

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
