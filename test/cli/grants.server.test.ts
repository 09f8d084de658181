/** Grants and schedules from the command line: given, used by runs, shown and withdrawn. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { connectClient } from '../../src/client/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { openReceiver } from '../config/notify/receiving.ts';
import { CONFIG } from './planwright.ts';
import { createProject, writePlan, type Project } from './project.ts';

const operator = createKeyPair();
let project: Project;
let key: string;
let config: string;

function configFile(name: string, more: object = {}): string {
  const identity = { keys: { operator: { publicKey: operator.publicKey, subject: 'operator', roles: ['lead'] } } };
  const file = join(project.folder, name);
  const own = JSON.stringify({ identity, taskQueue: project.taskQueue, ...more });
  writeFileSync(file, `import base from ${JSON.stringify(CONFIG)};\nexport default { ...base, ...${own} };\n`);
  return file;
}

beforeAll(async () => {
  project = createProject();
  key = join(project.folder, 'operator.key.pem');
  writeFileSync(key, operator.privateKey, { mode: 0o600 });
  config = configFile('signed.config.ts');
  await project.startWorker(config);
});

afterAll(() => project.close());

const order = (item: string) => ({
  goal: 'Order it',
  plan: { type: 'task', task: 'Order', capability: 'order', arguments: { item } },
});
const write = (name: string, value: unknown) => {
  const file = join(project.folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
};
const VARY = { 'node_1/arguments/item': { enum: ['tea', 'salt', 'rice'] } };
const inProject = () => ['--config', config];

/** Lets a schedule start a run now. @returns the id of the run */
async function startedBy(schedule: string): Promise<string> {
  const { client, close } = await connectClient({ address: inject('address') });
  onTestFinished(close);
  const handle = client.schedule.getHandle(schedule);
  await handle.trigger();
  const started = async () => (await handle.describe()).info.recentActions.at(-1)?.action.workflow.workflowId ?? '';
  await expect.poll(started).not.toBe('');
  return started();
}

test('a grant is given, covers runs that the same person starts, is shown with its uses, and is withdrawn', async () => {
  const plan = writePlan(project.folder, order('tea'));
  const terms = ['--vary', write('vary.json', VARY), '--uses', '2', '--until', '2099-01-31'];
  const sign = ['--by', 'operator', '--role', 'lead', '--key', key];
  expect(await project.json('grant', plan, ...terms, ...sign, ...inProject())).toMatchObject({
    code: 2,
    error: { message: expect.stringContaining('366 days') as string },
  });
  const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  terms[5] = until;
  const bad = await project.json(
    'grant',
    plan,
    '--vary',
    write('bad.json', { 'node_1/task': { enum: ['a'] } }),
    ...terms.slice(2),
    ...sign,
    ...inProject(),
  );
  expect(bad).toMatchObject({
    code: 2,
    error: { code: 'INPUT_INVALID', message: expect.stringContaining('node_1/task: ') as string },
  });
  expect(await project.json('grant', plan, ...terms, '--by', 'operator', ...inProject())).toMatchObject({
    code: 2,
    error: { code: 'USAGE' },
  });
  const given = await project.json('grant', plan, ...terms, ...sign, ...inProject());
  expect(given).toMatchObject({
    code: 0,
    state: 'open',
    used: 0,
    uses: 2,
    by: 'operator',
    role: 'lead',
    starters: ['operator'],
  });
  const id = String(given['id']);

  const ran = await project.json(
    'run',
    writePlan(project.folder, order('salt')),
    '--by',
    'operator',
    '--key',
    key,
    ...inProject(),
  );
  expect(ran).toMatchObject({ code: 0, outcome: 'done' });
  const status = await project.type('status', String(ran['workflowId']));
  expect(status.stdout).toContain(`approved by grant ${id.slice(0, 8)}, use 1 of 2, by operator`);
  const unsigned = await project.detach(order('rice'));
  const { open } = await project.until(unsigned, ({ waitingFor }) => waitingFor === 1);
  expect(open[0]?.text).toContain('nobody signed the start of this run, and it covers runs of operator');

  expect(await project.json('grant', 'show', id.slice(0, 8), ...inProject())).toMatchObject({
    ...{ code: 0, used: 1, vary: VARY, effects: { node_1: expect.stringContaining('order@1 at-most-once') as string } },
    taken: [{ use: 1, run: ran['workflowId'] }],
  });
  expect(await project.json('grant', 'withdraw', id, '--by', 'operator', ...inProject())).toMatchObject({ code: 0 });
  expect(await project.json('grants', ...inProject())).toMatchObject({ grants: [{ id, state: 'withdrawn', used: 1 }] });
  const { stdout } = await project.type('grants', ...inProject());
  expect(stdout).toContain(id);
  expect(await project.json('grant', 'show', 'ffffffff', ...inProject())).toMatchObject({ code: 2 });
});

test('a schedule starts runs that a grant for anybody covers, until it is paused and deleted', async () => {
  const plan = writePlan(project.folder, order('tea'));
  const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await project.json(
    'grant',
    plan,
    '--uses',
    '100',
    '--until',
    until,
    '--anybody',
    '--vary',
    write('any.json', VARY),
    '--by',
    'operator',
    '--key',
    key,
    ...inProject(),
  );
  const name = `${project.taskQueue}-schedule`;
  const vary = ['--vary', write('values.json', { 'node_1/arguments/item': 'rice' })];
  const every = ['--every', 'daily 8:00', '--schedule'];
  const made = await project.json('schedule', plan, ...every, name, ...vary, ...inProject());
  expect(made).toMatchObject({ code: 0, schedule: name });
  const last = await startedBy(name);
  expect(await project.json('schedule', 'pause', name, '--by', 'operator')).toMatchObject({ code: 0, reply: 'paused' });
  await project.json('schedule', plan, ...every, `${name}-2`, ...inProject());
  const more = ['schedules', '--limit', '1'];
  const limited = async () => (await project.json(...more))['schedules'];
  await expect.poll(limited).toHaveLength(1);
  await expect.poll(async () => (await project.type(...more)).stdout).toContain('--limit shows');
  const states = async () => JSON.stringify((await project.json('schedules'))['schedules']);
  await expect.poll(states).toContain(`"schedule":"${name}","state":"paused"`);
  await project.json('schedule', 'delete', `${name}-2`, '--by', 'operator');
  const { outcome } = await project.until(last, ({ phase }) => phase === 'closed');
  expect(outcome).toBe('done');
  expect((await project.type('trace', last)).stdout).toContain('grant ');
  expect(await project.json('schedule', 'delete', name, '--by', 'operator')).toMatchObject({ code: 0 });
  expect(await project.json('schedule', 'pause', name, '--by', 'operator')).toMatchObject({ code: 2 });
  const strict = configFile('strict.config.ts', { approval: { rules: [{ effect: 'idempotent', notStarter: true }] } });
  expect(await project.json('schedule', plan, '--every', 'daily 8:00', '--config', strict)).toMatchObject({
    ...{ code: 2, error: { code: 'REFUSED', message: expect.stringContaining('notStarter') as string } },
  });
});

test('a run of a schedule whose plan compiles no more fails with its issues, and people are notified', async () => {
  const { url, arrived } = await openReceiver();
  const own = createProject('default', { HOOK: `${url}/hook` });
  onTestFinished(own.close);
  const name = `${own.taskQueue}-schedule`;
  const plan = writePlan(own.folder, order('tea'));
  const every = ['--every', 'daily 8:00', '--schedule', name, '--task-queue', own.taskQueue];
  expect(await own.json('schedule', plan, ...every, '--config', CONFIG)).toMatchObject({ code: 0 });
  onTestFinished(async () => void (await own.json('schedule', 'delete', name, '--by', 'operator')));
  const bare = (file: string, keys: object) => {
    writeFileSync(join(own.folder, file), `export default ${JSON.stringify(keys)};\n`);
    return join(own.folder, file);
  };
  await own.startWorker(bare('bare.config.ts', {}));
  const id = await startedBy(name);
  expect(await own.json('result', id)).toMatchObject({
    code: 3,
    error: { code: 'PLAN_INVALID', issues: [{ severity: 'error', got: 'order' }] },
  });
  await own.startWorker(bare('notify.config.ts', { notify: [{ name: 'ops', url: { env: 'HOOK' } }] }));
  await expect
    .poll(() => arrived.map(({ message }) => message))
    .toMatchObject([{ kind: 'run-failed', workflowId: id, text: 'the run failed' }]);
});
