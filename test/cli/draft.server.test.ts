/** `planwright draft hand-off` on a server. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { both, sharedProject, word, writePlan } from './project.ts';
import { CONFIG } from './planwright.ts';
import { conversationScope } from '../../src/store/index.ts';

const project = sharedProject();

test('Pathfinder: a draft that is handed off twice runs once, even when its run has ended', async () => {
  const conversation = ['--conversation', 'reef'];
  const file = writePlan(project.folder, both(word('hello'), word('world')));
  expect(await project.type('draft', 'save', file, ...conversation, '--config', CONFIG)).toMatchObject({ code: 0 });
  const handOff = async (...options: string[]) => {
    const typed = await project.type(
      'draft',
      'hand-off',
      ...conversation,
      '--task-queue',
      project.taskQueue,
      ...options,
    );
    return { ...typed, workflowId: typed.stdout.trim() };
  };
  const { code, workflowId, stderr } = await handOff('--by', 'operator');
  expect(code).toBe(0);
  expect(workflowId).toMatch(/^plan-letters-[0-9a-f]{16}$/);
  const [, digest = ''] = /planwright approve \S+ --digest ([0-9a-f]{8})/.exec(stderr) ?? [];
  expect(await handOff()).toMatchObject({
    code: 0,
    workflowId,
    stderr: expect.stringContaining('handed off before') as string,
  });
  await project.type('approve', workflowId, '--digest', digest, '--by', 'operator');
  expect((await project.type('result', workflowId)).stdout).toBe('d\ne\nh\nl\no\nr\nw\n');

  // The records of the hand-off and of the end are lost, as when a crash came before them: the run is found, closed as it is.
  const entries = join(project.folder, 'results', conversationScope('reef'), 'entries');
  for (const number of ['2', '3']) await rm(join(entries, number), { force: true });
  const again = await handOff();
  expect(again).toMatchObject({ code: 0, workflowId });
  expect(again.stderr).not.toContain('handed off before');
  // A second run of this id would wait for its approval.
  expect((await project.type('result', workflowId, '--timeout', '10s')).stdout).toBe('d\ne\nh\nl\no\nr\nw\n');
});

test('Osprey: context reuse: a draft names the result of a run of its conversation, and its run is given it', async () => {
  const conversation = ['--conversation', 'deep'];
  const run = async (plan: unknown) => {
    const file = writePlan(project.folder, plan);
    const { code, stdout } = await project.type('draft', 'save', file, ...conversation, '--config', CONFIG);
    expect(code).toBe(0);
    const [, digest = ''] = /digest +([0-9a-f]{8})/.exec(stdout) ?? [];
    const handedOff = await project.type('draft', 'hand-off', ...conversation, '--task-queue', project.taskQueue);
    const id = handedOff.stdout.trim();
    await project.type('approve', id, '--digest', digest, '--by', 'operator');
    return project.type('result', id);
  };
  expect((await run(both(word('hello'), word('world')))).code).toBe(0);
  const answer = { context_key: 'answer', capability: 'respond', task_objective: 'Say it', inputs: ['run_3'] };
  const { code, stdout } = await run({ goal: 'Say it', steps: [answer] });
  expect(code).toBe(0);
  expect(stdout).toMatch(/run_3[^]*7 records/);
});
