/** Each demo, as its report in JSON. */

import { afterAll } from 'vitest';
import { createProject } from '../cli/project.ts';
import { fileFolder } from '../support/folders.ts';
import { recording } from './recorder.ts';

const project = createProject('default', { PLANWRIGHT_CACHE: fileFolder('demo') });
afterAll(() => project.close());

for (const name of ['gene-strategies', 'control-room', 'market-sizing', 'agents']) demo(name);
demo('gene-strategies', '--goal');
demo('control-room', '--reactive');

function demo(name: string, ...more: string[]): void {
  recording(['demo', name, ...more].join('-').replaceAll('---', '-'), project, async ({ planwright }) => {
    await planwright('demo', name, ...more, '--yes', '--no-kill', '--pace', '0');
  });
}
