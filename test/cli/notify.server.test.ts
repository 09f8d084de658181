/** `notify` of a config: what a worker of the program sends, in clear and with encryption. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isSigned, openReceiver } from '../config/notify/receiving.ts';
import { CONFIG } from './planwright.ts';
import { createProject } from './project.ts';

const SECRET = 'a-secret-that-no-log-has';
const VALUE = 'darjeeling-of-the-arguments';
const PLAN = {
  goal: 'Have some tea',
  plan: { type: 'task', task: 'Order the tea', capability: 'order', arguments: { item: VALUE } },
};

const TELLS = 'tells what waits, how to say it, and nothing else; with encryption: %s';
test.each([true])(TELLS, tells);
test.each([false])(TELLS, { tags: ['slow'] }, tells);

async function tells(isEncrypted: boolean): Promise<void> {
  const { url, arrived } = await openReceiver();
  const key = Buffer.alloc(32, 7).toString('base64');
  const own = createProject('default', { HOOK: `${url}/hook`, KEY: SECRET, ENCRYPTION_KEY: key });
  onTestFinished(own.close);
  const config = join(own.folder, 'planwright.config.ts');
  const encryption = isEncrypted ? "encryption: { keys: { a: { env: 'ENCRYPTION_KEY' } }, current: 'a' }," : '';
  writeFileSync(
    config,
    `import base from ${JSON.stringify(CONFIG)};
   const ops = { name: 'ops', url: { env: 'HOOK' }, secret: { env: 'KEY' }, page: 'https://plans.example.org' };
   export default { ...base, ${encryption} notify: [ops] };`,
  );
  const worker = await own.startWorker(config);
  const id = await own.detach(PLAN, '--config', config);
  await expect.poll(() => arrived.length).toBe(1);
  const [first] = arrived;
  expect(isSigned(first!, SECRET)).toBe(true);
  const ids = {
    kind: 'approval',
    workflowId: id,
    item: 'approval',
    nodes: ['node_1'],
    page: `https://plans.example.org/runs/${id}`,
  };
  expect(first!.message).toMatchObject(ids);
  expect(first!.body).not.toContain(VALUE);
  if (isEncrypted)
    for (const hidden of ['Order the tea', 'Have some tea', 'order:']) expect(first!.body).not.toContain(hidden);
  else
    expect(first!.message).toMatchObject({
      goal: 'Have some tea',
      text: expect.stringMatching(/^approve the plan "Have some tea"/) as string,
    });
  expect(first!.message['command']).toContain(' --address ');
  const command = String(first!.message['command'])
    .replace(/^npx planwright /, '')
    .split(' ');
  const typed = await own.type(...command, '--by', 'operator');
  expect(typed).toMatchObject({ code: 0 });
  await own.until(id, ({ phase }) => phase === 'closed');
  worker.child.kill('SIGTERM');
  const { stdout, stderr } = await worker.ended;
  expect(`${stdout}${stderr}`).not.toContain(SECRET);
  expect(arrived).toHaveLength(1);
}

test('a worker whose environment lacks a variable does not start, and names it', async () => {
  const own = createProject();
  onTestFinished(own.close);
  const config = join(own.folder, 'planwright.config.ts');
  writeFileSync(
    config,
    `import base from ${JSON.stringify(CONFIG)}; export default { ...base, notify: [{ name: 'ops', url: { env: 'NO_HOOK' } }] };`,
  );
  const { code, stderr } = await own.type('worker', '--config', config, '--task-queue', own.taskQueue);
  expect(code).not.toBe(0);
  expect(stderr).toContain('notify ops, url: the environment has no NO_HOOK; set it where the worker runs');
});
