/** `planwright rerun` and `run --reuse`: what a closed run has finished is shown, and not done again. */

import { expect, test } from 'vitest';
import { BROKEN, both, sharedProject, word, writePlan } from './project.ts';

const project = sharedProject();

const queued = (...args: string[]) => project.type(...args, '--task-queue', project.taskQueue);
const flags = ['--approve', '--by', 'operator'];

test('a run that failed tells the command that goes on, which shows what is reused', async () => {
  const id = `${project.taskQueue}-failed`;
  const first = await queued(
    'run',
    writePlan(project.folder, both(word('abc'), BROKEN)),
    ...flags,
    '--workflow-id',
    id,
  );
  expect(first.code).toBe(1);
  expect(first.stderr).toContain(`planwright rerun ${id}`);
  const { code, stdout, stderr } = await queued('rerun', id, ...flags, '--workflow-id', `${id}-2`);
  expect(code).toBe(1);
  expect(stdout).toMatch(/node_2 failed: the instrument is on fire/);
  expect(stderr).toMatch(new RegExp(`✓ node_1 [^]*?3 records, reused from\\s[^]*?${id}, [^\\n]* ago`));
  expect(stderr).toContain(`1 of 3 nodes are reused from run ${id}`);
  expect(stderr).toContain(`planwright rerun ${id}-2`);
  const again = await queued('rerun', id, ...flags);
  expect(again.stderr + again.stdout).toContain(`is reused by run "${id}-2@`);
  const fresh = await queued('rerun', `${id}-2`, '--fresh', ...flags);
  expect(fresh.stderr).toContain('0 of 3 nodes are reused');
});
