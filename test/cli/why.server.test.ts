/** `planwright why`: the reason for how a node stands, of a run that a worker died under and of one that failed. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { both, createProject, word } from './project.ts';

const project = createProject();
afterAll(() => project.close());

const slow = { type: 'task', task: 'Spell', capability: 'letters.slow', arguments: { word: 'ab', barrier: 'b' } };

test(
  'tells what the attempts came to, with the worker that has it now; watch tells it too',
  { tags: ['slow'] },
  async () => {
    const first = await project.startWorker();
    const id = await project.detach({ goal: 'Spell', plan: slow }, '--approval', 'effects');
    await project.until(id, ({ counts }) => counts['running'] === 1);
    const watching = project.begin('watch', id);
    let attempt: { state?: string } | undefined;
    while (attempt?.state !== 'is carried out') {
      ({ attempt } = await project.json<'why'>('why', id, 'node_1'));
    }
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await project.startWorker();
    let text = '';
    while (!text.includes('attempt 2 of 5 is carried out'))
      ({ stdout: text } = await project.type('why', id, 'node_1'));
    expect(text).toMatch(/^▸ node_1 {2}Spell {2}running/);
    expect(text).toContain('carried out by capability letters.slow@1 read');
    expect(text).toMatch(
      /attempt 2 of 5 is carried out by \S+ planwright\/[0-9a-f]{8}; the one before it ended with: worker lost/,
    );
    expect(text).toContain('compiled');
    await watching.said(/node_1: attempt 2/);
    project.open('b');
    expect((await watching.ended).stdout).toMatch(/node_1: attempt 2 .*worker lost/);
    const by = String.raw`\d+@\S+ in attempt 2`;
    expect((await project.type('trace', id)).stdout).toMatch(
      new RegExp(`node +node_1 was begun by ${by} \\(worker lost\\) and succeeded after `),
    );
    expect((await project.type('status', id, '--nodes')).stdout).toMatch(
      /✓ node_1 .*\n {3}scheduled at .*Z, begun at .*Z by \d+@\S+, attempt 2 \(worker lost\), .* later, ended at .*Z, .* later/,
    );
    const { nodes } = await project.json<'trace'>('trace', id);
    expect(nodes).toEqual([
      expect.objectContaining({ id: 'node_1', status: 'succeeded', attempt: 2, before: 'worker lost' }),
    ]);
  },
);

test('names the node without whose result another was skipped, and what became of it', { tags: ['slow'] }, async () => {
  await project.startWorker();
  const id = await project.detach(
    both({ type: 'task', task: 'Break', capability: 'broken' }, word('a')),
    '--approval',
    'effects',
  );
  await project.until(id, ({ phase }) => phase === 'closed');
  const { stdout, code } = await project.type('why', id, 'node_3');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^– node_3 .* skipped\n {3}needs node_1$/m);
  expect(stdout).toMatch(/^✗ node_1 .* failed .*\n {3}CRITICAL: the instrument is on fire/m);
  const other = await project.json('why', id, 'node_9');
  expect(other).toMatchObject({ code: 2, error: { code: 'NO_NODE' } });
  expect(other.error?.message).toContain('it has node_1, node_2, node_3');
});

test(
  'of a node that lacks an approval says how many are missing, in which role, and who has approved so far',
  { tags: ['slow'] },
  async () => {
    await project.startWorker();
    const rules = join(project.folder, 'rules.json');
    writeFileSync(rules, JSON.stringify({ rules: [{ count: 2 }, { roles: ['safety'] }] }));
    const id = await project.detach({ goal: 'Spell', plan: word('a') }, '--approval', rules);
    const { digest } = await project.until(id, ({ phase }) => phase === 'awaiting-approval');
    await project.type('approve', id, '--digest', digest, '--by', 'operator');
    const { stdout } = await project.type('why', id, 'node_1');
    expect(stdout).toContain(
      // Whoever speaks in that role is a second person, too.
      '  approved so far by operator\n  waits for 1 approval in the role safety\n',
    );
    expect(stdout).not.toContain('the plan was approved');
    await project.type('approve', id, '--digest', digest, '--by', 'officer', '--role', 'safety');
    expect((await project.type('why', id, 'node_1')).stdout).toContain('the plan was approved by operator, officer');
  },
);
