/** The program that serves the page over real runs, begun once for the tests of a file. */

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { createProject, type Project } from '../cli/project.ts';
import type { Started } from '../cli/planwright.ts';
import { visitorOf, type Visitor } from './visitor.ts';

export interface Serving {
  readonly project: Project;
  /** A test that ends it begins another. */
  worker: Started | undefined;
  readonly origin: string;
  readonly visitor: Visitor;
}

export const configOf = (name: string) =>
  fileURLToPath(new URL(`../fixtures/${name}/planwright.config.ts`, import.meta.url));

/**
 * What it gives has its members before the first test.
 * @param config with it a worker is begun too
 * @param missing what is not here, without which nothing is begun
 */
export function serving(config?: string, missing = ''): Serving {
  const here = {} as { -readonly [Name in keyof Serving]: Serving[Name] };
  let served: Started;
  beforeAll(async () => {
    if (missing !== '') return;
    here.project = createProject();
    if (config !== undefined) here.worker = await here.project.startWorker(config);
    const flags = config === undefined ? [] : ['--config', config];
    served = here.project.begin('serve', '--port', '0', ...flags, '--task-queue', here.project.taskQueue);
    here.origin = /page ready at (\S+)/.exec(await served.said(/page ready at \S+/))?.[1] ?? '';
    here.visitor = visitorOf(here.origin);
  });
  afterAll(async () => {
    if (missing !== '') return;
    served.child.kill('SIGTERM');
    expect(await served.ended).toMatchObject({ code: 0 });
    await here.project.close();
  });
  return here;
}
