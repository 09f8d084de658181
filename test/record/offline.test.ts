/** What needs no run: documents, sets, drafts, the store. */

import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { CONFIG } from '../cli/planwright.ts';
import { both, createProject, question, steps, word } from '../cli/project.ts';
import { recording, type Recorder } from './recorder.ts';

const project = createProject();
beforeAll(() => {
  writes('letters.json', both(word('ab'), word('cd')));
  writes('other.json', both(word('ab'), word('ef')));
  writes('steps.json', steps(question('Which?'), { capability: 'order', arguments: { item: 'gel' } }));
  writes('wrong.json', {
    goal: 'g',
    plan: { type: 'combine', operator: 'XOR', left: word('a'), right: { capability: 'b' } },
  });
  writeFileSync(join(project.folder, 'broken.json'), '{"goal": "g", "plan": ');
});
afterAll(() => project.close());

function writes(name: string, document: unknown): void {
  writeFileSync(join(project.folder, name), JSON.stringify(document));
}

const record = (name: string, play: (recorder: Recorder) => Promise<void>) =>
  recording(`offline-${name}`, project, play);

record('compile', async ({ planwright }) => {
  await planwright('compile', 'letters.json');
  await planwright('compile', 'steps.json', '--config', CONFIG, '-o', 'text');
  for (const name of ['wrong.json', 'broken.json', 'nothing.json']) await planwright('compile', name);
  await planwright('compile', 'wrong.json', '-o', 'text');
});

record('diff', async ({ planwright, note }) => {
  await planwright('compile', 'letters.json', '--mermaid', '-o', 'text');
  await planwright('diff', 'letters.json', 'other.json');
  await planwright('diff', 'letters.json', 'letters.json', '-o', 'text');
  const { stdout } = await project.begin('schema').ended;
  note('SHA-256 of the schema', createHash('sha256').update(stdout).digest('hex'));
});

record('project', async ({ planwright, note }) => {
  await planwright('init');
  note(
    'files',
    readdirSync(project.folder)
      .filter((name) => /^plan(wright)?\./.test(name))
      .toSorted(),
  );
  await planwright('init');
  await planwright('compile', 'plan.yaml', '--config', CONFIG);
  await planwright('capabilities', '--config', CONFIG, '-o', 'text');
  await planwright('capabilities', '--policy', '--config', CONFIG);
  const { checks } = await project.json<{
    readonly checks: readonly { readonly check: string; readonly state: string }[];
  }>(...['doctor', '--config', CONFIG, '--task-queue', project.taskQueue]);
  // What is said of Node.js is another thing on another one.
  note(
    'doctor',
    checks.flatMap(({ check, state }) => (check === 'node' ? [] : [`${check}: ${state}`])),
  );
});

record('usage', async ({ planwright }) => {
  await planwright('status');
  await planwright('nothing');
  await planwright('run', 'letters.json', '--colour', 'red');
  await planwright('run', 'letters.json', '--goal', 'g');
  await planwright('run', 'letters.json', '--approval', 'maybe');
  await planwright('resolve', 'nobody', 'node_1', '--outcome', 'maybe');
  await planwright('control', 'nobody', 'pause');
  await planwright('worker', '--config', 'nothing.ts');
  await planwright('demo', 'nothing');
});

record('drafts', async ({ planwright }) => {
  const on = ['--conversation', 'talk', '--config', CONFIG];
  await planwright('draft', 'save', 'letters.json', ...on, '--by', 'operator');
  await planwright('draft', 'save', 'wrong.json', ...on, '--by', 'operator');
  await planwright('draft', 'save', 'other.json', ...on, '--base', '1', '--by', 'operator');
  await planwright('draft', 'show', ...on, '--revision', '1');
  writes('artifact.json', { title: 'Found', summary: 'Letters', assumptions: [], parameters: {}, proposedPlan: 'a' });
  await planwright('artifact', 'save', 'artifact.json', ...on, '--by', 'operator');
  await planwright('draft', 'history', ...on, '--kind', 'artifact');
  await planwright('draft', 'history', ...on);
});

record('store', async ({ planwright, note }) => {
  const conversation = ['--conversation', 'kept', '--config', CONFIG, '--by', 'operator'];
  await planwright('draft', 'save', 'letters.json', ...conversation, '--store', 'one');
  const { checks } = await project.json<{ readonly checks: readonly { readonly check: string }[] }>(
    ...['doctor', '--store', 'one'],
  );
  note(
    'doctor --store one',
    checks.find(({ check }) => check === 'store'),
  );
  await planwright('store', 'copy', 'one', 'two');
});
