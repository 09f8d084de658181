/** `planwright explain`: a plan in sentences. */

import { describe, expect, test } from 'vitest';
import { CONFIG, planwright } from './planwright.ts';

const A = { task: 'Letters of a', capability: 'letters', arguments: { word: 'a' } };
const order = { task: 'Order it', capability: 'order', arguments: { item: 'ink' }, input: A };
const PLAN = JSON.stringify({ goal: 'Order ink', plan: order });

describe('explain', () => {
  test('says what the plan gives and what each node does, without a config', async () => {
    const told = await planwright(['explain', '-'], { stdin: PLAN });
    expect({ ...told, stdout: told.stdout.replace(/[0-9a-f]{64}/, 'DIGEST') }).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `Order ink

It gives the result of "Order it" with the capability "order", given "Letters of
a".

node_2  Order it
│  with the capability "order", given the result of node_1 and the arguments
│  {"item":"ink"}
└─ node_1  Letters of a
      with the capability "letters", given the arguments {"word":"a"}

digest DIGEST
2 nodes: 2 tasks, 0 combines
`,
    });
  });

  test('with a config knows the effects', async () => {
    const text = await planwright(['explain', '-', '--config', CONFIG], { stdin: PLAN });
    expect(text.stdout).toMatch(/^node_2 ! at-most-once {2}Order it {2}by capability order@1$/m);
    const bare = JSON.stringify({ goal: 'Letters', plan: { task: 'Letters of a' } });
    expect((await planwright(['explain', '-', '--config', CONFIG], { stdin: bare })).stdout).toContain(
      'node_1  Letters of a  by capability letters@1\n',
    );
    expect(text.stdout).toMatch(/\n1 read, 1 at-most-once: node_2\n$/);
    const { stdout } = await planwright(['explain', '-', '--config', CONFIG, '-o', 'json'], { stdin: PLAN });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      goal: 'Order ink',
      nodes: [
        { id: 'node_1', executor: 'capability letters@1', effect: 'read' },
        { id: 'node_2', executor: 'capability order@1', effect: 'at-most-once' },
      ],
      effects: { read: 1, 'at-most-once': 1 },
    });
  });

  test.each(['explain', 'compile'])('%s shows what a goal hides, and does not obey it', async (command) => {
    const goal = 'Order\u001b[2J\u001b]0;ink\u0007 \u202eink';
    const { code, stdout } = await planwright([command, '-'], { stdin: JSON.stringify({ goal, plan: A }) });
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('Order\\u001b[2J\\u001b]0;ink\\u0007 \\u202eink');
  });

  test('an invalid plan is told as compile tells it', async () => {
    const { code, stdout } = await planwright(['explain', '-', '-o', 'json'], { stdin: '{"goal":"g"}' });
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 3,
      ok: false,
      error: { code: 'PLAN_INVALID', issues: [{ code: 'missing-plan' }] },
    });
  });

  test('says when its digest is one without context', async () => {
    const steps = [{ context_key: 'a', capability: 'order', task_objective: 'Order it', inputs: ['account'] }];
    const stdin = JSON.stringify({ goal: 'Order ink', steps });
    expect((await planwright(['explain', '-', '--context-keys', 'account'], { stdin })).stderr).toContain(
      'this digest is one without context',
    );
  });
});
