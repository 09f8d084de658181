/** One id, several runs: `--new-run` starts another, the id means the newest, `ID@DIGITS` each. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { both, sharedProject, word } from './project.ts';

const project = sharedProject();

test(
  'a closed id is refused with --new-run by its name, which starts a run that is read by its id; the one before by digits',
  { tags: ['slow'] },
  async () => {
    const file = join(project.folder, 'again.json');
    const id = `${project.taskQueue}-again`;
    const started = (letters: string, ...flags: readonly string[]) => {
      writeFileSync(file, JSON.stringify(both(word(letters), word(letters))));
      return project.type(
        'run',
        file,
        '--approve',
        '--by',
        'operator',
        '--task-queue',
        project.taskQueue,
        '--workflow-id',
        id,
        ...flags,
      );
    };
    expect(await started('ab')).toMatchObject({ code: 0, stdout: 'a\nb\n' });
    const first = await project.json<'status'>('status', id);
    expect(await started('cd')).toMatchObject({ code: 2, stderr: expect.stringContaining('--new-run') as string });
    expect(await started('cd', '--new-run')).toMatchObject({ code: 0, stdout: 'c\nd\n' });
    const second = await project.json<'status'>('status', id);
    expect(second.chain).not.toBe(first.chain);
    const older = `${id}@${first.chain?.slice(-8)}`;
    expect(await project.json<'status'>('status', older)).toMatchObject({ chain: first.chain, outcome: 'done' });
    expect((await project.type('result', older)).stdout).toBe('a\nb\n');
    expect((await project.type('result', id)).stdout).toBe('c\nd\n');
    const again = await project.type(
      'rerun',
      older,
      '--task-queue',
      project.taskQueue,
      '--approve',
      '--by',
      'operator',
    );
    expect([again.code, again.stdout]).toEqual([0, 'a\nb\n']);
    const unknown = await project.type('status', `${id}@00000000`);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining(`there is no run ${id}@00000000`)]);
  },
);
