/** docs/files.md: its files, its commands and what they print. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compilePlan } from '../src/plan/index.ts';
import { bareProject } from '../src/project/index.ts';
import { planwright } from './cli/planwright.ts';
import { filesPage } from './support/files-page.ts';

const page = filesPage();
const folder = mkdtempSync(join(tmpdir(), 'planwright-page-'));
for (const [name, content] of Object.entries(page.files)) writeFileSync(join(folder, name), content);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('there are files and commands', () => {
  expect(Object.keys(page.files)).toEqual(['genes.gff3', 'peaks.bed', 'repeats.bed']);
  expect(page.commands.length).toBeGreaterThan(2);
});

test.each(page.commands)('$command', async ({ command, printed }) => {
  const [program, ...args] = command.split(' ');
  expect(program).toBe('planwright');
  const { code, stdout, stderr } = await planwright(args, { cwd: folder });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: printed, stderr: '' });
});

test('the plan compiles in a folder without a config, in ten lines', async () => {
  expect(page.plan.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  const { registry } = await bareProject(folder);
  const compiled = compilePlan(page.plan, { syntax: 'yaml', catalogue: registry });
  expect(compiled.ok ? compiled.plan.tasks.map(({ capability }) => capability) : compiled.issues).toEqual([
    ...Array.from({ length: 3 }, () => 'records.file'),
    'records.write',
  ]);
});

test('the bounds that the page tells are those of the sources', () => {
  const source = (file: string) => readFileSync(new URL(`../src/results/${file}`, import.meta.url), 'utf8');
  expect(source('read-track-file.ts')).toContain('MAX_TRACK_BYTES = 1_073_741_824');
  expect(source('record-room.ts')).toContain('MAX_RECORDS = 6_000_000');
});
