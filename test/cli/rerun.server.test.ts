/** `planwright rerun` and `run --reuse`: what a closed run has finished is shown, and not done again. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { BROKEN, both, createProject, slowWord, word, writePlan, type Project } from './project.ts';

let project: Project;

beforeAll(async () => {
  project = createProject();
  await project.startWorker();
});

afterAll(() => project.close());

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

test('run --reuse takes over what a changed plan still has; an open run and one that is not there are refused', async () => {
  const id = `${project.taskQueue}-open`;
  await project.detach(both(word('xy'), slowWord('z', 'gate')), '--workflow-id', id, ...flags);
  const file = writePlan(project.folder, both(word('xy'), word('z')));
  const early = await queued('run', file, '--reuse', id, ...flags);
  expect([early.code, early.stderr]).toEqual([2, expect.stringMatching(/\$\.options\.reuse: run ".*" is open/)]);
  const nobody = await queued('run', file, '--reuse', 'nobody', ...flags);
  expect(nobody.stdout + nobody.stderr).toContain('there is no run "nobody"');
  project.open('gate');
  await project.until(id, ({ phase }) => phase === 'closed');
  const { code, stdout, stderr } = await queued('run', file, '--reuse', id, ...flags);
  expect([code, stdout]).toEqual([0, 'x\ny\nz\n']);
  expect(stderr).toContain(`1 of 3 nodes are reused from run ${id}`);
  const without = await queued('run', file, '--fresh', ...flags);
  expect(without.stderr + without.stdout).toContain('$.options.fresh');
});
