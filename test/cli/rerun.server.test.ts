/** `planwright run --reuse`, and one id with several runs: `--new-run` starts another, `ID@DIGITS` is each. */

import { expect, test } from 'vitest';
import { BROKEN, both, sharedProject, word, writePlan } from './project.ts';

const project = sharedProject();

const queued = (...args: string[]) =>
  project.type(...args, '--approve', '--by', 'operator', '--task-queue', project.taskQueue);
const runOf = (plan: unknown, id: string, ...flags: string[]) =>
  queued('run', writePlan(project.folder, plan), '--workflow-id', id, ...flags);

test('a run that failed tells the command that goes on, which shows what is reused', async () => {
  const id = `${project.taskQueue}-failed`;
  const first = await runOf(both(word('abc'), BROKEN), id);
  expect(first.code).toBe(1);
  expect(first.stderr).toContain(`planwright run --reuse ${id}`);
  const { code, stdout, stderr } = await queued('run', '--reuse', id, '--workflow-id', `${id}-2`);
  expect(code).toBe(1);
  expect(stdout).toMatch(/node_2 failed: the instrument is on fire/);
  expect(stderr).toMatch(new RegExp(`✓ node_1 [^]*?3 records, reused from\\s[^]*?${id}, [^\\n]* ago`));
  expect(stderr).toContain(`1 of 3 nodes are reused from run ${id}`);
  expect(stderr).toContain(`planwright run --reuse ${id}-2`);
  // The second run has done nothing that the first had not: it is passed over.
  expect((await queued('run', '--reuse', id)).stderr).toContain(`1 of 3 nodes are reused from run ${id}`);
  const fresh = await queued('run', '--reuse', `${id}-2`, '--fresh');
  expect(fresh.stderr).toContain('0 of 3 nodes are reused');
});

test(
  'a closed id is refused with --new-run by its name, which starts a run that is read by its id; the one before by digits',
  { tags: ['slow'] },
  async () => {
    const id = `${project.taskQueue}-again`;
    const started = (letters: string, ...flags: string[]) => runOf(both(word(letters), word(letters)), id, ...flags);
    expect(await started('ab')).toMatchObject({ code: 0, stdout: 'a\nb\n' });
    const first = await project.json<'status'>('status', id);
    expect(await started('cd')).toMatchObject({ code: 2, stderr: expect.stringContaining('--new-run') as string });
    expect(await started('cd', '--new-run')).toMatchObject({ code: 0, stdout: 'c\nd\n' });
    const second = await project.json<'status'>('status', id);
    expect(second.firstRunId).not.toBe(first.firstRunId);
    const older = `${id}@${first.firstRunId?.slice(-8)}`;
    expect(await project.json<'status'>('status', older)).toMatchObject({
      firstRunId: first.firstRunId,
      outcome: 'done',
    });
    expect((await project.type('result', older)).stdout).toBe('a\nb\n');
    expect((await project.type('result', id)).stdout).toBe('c\nd\n');
    const again = await queued('run', '--reuse', older);
    expect([again.code, again.stdout]).toEqual([0, 'a\nb\n']);
    const unknown = await project.type('status', `${id}@00000000`);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining(`there is no run ${id}@00000000`)]);
  },
);
