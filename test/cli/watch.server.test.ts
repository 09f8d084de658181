/** `planwright watch` and `doctor` on a server. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { both, BROKEN, createProject, question, slowWord, steps, word, type Project } from './project.ts';

let project: Project;

beforeAll(async () => {
  project = createProject();
  await project.startWorker();
});

afterAll(() => project.close());

interface Change {
  readonly change: 'phase' | 'node' | 'end';
  readonly phase?: string;
  readonly id?: string;
  readonly status?: string;
  readonly outcome?: string;
}

function changesIn(stdout: string): Change[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Change);
}

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
    const changes = changesIn(stdout);
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

  test('a run that has ended is told at once, as lines and as one document', async () => {
    const id = await project.detach(
      { goal: 'Break', plan: { task: 'go on', capability: 'note', input: BROKEN } },
      '--approve',
    );
    await project.type('result', id);
    const text = await project.type('watch', id);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(
      /^✗ node_1 {2}breaks {2}failed .*\n {3}.*on fire\n– node_2 {2}go on {2}skipped\n {3}needs node_1$/m,
    );
    expect(text.stdout).toMatch(/\nended: run .* failed: .*\n$/);
    const { code, stdout } = await project.type('watch', id, '-o', 'json');
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 1,
      ok: false,
      workflowId: id,
      outcome: 'failed',
      error: { code: 'RUN_FAILED' },
    });
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
    const first = changesIn(stdout).filter(({ id: node }) => node === 'node_1');
    expect(first.map(({ status }) => status)).toEqual(expect.arrayContaining(['waiting', 'succeeded']));
  });

  test('goes back to waiting when an edit asks anew, and nodes run meanwhile', async () => {
    const order = { task: 'order', capability: 'order', arguments: { item: 'gel' } };
    const id = await project.detach(both(word('ab'), order), '--approval', 'effects');
    const watching = project.begin('watch', id, '-o', 'jsonl');
    const before = await watching.said(
      /"id":"node_1","status":"succeeded"[^]*approve with|approve with[^]*"id":"node_1","status":"succeeded"/,
    );
    expect(before).not.toContain('"phase":"running"');
    await project.until(id, ({ counts }) => counts['succeeded'] === 1);
    const command = /planwright (approve \S+ --digest [0-9a-f]{8})/.exec(before)?.[1] ?? '';
    expect((await project.type(...command.split(' '), '--by', 'operator')).code).toBe(0);
    const { stdout, code } = await watching.ended;
    expect(code).toBe(0);
    const phases = changesIn(stdout).filter(({ change }) => change === 'phase');
    expect(phases.map(({ phase }) => phase).at(0)).toBe('awaiting-approval');
  });

  test('stops following after the timeout, and the run goes on', async () => {
    const id = await project.detach(both(word('a'), word('b')));
    const { code, stderr } = await project.type('watch', id, '--timeout', '1s');
    expect(code).toBe(124);
    expect(stderr).toContain(`come back with \`planwright watch ${id}\``);
  });
});

describe('doctor on a server', () => {
  test('finds the worker, and measures the hop with a run of its own', async () => {
    const { code, stdout } = await project.type('doctor', '--task-queue', project.taskQueue, '-o', 'json');
    const { ok, checks } = JSON.parse(stdout) as {
      ok: boolean;
      checks: { check: string; state: string; message: string }[];
    };
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(checks.map(({ check }) => check)).toEqual([
      'node',
      'config',
      'store',
      'server',
      'namespace',
      'worker',
      'hop',
    ]);
    expect(checks.find(({ check }) => check === 'worker')).toMatchObject({
      state: 'ok',
      message: expect.stringContaining(project.taskQueue),
    });
    expect(checks.at(-1)?.message).toMatch(/^one node after the other takes \d+ ms/);
  });

  test('warns where nobody works', async () => {
    const { code, stdout } = await project.type('doctor', '--task-queue', 'nobody-works-here', '--no-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^warn worker: no worker on task queue nobody-works-here; start one with `planwright worker/m,
    );
    expect(stdout).not.toContain('hop:');
  });

  test('names a namespace that is not there', async () => {
    const { code, stdout } = await project.type('doctor', '--namespace', 'none-of-this-name');
    expect(code).toBe(2);
    expect(stdout).toMatch(/^fail namespace: .*temporal operator namespace create -n none-of-this-name/m);
  });
});
