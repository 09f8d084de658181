/** `planwright eval add`: a run that a person approved or edited becomes a case, which `eval run` then grades. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sharedProject } from './project.ts';

const PLANNING = fileURLToPath(new URL('../fixtures/planning/planwright.config.ts', import.meta.url));
const by = ['--by', 'operator'];

const project = sharedProject(PLANNING);
let runs = 0;

/** Starts a run of the goal, and waits until it waits. */
async function waiting(text: string, ...options: string[]) {
  const id = `${project.taskQueue}-${++runs}`;
  const typed = ['run', '--goal', text, '--task-queue', project.taskQueue, '--detach', '--workflow-id', id];
  const { code, stderr } = await project.type(...typed, ...options);
  if (code !== 0) throw new Error(stderr);
  return { id, ...(await project.until(id, ({ waitingFor }) => waitingFor > 0)) };
}

const add = (id: string, ...more: string[]) => project.json('eval', 'add', id, '--to', 'cases.json', ...more);
const casesIn = () => JSON.parse(readFileSync(join(project.folder, 'cases.json'), 'utf8')) as Record<string, unknown>[];

test(
  'what was approved becomes a case with the answers of its planner, and an edit one with the plan that was meant',
  { tags: ['slow'] },
  async () => {
    const asked = await waiting('ASKING');
    await project.type('answer', asked.id, 'planner.1', 'gh', ...by);
    const { digest } = await project.until(asked.id, ({ phase }) => phase === 'awaiting-approval');
    expect(await add(asked.id)).toMatchObject({ code: 2, error: { code: 'REFUSED' } });
    await project.type('approve', asked.id, '--digest', digest, ...by);
    expect(await add(asked.id)).toMatchObject({ code: 0, ok: true, cases: 1, digest, by: 'operator', verified: false });
    expect(casesIn()[0]).toMatchObject({ name: asked.id, goal: 'ASKING', answers: ['gh'] });

    const edited = await waiting('GOOD letters');
    const plan = { task: 'Only ab', capability: 'letters', arguments: { word: 'ab' } };
    writeFileSync(join(project.folder, 'edit.json'), JSON.stringify({ goal: 'GOOD letters', plan }));
    const edit = ['decide', edited.id, '--kind', 'edit', '--plan', 'edit.json', '--digest', edited.digest, ...by];
    const { code, stderr } = await project.type(...edit);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    await project.until(edited.id, ({ revision }) => revision === 2);
    expect(await add(edited.id, '--name', 'edited')).toMatchObject({ code: 0, cases: 2 });

    // The same name again changes nothing.
    const before = readFileSync(join(project.folder, 'cases.json'), 'utf8');
    const again = await add(edited.id, '--name', 'edited');
    expect(again).toMatchObject({
      code: 2,
      error: { message: expect.stringContaining('has a case "edited" already') },
    });
    expect(readFileSync(join(project.folder, 'cases.json'), 'utf8')).toBe(before);

    // The model still writes the plan that was approved, and not yet the one that was meant.
    const report = await project.json<'evaluate'>(...['eval', 'run', 'cases.json', '--config', PLANNING]);
    expect(report.cases.map(({ name, pass1 }) => [name, pass1])).toEqual([
      [asked.id, 1],
      ['edited', 0],
    ]);
  },
);

test('a run that decides step by step, and one that nobody approved, give none', async () => {
  const order = await waiting('ORDERING', '--mode', 'reactive');
  await project.type('approve', order.id, '--digest', order.digest, ...by);
  for (const [id, why] of [
    [order.id, 'it decides step by step'],
    [(await waiting('GOOD')).id, 'nobody has approved'],
  ]) {
    const { code, error } = (await add(id ?? '')) as unknown as { code: number; error: { message: string } };
    expect({ code, message: error.message }).toMatchObject({ code: 2, message: expect.stringContaining(why ?? '') });
  }
});
