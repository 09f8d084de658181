/** Each demo, as its report in JSON. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Project } from '../cli/project.ts';
import { openProject, recording } from './recorder.ts';

let project: Project;
const cache = mkdtempSync(join(tmpdir(), 'planwright-demo-'));

beforeAll(() => {
  project = openProject({ PLANWRIGHT_CACHE: cache });
});

afterAll(async () => {
  await project.close();
  rmSync(cache, { recursive: true, force: true });
});

for (const name of ['gene-strategies', 'control-room', 'market-sizing', 'agents']) demo(name);
demo('gene-strategies', '--goal');
demo('control-room', '--reactive');

function demo(name: string, ...more: string[]): void {
  recording(
    ['demo', name, ...more].join('-').replaceAll('---', '-'),
    () => project,
    async ({ planwright }) => {
      await planwright('demo', name, ...more, '--yes', '--no-kill', '--pace', '0');
    },
  );
}
