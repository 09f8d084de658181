/** Runs that begin with a goal, typed as a person does: planned, decided step by step, and by agents. The model is a double. */

import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sharedProject } from './project.ts';
import { linesIn } from './planwright.ts';

const PLANNING = fileURLToPath(new URL('../fixtures/planning/planwright.config.ts', import.meta.url));

const project = sharedProject(PLANNING);
let runs = 0;

function goal(text: string, ...options: string[]): string[] {
  return ['run', '--goal', text, '--task-queue', project.taskQueue, ...options];
}

/** Starts a run and returns its id. */
async function detached(text: string, ...options: string[]): Promise<string> {
  const id = `${project.taskQueue}-${++runs}`;
  const { code, stderr } = await project.type(...goal(text, '--detach', '--workflow-id', id, ...options));
  if (code !== 0) throw new Error(stderr);
  return id;
}

describe('run --goal', () => {
  test('shows how the plan is made, then the plan, and waits for its approval', async () => {
    const begun = project.begin(...goal('MENDED letters'));
    const said = await begun.said(/approve with: (.*)/);
    expect(said).toMatch(/^\S+Z planning: (extract|select|write)/m);
    expect(said.indexOf('node_1  ab')).toBeGreaterThan(0);
    expect(said.indexOf('node_1  ab')).toBeLessThan(said.indexOf('approve with:'));
    const [, command = ''] = /planwright (approve \S+ --digest [0-9a-f]{8})/.exec(said) ?? [];
    expect((await project.type(...command.split(' '), '--by', 'reviewer')).code).toBe(0);
    const { code, stdout, stderr } = await begun.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a\nb\nc\nd\n' });
    expect(stderr).toMatch(/^2 model calls, 200 tokens read .* cost 0\.002$/m);
  });
});

describe('run --goal --on-failure replan', () => {
  const approval = /planwright (approve \S+ --digest [0-9a-f]{8})/g;
  const typed = (command: string) => project.type(...command.split(' '), '--by', 'reviewer');

  test('says why the run is replanning, shows what has changed, and asks again', { tags: ['slow'] }, async () => {
    const begun = project.begin(...goal('BROKEN letters', '--on-failure', 'replan'));
    const [, first = ''] = [...(await begun.said(/approve with: (.*)/)).matchAll(approval)][0] ?? [];
    await typed(first);
    const said = await begun.said(/replanned[^]*approve with: (.*)/);
    const why = 'node_2 (-) failed as REPLANNING: a dash has no letters';
    expect(said).toMatch(/^\S+Z replanned once, as revision 2, digest [0-9a-f]{64}, since node_2 /m);
    expect(said).toMatch(/^changes:\n(?:.*\n)*~ node_2 .*"-" -> "ef".*\n(?:.*\n)*= 1 node as before$/m);
    const [, second = ''] = [...said.matchAll(approval)].at(-1) ?? [];
    const [, id = ''] = second.split(' ');
    const { stdout: status } = await project.type('status', id);
    expect(status).toContain(`replanned once, as revision 2, since ${why}`);
    expect(status).toContain(`It was replanned, since ${why}.`);
    expect((await project.type('why', id, 'node_2')).stdout).toContain(`the plan was replaced, since ${why}`);
    const watched = project.begin('watch', id, '-o', 'jsonl');
    await watched.said(/approve with/);
    await typed(second);
    expect(linesIn((await watched.ended).stdout)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ change: 'replanned', times: 1, revision: 2, why }),
      ]) as unknown[],
    );
    const { code, stdout } = await begun.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a\nb\ne\nf\n' });
  });
});

describe('--mode reactive', () => {
  test('shows each step as it is decided, and what came of it', async () => {
    const begun = project.begin(...goal('STEPWISE', '--mode', 'reactive', '--approval', 'effects'));
    const { code, stdout, stderr } = await begun.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'abcd\n' });
    expect(stderr).toMatch(/^\S+Z step_1: letters of ab, digest [0-9a-f]{8}\n(?:.*\n)*\S+Z step_1 ended: succeeded$/m);
    expect(stderr).toMatch(/^\S+Z step_2 ended: succeeded$/m);
    expect(stderr).not.toContain('the plan was edited');
  });

  test('trace --rounds and why say of each step who decided it, as text, as a table and as jsonl', async () => {
    const id = await detached('STEPWISE', '--mode', 'reactive');
    await project.until(id, ({ phase }) => phase === 'closed');
    const text = (await project.type('trace', id, '--rounds')).stdout;
    expect(text).toMatch(/^round 1, model decide: step_1: letters of ab$/m);
    expect(text).toMatch(/^round 2, model decide: step_2: letters of cd\n {2}step_1 ended: succeeded$/m);
    expect(text).toMatch(/^round 3, model decide: finishes: abcd$/m);
    const last = await project.type('trace', id, '--rounds', '--last', '1', '-o', 'jsonl');
    expect(linesIn(last.stdout)).toMatchObject([
      { round: 3, policy: 'model', origin: 'model', decider: 'decide', happened: { round: 2, status: 'succeeded' } },
    ]);
    const table = (await project.type('trace', id, '--rounds', '--format', 'markdown')).stdout;
    expect(table).toContain('| 2 | model decide | decide | step_2: letters of cd |');
    const why = (await project.type('why', id, 'step_1')).stdout;
    expect(why).toContain('round 1, model decide');
    expect(why).toMatch(/^ended: succeeded$/m);
    expect((await project.type('why', id, 'step_9')).stderr).toContain('has no step_9; it has decided 3');
    expect((await project.type('trace', id, '--last', '1')).stderr).toContain('--last goes with --rounds');
  });

  test.each([
    ['done', []],
    ['partial', ['--budget', '{"steps":1,"onEnd":"partial"}']],
  ])('what each step gave is there when the loop is %s', async (outcome, options) => {
    const id = await detached('STEPWISE', '--mode', 'reactive', '--approval', 'effects', ...options);
    expect(await project.until(id, ({ phase }) => phase === 'closed')).toMatchObject({ outcome });
    const steps = outcome === 'done' ? ['step_1', 'step_2'] : ['step_1'];
    for (const [at, step] of steps.entries())
      expect(await project.type('result', id, '--node', step)).toMatchObject({
        code: 0,
        stdout: ['a\nb\n', 'c\nd\n'][at],
      });
    expect((await project.type('result', id, '--node', 'step_9')).stderr).toContain('NO_NODE');
    const rounds = linesIn((await project.type('trace', id, '--rounds', '-o', 'jsonl')).stdout);
    expect(rounds.flatMap(({ results = {} }) => Object.keys(results as object))).toEqual(steps);
    expect((await project.type('trace', id, '--rounds')).stdout).toContain('  step_1 gave 2 records');
    if (outcome === 'partial')
      expect((await project.json('result', id)).error).toMatchObject({ results: { step_1: { count: 2 } } });
  });
});

describe('an agent', () => {
  const plan = { goal: 'ORDERING', plan: { task: 'order what is missing', agent: 'clerk' } };

  test(
    'asks at the run that it works for, is named by why, and is counted in the end',
    { tags: ['slow'] },
    async () => {
      const id = await project.detach(plan, '--approve', '--by', 'reviewer');
      const watching = project.begin('watch', id, '-o', 'jsonl');
      const said = await watching.said(/approve with: .*/);
      const [, command = '', child = ''] = /planwright (approve (\S+) --digest [0-9a-f]{8})/.exec(said) ?? [];
      expect(child).toMatch(new RegExp(`^${id}\\.[0-9a-f]{8}\\.node_1$`));
      const status = await project.type('status', id);
      expect(status.code).toBe(4);
      expect(status.stdout).toContain(`agent of node_1: run ${child}, waits for a person (1)`);
      const words = async (name: string) => (await project.type(name)).stdout;
      await expect.poll(() => words('list')).toMatch(new RegExp(`^ *${id} +.*1 agent`, 'm'));
      const inbox = async () => (await words('inbox')).split('\n').filter((line) => line.startsWith(`${child}  `));
      await expect.poll(inbox).toHaveLength(1);
      const why = await project.type('why', id, 'node_1');
      expect(why.stdout).toContain(`its agent's run is ${child}: awaiting-approval`);
      expect(why.stdout).toContain(`planwright trace ${child}`);
      expect((await project.type(...command.split(' '), '--by', 'operator')).code).toBe(0);
      const { code, stdout } = await watching.ended;
      expect(code).toBe(0);
      const changes = linesIn(stdout);
      const steps = changes.filter(({ change }) => change === 'step');
      expect(steps.map(({ node }) => node)).toEqual(steps.map(() => 'node_1'));
      expect(steps.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^step_1: order gel/),
        'step_1 ended: succeeded',
        'round 2 finished: ordered',
      ]);
      expect(changes.at(-1)).toMatchObject({
        change: 'end',
        outcome: 'done',
        usage: {
          total: { calls: 2, cost: 0.002 },
          run: { calls: 0 },
          nodes: { node_1: { calls: 2, inputTokens: 200 } },
        },
      });
      const after = await project.type('why', id, 'node_1');
      expect(after.stdout).toContain(`its agent's run is ${child}: done`);
    },
  );
});
