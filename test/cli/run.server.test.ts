/** `planwright run` on a server, from the approval to the end. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { BROKEN, both, createProject, sharedProject, question, slowWord, steps, word, writePlan } from './project.ts';
import { openProxy } from './proxy.ts';
import { type Answer } from './planwright.ts';

const GOOD = both(word('hello'), word('world'));

const project = sharedProject();

function run(plan: unknown, ...options: string[]) {
  return project.type('run', writePlan(project.folder, plan), '--task-queue', project.taskQueue, ...options);
}

describe('run', () => {
  test('shows plan, digest and every node that ends, and prints the result', async () => {
    const { code, stdout, stderr } = await run(GOOD, '--approve', '--by', 'operator');
    expect(code).toBe(0);
    expect(stdout).toBe('d\ne\nh\nl\no\nr\nw\n');
    expect(stderr).toMatch(/^digest [0-9a-f]{64}\n3 nodes: 2 tasks, 1 combine$/m);
    expect(stderr).toMatch(/^approve [0-9a-f]{8} as operator: /m);
    for (const id of ['node_1', 'node_2', 'node_3 UNION'])
      expect(stderr).toMatch(new RegExp(`^\\S+Z \\[\\d/3\\] ✓ ${id} .* succeeded`, 'm'));
    expect(stderr).toMatch(/^\S+Z run closed: done$/m);
    expect(stderr).not.toContain('\u001B');
  });

  test('of a failed plan names the failed and the skipped nodes with their causes', async () => {
    const { code, stdout } = await run(both(word('a'), BROKEN), '--approve');
    expect(code).toBe(1);
    expect(stdout).toMatch(/node_2 failed: the instrument is on fire/);
    expect(stdout).toMatch(/^✗ node_2 {2}breaks {2}failed .*\n {3}CRITICAL: the instrument is on fire$/m);
    expect(stdout).toMatch(/^– node_3 .* skipped\n {3}needs node_2$/m);
  });

  test.each([
    ['that waits', []],
    ['that does not', ['--detach']],
  ])('with --yes %s does the same', async (_name, options) => {
    const plan = { goal: 'g', plan: { task: 'x', capability: 'nothing' } };
    const { code, stderr } = await run(plan, '--yes', ...options);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error\[unknown-capability\] .*There is no capability "nothing"/m);
    const json = await run(plan, '--yes', '-o', 'json', ...options);
    const { error } = JSON.parse(json.stdout) as Answer;
    expect({ code: json.code, error: error?.code }).toEqual({ code: 3, error: 'PLAN_INVALID' });
  });

  test(
    '--approval effects runs a plan that only reads at once, and asks before one that orders',
    { tags: ['slow'] },
    async () => {
      const read = await run(GOOD, '--approval', 'effects');
      expect(read.code).toBe(0);
      expect((await run(GOOD, '--approval', 'effects', '--approve')).code).toBe(0);
      const order = { goal: 'g', plan: { task: 'order', capability: 'order', arguments: { item: 'primer' } } };
      const waiting = await run(order, '--approval', 'effects', '--timeout', '8s');
      expect(waiting.code).toBe(124);
      expect(waiting.stderr).toMatch(/^\S+Z waiting for a decision on the plan$/m);
      const command = /planwright (approve \S+ --digest [0-9a-f]{8})/.exec(waiting.stderr)?.[1] ?? '';
      const approved = await project.type(...command.split(' '), '--by', 'operator');
      expect(approved.code).toBe(0);
      const { stdout } = await project.type('result', command.split(' ')[1] ?? '', '-o', 'json');
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, kind: 'set' });
      expect(readFileSync(join(project.folder, 'orders.txt'), 'utf8').trim().split('\n')).toHaveLength(1);
    },
  );

  test('a question is told once with its command, and --answer-deadline ends the wait', async () => {
    const file = writePlan(project.folder, steps(question('Which?', { default: 'the first' })));
    const options = ['--task-queue', project.taskQueue, '--approval', 'effects'];
    const typed = project.begin('run', file, ...options);
    const told = /^question: Which\?\nanswer with: planwright answer (\S+) (\S+) ANSWER$/m;
    const [, workflowId = '', id = ''] = told.exec(await typed.said(told)) ?? [];
    expect(await project.type('answer', workflowId, id, 'the second', '--by', 'operator')).toMatchObject({ code: 0 });
    expect((await typed.ended).stderr.match(/answer with/g)).toHaveLength(1);
    // A busy machine may see the run for the first time after that.
    const { code, stderr } = await project.type('run', file, ...options, '--answer-deadline', '2s');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^\S+Z \[1\/2\] ✓ node_1 .* succeeded/m)]);
  });

  test('Ctrl-C ends the waiting and says how to come back; the run goes on', async () => {
    const id = `${project.taskQueue}-interrupted`;
    const plan = writePlan(project.folder, both(word('ab'), slowWord('cd', 'interrupted')));
    const begun = project.begin('run', plan, '--task-queue', project.taskQueue, '--workflow-id', id, '--approve');
    await begun.said(/✓ node_1/);
    begun.child.kill('SIGINT');
    const { code, stderr } = await begun.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`goes on; come back with \`planwright result ${id}\``);
    project.open('interrupted');
    expect((await project.type('result', id)).stdout).toBe('a\nb\nc\nd\n');
  });
});

test('without a worker a run says so and how to start one, and goes on when one comes', async () => {
  const lonely = createProject();
  const plan = writePlan(lonely.folder, GOOD);
  const begun = lonely.begin('run', plan, '--task-queue', lonely.taskQueue, '--approve');
  await begun.said(/no worker answered on task queue .* start one with "npx planwright worker --task-queue/);
  await lonely.startWorker();
  expect(await begun.ended).toMatchObject({ code: 0, stdout: 'd\ne\nh\nl\no\nr\nw\n' });
  await lonely.close();
});

test(
  'a server that goes while a run is waited for is told as gone, and the run goes on when it is back',
  { tags: ['slow'] },
  async () => {
    const far = createProject();
    await far.startWorker();
    const proxy = await openProxy(inject('address'));
    const plan = writePlan(far.folder, both(word('ab'), slowWord('cd', 'gone')));
    const args = ['run', plan, '--task-queue', far.taskQueue, '--yes', '--address', proxy.address];
    const begun = far.begin(...args);
    await begun.said(/✓ node_1/);
    await proxy.cut();
    const told = await begun.said(/is gone/);
    expect(told).toContain(`the Temporal server at ${proxy.address} is gone`);
    expect(told).not.toContain('no worker answered');
    await proxy.mend();
    far.open('gone');
    expect(await begun.ended).toMatchObject({ code: 0, stdout: 'a\nb\nc\nd\n' });
    await proxy.close();
    await far.close();
  },
);
