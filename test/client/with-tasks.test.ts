/** A plan document whose steps are all given the tasks that it was made for. */

import { describe, expect, test } from 'vitest';
import { ClientError, executePlan } from '../../src/client/index.ts';
import { withTasks } from '../../src/client/execute-plan.ts';
import { compilePlan } from '../../src/plan/index.ts';

const tasks = ['find figures', { id: 2 }];

describe('Calute: execute_plan', () => {
  test('gives the original tasks to every step of a list, as external context', () => {
    const steps = [
      { context_key: 'a', capability: 'x', task_objective: 'do a' },
      { context_key: 'b', capability: 'x', task_objective: 'do b', inputs: ['a'] },
      { step_id: 3, agent: 'writer', action: 'write', dependencies: ['b'] },
    ];
    const { document, context } = withTasks({ goal: 'g', steps }, tasks);
    expect(context).toEqual({ original_tasks: tasks });
    expect(document).toMatchObject({
      steps: [{ inputs: ['original_tasks'] }, { inputs: ['a', 'original_tasks'] }, {}],
    });
    const compiled = compilePlan(document, { contextKeys: ['original_tasks'] });
    expect(compiled.ok).toBe(true);
  });

  test.each([
    ['none', {}, { context: { original_tasks: tasks } }],
    ['an object', { context: { place: 'here' } }, { context: { place: 'here', original_tasks: tasks } }],
    ['a text', { context: 'here' }, { context: { context: 'here', original_tasks: tasks } }],
    ['under another name', { params: { a: 1 } }, { params: { a: 1, original_tasks: tasks } }],
  ])('gives them to every task of a tree, whose context is %s', (_name, given, expected) => {
    const task = { task: 'find', ...given };
    const plan = { type: 'combine', operator: 'UNION', left: task, right: { task: 'rank', input: task } };
    const before = JSON.stringify(plan);
    const { document, context } = withTasks({ goal: 'g', plan }, tasks);
    expect(context).toBeUndefined();
    expect(document).toMatchObject({
      plan: { left: expected, right: { context: { original_tasks: tasks }, input: expected } },
    });
    expect(JSON.stringify(plan)).toBe(before);
  });

  test('without tasks leaves the document as it is', () => {
    const document = { goal: 'g', plan: { task: 'find' } };
    expect(withTasks(document, []).document).toBe(document);
  });

  test('refuses to rewrite a text', () => {
    expect(() => withTasks('{"goal":"g"}', tasks)).toThrow('give the plan document as an object');
  });

  test('rejects where there is no client, and says how to get one', async () => {
    const error: unknown = await executePlan({ goal: 'g', plan: { task: 'x' } }, {}).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: 'no-client', message: expect.stringContaining('createPlanClient(') });
  });
});
