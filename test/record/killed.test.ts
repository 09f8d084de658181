/** A worker that is killed in the midst of a node, and another that goes on. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { both, createProject, slowWord, word } from '../cli/project.ts';
import { recording } from './recorder.ts';

const project = createProject();
afterAll(() => project.close());

recording('worker-killed', project, async ({ start, planwright, temporal }) => {
  const first = await project.startWorker();
  await start('killed', both(word('ab'), slowWord('c', 'killed')), { approval: 'effects' });
  await project.until('killed', ({ counts }) => counts['running'] === 1 && counts['succeeded'] === 1);
  first.child.kill('SIGKILL');
  await first.ended;
  await temporal('signal', '-w', 'killed', '--name', 'control', '--input', '{"action":"pause","by":"operator"}');
  await project.startWorker();
  await project.until('killed', (status) => 'paused' in status);
  await planwright('resume', 'killed', '--by', 'operator');
  writeFileSync(join(project.folder, 'killed'), '');
  await temporal('result', '-w', 'killed');
  await planwright('result', 'killed');
  await temporal('query', '-w', 'killed', '--type', 'trace');
});
