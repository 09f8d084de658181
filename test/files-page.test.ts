/** docs/files.md: its plan. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compilePlan } from '../src/plan/index.ts';
import { bareProject } from '../src/config/project/index.ts';
import { filesPage } from './support/files-page.ts';

const page = filesPage();
const folder = mkdtempSync(join(tmpdir(), 'planwright-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the plan compiles in a folder without a config, in ten lines', async () => {
  expect(page.plan.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  const registry = await (await bareProject(folder)).openRegistry();
  const compiled = compilePlan(page.plan, { syntax: 'yaml', catalogue: registry });
  expect(compiled.ok ? compiled.plan.tasks.map(({ capability }) => capability) : compiled.issues).toEqual([
    ...Array.from({ length: 3 }, () => 'records.file'),
    'records.write',
  ]);
});
