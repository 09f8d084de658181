/** `planwright watch` and `doctor` on a server. */

import { describe, expect, test } from 'vitest';
import { both, sharedProject, question, slowWord, steps, word } from './project.ts';
import { type Answer, type Doctor, linesIn } from './planwright.ts';

const project = sharedProject();

describe('watch', () => {
  test('tells each change as it comes, and ends with the run', async () => {
    const id = await project.detach(both(word('ab'), slowWord('c', 'watch-test')));
    const watching = project.begin('watch', id, '-o', 'jsonl');
    const waiting = await watching.said(/approve with: (.*)/);
    const [, digest = ''] = /--digest ([0-9a-f]{8})/.exec(waiting) ?? [];
    expect((await project.type('approve', id, '--digest', digest, '--by', 'operator')).code).toBe(0);
    await watching.said(/"id":"node_2","status":"running"/);
    project.open('watch-test');
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    const changes = linesIn(stdout);
    expect(changes.filter(({ change }) => change === 'phase').map(({ phase }) => phase)).toEqual([
      'awaiting-approval',
      'running',
      'closed',
    ]);
    expect(changes.filter(({ id: node }) => node === 'node_2').map(({ status }) => status)).toEqual([
      'running',
      'succeeded',
    ]);
    expect(
      changes
        .filter(({ status }) => status === 'succeeded')
        .map(({ id: node }) => node)
        .toSorted(),
    ).toEqual(['node_1', 'node_2', 'node_3']);
    expect(changes.at(-1)).toEqual({ change: 'end', outcome: 'done' });
  });

  test('tells each question once, with the command to type, while the rest goes on', async () => {
    const plan = steps(question('How many?'), question('Which?', { roles: ['lab'] }), { capability: 'note' });
    const id = await project.detach(plan, '--approval', 'effects');
    const watching = project.begin('watch', id, '-o', 'jsonl');
    const said = await watching.said(
      /question: How many\?[^]*question: Which\?|question: Which\?[^]*question: How many\?/,
    );
    const commands = [...said.matchAll(/^answer with: planwright (answer \S+ \S+) ANSWER( --role lab)?$/gm)];
    expect(commands).toHaveLength(2);
    for (const [, command = '', role = ''] of commands) {
      const typed = await project.type(
        ...command.split(' '),
        '7',
        ...role.trim().split(' ').filter(Boolean),
        '--by',
        'operator',
      );
      expect(typed.code).toBe(0);
    }
    const { code, stdout, stderr } = await watching.ended;
    expect(code).toBe(0);
    expect(stderr.match(/answer with: /g)).toHaveLength(2);
    const first = linesIn(stdout).filter(({ id: node }) => node === 'node_1');
    expect(first.map(({ status }) => status)).toEqual(expect.arrayContaining(['waiting', 'succeeded']));
  });
});

test('doctor on a server finds the worker, and starts no run', async () => {
  const { code, stdout } = await project.type('doctor', '--task-queue', project.taskQueue, '-o', 'json');
  const { ok, checks } = JSON.parse(stdout) as Answer<Doctor>;
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(checks.map(({ check }) => check)).toEqual(['node', 'config', 'store', 'server', 'namespace', 'worker']);
  expect(checks.at(-1)).toMatchObject({ state: 'ok', message: expect.stringContaining(project.taskQueue) });
});
