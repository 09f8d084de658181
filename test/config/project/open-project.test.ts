/** Opening the project of a folder: a config, a demo, or nothing but a result store. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderStore, openProject, type ProjectOptions } from '../../../src/config/project/index.ts';
import { fileFolder } from '../../support/folders.ts';

const empty = fileFolder('empty');
const configured = fileFolder('configured');
const CONFIG = { capabilities: [], taskQueue: 'lab', results: { dir: 'kept' } };
writeFileSync(join(configured, 'planwright.config.mjs'), `export default ${JSON.stringify(CONFIG)};\n`);

test('a folder without a config has no project, and a store all the same', async () => {
  expect(await openProject({}, empty)).toBeUndefined();
  expect(await folderStore(empty)).toBe(join(empty, '.planwright/results'));
});

test('the config of a folder is found, and its store is relative to it', async () => {
  const project = await openProject({}, configured);
  expect(project).toMatchObject({ flag: '', taskQueue: 'lab' });
  expect(project?.store()).toBe(join(configured, 'kept'));
  expect(await folderStore(configured)).toBe(join(configured, '.planwright/results'));
  expect((await openProject({ store: 's3://elsewhere/x' }, configured))?.store()).toBe('s3://elsewhere/x');
});

test('agents, the model and the planner of a config are those of the project', async () => {
  const file = join(empty, 'agents.config.mjs');
  const agent = { name: 'researcher', description: 'Finds.', instructions: 'Search.', capabilities: [] };
  const limits = { rounds: 1, attempts: 1, attemptMs: 1000 };
  const config = { capabilities: [], agents: [{ ...agent, limits }], tasks: { default: 'researcher' } };
  const more = { model: { name: 'large' }, planner: { format: 'xml' } };
  writeFileSync(file, `export default ${JSON.stringify({ ...config, ...more })};\n`);
  const project = await openProject({ config: file }, empty);
  expect(project).toMatchObject(more);
  const registry = await project?.openRegistry();
  expect(registry?.agents).toEqual(['researcher']);
  expect(registry?.defaultExecutor).toMatchObject({ kind: 'agent', name: 'researcher', effect: 'read' });
  writeFileSync(
    join(empty, 'other.config.mjs'),
    `export default ${JSON.stringify({ ...config, tasks: { default: 'x' } })};\n`,
  );
  const other = await openProject({ config: join(empty, 'other.config.mjs') }, empty);
  await expect(other?.openRegistry()).rejects.toThrow(
    /other\.config\.mjs: tasks\.default names x; declared are respond, ask, clarify, records\.file, records\.write, agent researcher/,
  );
});

test('a project with conversations has the capabilities for drafts, and others have not', async () => {
  const file = join(empty, 'talk.config.mjs');
  writeFileSync(file, 'export default { conversation: true };\n');
  const own = ['saveArtifact', 'saveDraft', 'requestBuild', 'delegate', 'listEntries', 'getEntry'];
  const names =
    (await (await openProject({ config: file }, empty))?.openRegistry())?.offered.map(({ name }) => name) ?? [];
  expect(names.slice(0, own.length)).toEqual(own);
  expect((await (await openProject({}, configured))?.openRegistry())?.capabilities).not.toContain('saveDraft');
  writeFileSync(join(empty, 'stray.config.mjs'), 'export default { conversation: "yes" };\n');
  await expect(openProject({ config: join(empty, 'stray.config.mjs') }, empty)).rejects.toThrow(
    /config\.conversation: /,
  );
});

test('plans of a project have no files in the folder of its store, however that is named', async () => {
  const file = join(empty, 'results.config.mjs');
  writeFileSync(file, "export default { results: { dir: 'kept' } };\n");
  for (const [store, path] of [
    [undefined, 'kept/x.bed'],
    [join(empty, 'other'), 'other/x.bed'],
  ] as const) {
    const registry = await (await openProject({ config: file, store }, empty))?.openRegistry();
    const executor = registry!.executor('capability', 'records.write')!;
    expect(registry!.checkArguments(executor, { path })).toMatchObject([
      { message: expect.stringContaining('the result store') as string },
    ]);
  }
});

test('a demo takes the place of the config, and keeps its results where the folder does', async () => {
  const project = await openProject({ demo: 'control-room' }, configured);
  expect(project).toMatchObject({
    flag: ' --demo control-room',
    taskQueue: 'planwright',
  });
  expect(project?.store()).toBe(join(configured, '.planwright/results'));
  expect((await project?.openRegistry())?.capabilities).toContain('shutter.pulse');
});

test.each<[options: ProjectOptions, code: string, message: RegExp]>([
  [{ config: 'a.ts', demo: 'control-room' }, 'ambiguous', /^give --config or --demo, not both$/],
  [{ demo: '../gene-strategies' }, 'no-demo', /^there is no demo "\.\.\/gene-strategies"; known are gene-strategies, /],
])('%j cannot be opened', async (options, code, message) => {
  await expect(openProject(options, empty)).rejects.toMatchObject({
    name: 'ProjectError',
    code,
    message: expect.stringMatching(message),
  });
});
