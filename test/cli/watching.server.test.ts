/** A worker as those who run it watch it: a scrape, its health, its log. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { METRICS } from '../../src/protocol/index.ts';
import { metricsNamed } from '../support/alert-rules.ts';
import { CONFIG, start, linesIn } from './planwright.ts';
import { BROKEN, both, createProject, question, steps, word, writePlan } from './project.ts';
import { freePort, testHttpServer } from '../support/http-server.ts';

const project = createProject();
afterAll(() => project.close());

const PLANNING = fileURLToPath(new URL('../fixtures/planning/planwright.config.ts', import.meta.url));

/** The fixture, with the model of the other one. */
function withModel(): string {
  const file = join(project.folder, 'planwright.config.ts');
  const [base, planning] = [JSON.stringify(CONFIG), JSON.stringify(PLANNING)];
  writeFileSync(
    file,
    `import base from ${base};\nimport planning from ${planning};\nexport default { ...base, model: planning.model };\n`,
  );
  return file;
}

test('a worker tells its metrics, its health and its log, an object a line', { tags: ['slow'] }, async () => {
  const [metrics, health] = [await freePort(), await freePort()];
  const args = ['--metrics', String(metrics), '--health', String(health), '--log-format', 'json', '-o', 'json'];
  const worker = project.begin('worker', '--config', withModel(), '--task-queue', project.taskQueue, ...args);
  expect(await worker.said(/"ready"/)).toContain(`"metrics": "http://127.0.0.1:${metrics}/metrics"`);
  const page = async (path: string) => (await fetch(`http://127.0.0.1:${path}`)).text();
  const scrape = () => page(`${metrics}/metrics`);
  await expect
    .poll(async () => JSON.parse(await page(`${health}/readyz`)) as object)
    .toEqual({ ok: true, worker: 'RUNNING', polls: 'ok', server: 'ok', store: 'ok' });
  expect(JSON.parse(await page(`${health}/livez`))).toMatchObject({ ok: true });

  const run = (plan: unknown, ...more: string[]) =>
    project.type(
      'run',
      writePlan(project.folder, plan),
      '--task-queue',
      project.taskQueue,
      '--approval',
      'effects',
      ...more,
    );
  expect((await run(both(word('ab'), word('bc')))).code).toBe(0);
  expect((await run({ goal: 'Fail', plan: BROKEN })).code).toBe(1);
  const asked = await project.detach(steps(question('Which?'), { capability: 'respond' }), '--approval', 'effects');
  await project.until(asked, ({ waitingFor }) => waitingFor === 1);
  const goal = [
    'run',
    '--goal',
    'GOOD letters',
    '--task-queue',
    project.taskQueue,
    '--approval',
    'effects',
    '--timeout',
    '60s',
  ];
  expect((await project.type(...goal)).code).toBe(0);

  /** The value of a series of ours, whatever its other labels are. */
  const valueOf = (text: string, name: string, labels: Readonly<Record<string, string>>) => {
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
    const own = { ...labels, taskQueue: project.taskQueue };
    const found = lines.find((line) => Object.entries(own).every(([key, value]) => line.includes(`${key}="${value}"`)));
    return found === undefined ? undefined : Number(found.split(' ').at(-1));
  };
  const text = await scrape();
  const plans = { workflowType: 'planWorkflow' };
  expect(valueOf(text, METRICS.runs.name, { ...plans, outcome: 'done' })).toBe(2);
  expect(valueOf(text, METRICS.runs.name, { ...plans, outcome: 'failed' })).toBe(1);
  expect(valueOf(text, METRICS.runs.name, { ...plans, outcome: 'expired' })).toBe(0);
  expect(valueOf(text, METRICS.nodes.name, { ...plans, end: 'succeeded' })).toBe(6);
  expect(valueOf(text, METRICS.nodes.name, { ...plans, end: 'failed' })).toBe(1);
  expect(valueOf(text, METRICS.attempts.name, { executor: 'letters', end: 'succeeded' })).toBe(4);
  expect(valueOf(text, METRICS.attempts.name, { executor: 'UNION', end: 'succeeded' })).toBe(2);
  expect(valueOf(text, METRICS.attempts.name, { executor: 'broken', end: 'failed' })).toBeGreaterThanOrEqual(1);
  expect(valueOf(text, `${METRICS.attemptTime.name}_count`, { executor: 'letters' })).toBe(4);
  expect(valueOf(text, METRICS.held.name, { by: 'version' })).toBe(0);
  expect(valueOf(text, METRICS.calls.name, { model: 'scripted-letters', end: 'ok' })).toBe(1);
  expect(valueOf(text, METRICS.tokens.name, { model: 'scripted-letters', direction: 'output' })).toBe(10);
  expect(valueOf(text, `${METRICS.cost.name}_sum`, { model: 'scripted-letters' })).toBe(0.001);
  const missing = metricsNamed().filter((name) => !text.includes(`# TYPE ${name} `));
  expect(missing).toEqual([]);

  worker.child.kill('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code).toBe(0);
  const lines = linesIn(stderr);
  const ofNode = { run: asked, node: 'node_1', attempt: 1 };
  expect(lines).toContainEqual(expect.objectContaining({ message: 'node asked', level: 'info', ...ofNode }));
  expect(lines.find(({ message }) => message === 'Activity failed')).toMatchObject({
    level: 'warn',
    node: 'node_1',
    attempt: 1,
    error: { message: expect.stringContaining('the instrument is on fire') as string },
  });
});

test('what a worker says before it is ready is an object a line as well', async () => {
  const file = join(project.folder, 'early.config.ts');
  const keys = `{ keys: { now: { env: 'KEY_NOW' }, old: { env: 'KEY_OLD' } }, current: 'now' }`;
  writeFileSync(
    file,
    `import base from ${JSON.stringify(CONFIG)};\nprocess.emitWarning('the project is late');\n` +
      `export default { ...base, encryption: ${keys} };\n`,
  );
  const env = {
    ...project.env,
    PLANWRIGHT_STORE: join(project.folder, 'early'),
    KEY_NOW: Buffer.alloc(32, 1).toString('base64'),
  };
  const typed = ['worker', '--config', file, '--task-queue', `${project.taskQueue}-early`, '--log-format', 'json'];
  const worker = start(typed, { env, cwd: project.folder });
  await worker.said(/worker ready on task queue/);
  worker.child.kill('SIGTERM');
  const { stderr } = await worker.ended;
  const lines = linesIn(stderr);
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'the project is late' }));
  const missing = expect.stringContaining('the environment has no KEY_OLD') as string;
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', message: missing }));
});

test('an address that is no address is refused, and one that is taken is named', async () => {
  const worker = ['worker', '--config', CONFIG, '--task-queue', project.taskQueue];
  expect(await project.type(...worker, '--metrics', 'example.org:1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--metrics: expected a port') as string,
  });
  const { port } = await testHttpServer();
  const { code, stderr } = await project.begin(...worker, '--metrics', String(port)).ended;
  expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`PORT_IN_USE.*--metrics 127.0.0.1:${port}`))]);
});
