/** `planwright result` and `list` on a server. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { both, createProject, sharedProject, slowWord, word } from './project.ts';

const project = sharedProject();
let id: string;
beforeAll(async () => {
  id = await project.detach(both(word('ba'), slowWord('c', 'result-test')), '--approve');
});

describe('result', () => {
  test('of a node is there before the run has ended; of the run it is waited for', async () => {
    expect(await project.type('result', id, '--timeout', '1s')).toMatchObject({ code: 124, stdout: '' });
    expect((await project.type('result', id, '--node', 'node_1')).stdout).toBe('a\nb\n');
    const waiting = project.begin('result', id);
    project.open('result-test');
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'a\nb\nc\n', stderr: '' });
  });

  test('is not what its records cannot be', async () => {
    const bed = await project.type('result', id, '--format', 'bed');
    expect(bed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('"a" has no place') });
    const none = await project.type('result', id, '--format', 'bed', '-o', 'json');
    expect(none).toMatchObject({ code: 2, stdout: expect.stringContaining('-o json is none') });
  });
});

test(
  'without a worker a result says at once that nobody has answered, and then what is missing',
  { tags: ['slow'] },
  async () => {
    const lonely = createProject();
    const waits = await lonely.detach(both(word('a'), word('b')), '--approval', 'effects');
    const begun = lonely.begin('result', waits);
    await begun.said(new RegExp(`^waiting for run ${waits}: it has not answered yet$`, 'm'));
    await begun.said(
      new RegExp(`^waiting for run ${waits}: no worker answered on task queue ${lonely.taskQueue} `, 'm'),
    );
    await lonely.startWorker();
    expect(await begun.ended).toMatchObject({ code: 0, stdout: 'a\nb\n' });
    await lonely.close();
  },
);

test('a value of external context is printed whole, and the question of a cut one says how', async () => {
  const account = `shop ${'x'.repeat(300)}`;
  const steps = [
    { context_key: 'a', capability: 'letters', task_objective: 'Find', parameters: { word: 'a' }, inputs: ['account'] },
  ];
  writeFileSync(join(project.folder, 'context.json'), JSON.stringify({ account }));
  const run = await project.detach({ goal: 'Find', steps }, '--context', join(project.folder, 'context.json'));
  await project.until(run, ({ waitingFor }) => waitingFor > 0);
  const { open } = (await project.json('status', run)) as { open?: { context?: string[] }[] };
  expect(JSON.stringify(open)).toContain(`planwright result ${run} --context NAME`);
  expect((await project.type('result', run, '--context', 'account')).stdout).toContain(account);
  expect((await project.type('result', run, '--context', 'colour')).stderr).toContain(
    'reads no context "colour"; it reads "account"',
  );
});
