/** `planwright run` on a server, from the approval to the end. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { BROKEN, both, createProject, question, slowWord, steps, word, writePlan, type Project } from './project.ts';
import { CONFIG } from './planwright.ts';
import { openProxy } from './proxy.ts';

interface Ended {
  readonly ok: boolean;
  readonly workflowId: string;
  readonly outcome: string;
  readonly digest: string;
  readonly result?: { readonly kind: string; readonly count: number };
  readonly missing?: readonly { readonly id: string; readonly status: string }[];
  readonly error?: { readonly code: string; readonly issues?: readonly { readonly code: string }[] };
}

const GOOD = both(word('hello'), word('world'));

let project: Project;

beforeAll(async () => {
  project = createProject();
  await project.startWorker();
});

afterAll(() => project.close());

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
    for (const id of ['node_1', 'node_2', 'node_3'])
      expect(stderr).toMatch(new RegExp(`^\\[\\d/3\\] ✓ ${id} .* succeeded`, 'm'));
    expect(stderr).toMatch(/^run closed: done$/m);
    expect(stderr).not.toContain('\u001B');
  });

  test('goes on when nobody reads its notes any more', async () => {
    const file = writePlan(project.folder, GOOD);
    const { child, ended } = project.begin('run', file, '--task-queue', project.taskQueue, '--yes', '--by', 'operator');
    child.stderr?.destroy();
    const { code, stdout } = await ended;
    expect([code, stdout]).toEqual([0, 'd\ne\nh\nl\no\nr\nw\n']);
  });

  test('of a larger set is whole where it is written to a file', async () => {
    const { stdout } = await run(
      both(word('abcdefgh'), word('ijklmnop')),
      '--yes',
      '--workflow-id',
      `${project.taskQueue}-all`,
    );
    expect(stdout.replaceAll('\n', '')).toBe('abcdefghijklmnop');
  });

  test('as JSON is one answer', async () => {
    const { code, stdout } = await run(GOOD, '--approve', '-o', 'json', '--config', CONFIG);
    const ended = JSON.parse(stdout) as Ended;
    expect(code).toBe(0);
    expect(ended).toMatchObject({ ok: true, outcome: 'done', revision: 1, result: { kind: 'set', count: 7 } });
    expect(ended.workflowId).toMatch(/^plan-letters-/);
  });

  test('of a failed plan names the failed and the skipped nodes with their causes', async () => {
    const { code, stdout } = await run(both(word('a'), BROKEN), '--approve');
    expect(code).toBe(1);
    expect(stdout).toMatch(/node_2 failed: the instrument is on fire/);
    expect(stdout).toMatch(/^✗ node_2 {2}breaks {2}failed .*\n {3}CRITICAL: the instrument is on fire$/m);
    expect(stdout).toMatch(/^– node_3 .* skipped\n {3}needs node_2$/m);
  });

  test('--on-failure partial ends with what there is', async () => {
    const { code, stdout } = await run(both(word('a'), BROKEN), '--approve', '--on-failure', 'partial', '-o', 'jsonl');
    const { ok, outcome, error, missing } = JSON.parse(stdout) as Ended;
    expect({ code, ok, outcome, error: error?.code }).toEqual({
      code: 1,
      ok: false,
      outcome: 'partial',
      error: 'RUN_PARTIAL',
    });
    expect(missing?.map(({ id, status }) => `${id} ${status}`)).toEqual(['node_2 failed', 'node_3 skipped']);
  });

  test('of a plan that only the worker finds invalid exits 3 with its issues', async () => {
    const plan = { goal: 'g', plan: { task: 'x', capability: 'nothing' } };
    const { code, stdout } = await run(plan, '-o', 'json');
    const { error } = JSON.parse(stdout) as Ended;
    expect({ code, error: error?.code }).toEqual({ code: 3, error: 'PLAN_INVALID' });
    expect(error?.issues?.map((issue) => issue.code)).toEqual(['unknown-capability']);
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
    const { error } = JSON.parse(json.stdout) as Ended;
    expect({ code: json.code, error: error?.code }).toEqual({ code: 3, error: 'PLAN_INVALID' });
  });

  test('of a plan that the config finds invalid starts nothing', async () => {
    const id = `${project.taskQueue}-invalid`;
    const plan = { goal: 'g', plan: { task: 'x', capability: 'nothing' } };
    const { code } = await run(plan, '--config', CONFIG, '--workflow-id', id);
    expect(code).toBe(3);
    expect((await project.type('status', id)).stderr).toContain('error[NO_RUN]');
  });

  test('--approval effects runs a plan that only reads at once, and asks before one that orders', async () => {
    const read = await run(GOOD, '--approval', 'effects');
    expect(read.code).toBe(0);
    expect((await run(GOOD, '--approval', 'effects', '--approve')).code).toBe(0);
    const order = { goal: 'g', plan: { task: 'order', capability: 'order', arguments: { item: 'primer' } } };
    const waiting = await run(order, '--approval', 'effects', '--timeout', '8s');
    expect(waiting.code).toBe(124);
    expect(waiting.stderr).toMatch(/^waiting for a decision on the plan$/m);
    const command = /planwright (approve \S+ --digest [0-9a-f]{8})/.exec(waiting.stderr)?.[1] ?? '';
    const approved = await project.type(...command.split(' '), '--by', 'operator');
    expect(approved.code).toBe(0);
    const { stdout } = await project.type('result', command.split(' ')[1] ?? '', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, kind: 'set' });
    expect(readFileSync(join(project.folder, 'orders.txt'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  test('a question is told once with its command, and --answer-deadline ends the wait', async () => {
    const file = writePlan(project.folder, steps(question('Which?', { default: 'the first' })));
    const options = ['--task-queue', project.taskQueue, '--approval', 'effects', '--answer-deadline', '2s'];
    const { code, stderr } = await project.type('run', file, ...options);
    expect(code).toBe(0);
    expect(stderr.match(/^question: Which\?\nanswer with: planwright answer \S+ \S+ ANSWER$/gm)).toHaveLength(1);
    expect(stderr).toMatch(/^\[1\/2\] ✓ node_1 .* succeeded/m);
  });

  test('--approval takes rules from a file, which are checked before a run exists', async () => {
    const rules = writePlan(project.folder, { rules: [{ roles: ['lead'] }] });
    const approved = await run(GOOD, '--approval', rules, '--approve', '--by', 'operator', '--role', 'lead');
    expect(approved.code).toBe(0);
    const none = await run(GOOD, '--approval', writePlan(project.folder, { rules: [] }), '-o', 'json');
    expect((JSON.parse(none.stdout) as Ended).error?.code).toBe('INPUT_INVALID');
    expect(none.stdout).toContain('$.options.approval.rules: expected 1 to 100 rules');
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

  test('an id that is taken by an open run is refused', async () => {
    const id = await project.detach(GOOD);
    const { code, stdout } = await run(GOOD, '--workflow-id', id, '-o', 'json');
    expect(code).toBe(2);
    expect((JSON.parse(stdout) as Ended).error?.code).toBe('ALREADY_STARTED');
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

test('a server that goes while a run is waited for is told as gone, and the run goes on when it is back', async () => {
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
});
