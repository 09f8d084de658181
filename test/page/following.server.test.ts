/** The stream of a run, as a program of another frontend reads it: the example of the page, on a run. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
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
  const { digest = '' } = await project.until(id, ({ waitingFor }) => waitingFor > 0);
  const [example = ''] = textsOf('docs/following.md', 'ts');
  writeFileSync(join(project.folder, 'follow-run.mts'), example);
  const main = join(project.folder, 'main.mts');
  writeFileSync(
    main,
    "import { followRun } from './follow-run.mts';\nawait followRun(process.argv[2]!, (event) => console.log(JSON.stringify(event)));\n",
  );
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const { stdout } = spawn(process.execPath, ['--import', tsx, main, `${origin}/runs/${id}`], { stdio: [...stdio] });
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const events = [await lines.next()].map(({ value }) => JSON.parse(value as string) as Record<string, string>);
  expect(await project.type('approve', id, '--digest', digest, '--by', 'operator')).toMatchObject({ code: 0 });
  for await (const line of lines) events.push(JSON.parse(line) as Record<string, string>);
  expect(events.at(-1)).toEqual({ event: 'over', data: '' });
  const marks = events.slice(0, -1);
  expect(marks.length).toBeGreaterThan(1);
  expect(new Set(marks.map(({ data }) => data)).size).toBe(marks.length);
  for (const { id: mark, data } of marks) expect(mark).toBe(data);
});

test('a run that there is not has no stream', async () => {
  expect((await fetch(`${here.origin}/runs/no-such-run/live`)).status).toBe(404);
});
