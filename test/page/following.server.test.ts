/** The stream of a run, as a program of another frontend reads it: the example of the page, on a run. */

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { textsOf } from '../support/pages.ts';
import { configOf, serving } from './serving.ts';

const here = serving(configOf('page'));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const ORDER = {
  goal: 'Order primers',
  steps: [
    { context_key: 'p', capability: 'order', task_objective: 'Order', parameters: { item: 'primers', amount: 12 } },
  ],
};

test('the example of docs/following.md hears each change of a run, and its end', async () => {
  const { project, origin } = here;
  const id = `${project.taskQueue}-followed`;
  await project.detach(ORDER, '--workflow-id', id);
  await project.until(id, ({ waitingFor }) => waitingFor > 0);
  const [example = ''] = textsOf('docs/following.md', 'ts');
  writeFileSync(join(project.folder, 'follow-run.mts'), example);
  const main = join(project.folder, 'main.mts');
  writeFileSync(
    main,
    "import { followRun } from './follow-run.mts';\nawait followRun(process.argv[2]!, (event) => console.log(JSON.stringify(event)));\n",
  );
  const following = promisify(execFile)(process.execPath, ['--import', tsx, main, `${origin}/runs/${id}`]);
  await project.type('approve', id, '--by', 'operator');
  const events = (await following).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  expect(events.at(-1)).toEqual({ event: 'over', data: '' });
  const marks = events.slice(0, -1);
  expect(marks.length).toBeGreaterThan(1);
  expect(new Set(marks.map(({ data }) => data)).size).toBe(marks.length);
  for (const { id: mark, data } of marks) expect(mark).toBe(data);
});

test('a run that there is not has no stream', async () => {
  expect((await fetch(`${here.origin}/runs/no-such-run/live`)).status).toBe(404);
});
