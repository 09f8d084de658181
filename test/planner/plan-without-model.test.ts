/** Plans that no model writes. */

import { describe, expect, test } from 'vitest';
import { openNotes } from '../../src/planner/index.ts';
import { planDirect, planFallback } from '../../src/planner/write-plan.ts';
import { compilerOf, plannerOf, researcher, search, writer } from '../support/scripted-planner.ts';

const notes = openNotes('Compare two markets');

describe('Calute: fallback plan', () => {
  test('is one step with key 1 for the first agent, of low complexity, in 5 minutes', async () => {
    const planner = plannerOf({}, { agents: [researcher, writer] });
    const { outcome } = await planFallback(planner, notes, compilerOf(planner));
    if (outcome.is !== 'written') throw new Error(JSON.stringify(outcome));
    const { tasks, goal, complexity, estimatedMinutes } = outcome.compiled.plan;
    expect({ goal, complexity, estimatedMinutes }).toEqual({
      goal: 'Compare two markets',
      complexity: 'low',
      estimatedMinutes: 5,
    });
    expect(tasks).toMatchObject([
      {
        contextKey: '1',
        agent: 'researcher',
        action: 'execute_objective',
        arguments: { objective: 'Compare two markets' },
        task: 'Compare two markets',
      },
    ]);
    expect(planner.asked).toEqual([]);
  });

  test('without agents is a step for the default of the project', async () => {
    const defaultExecutor = { kind: 'capability', name: 'rank', version: '1', effect: 'read' } as const;
    const planner = plannerOf({}, { defaultExecutor });
    const { outcome } = await planFallback(planner, notes, compilerOf(planner));
    expect(outcome).toMatchObject({ is: 'written', compiled: { plan: { tasks: [{ capability: 'rank' }] } } });
  });

  test('that the default cannot carry out is told as such', async () => {
    const defaultExecutor = { kind: 'capability', name: 'search', version: '1', effect: 'read' } as const;
    const planner = plannerOf({}, { defaultExecutor, capabilities: [search] });
    const { outcome } = await planFallback(planner, notes, compilerOf(planner));
    expect(outcome).toMatchObject({ is: 'invalid', trouble: { message: expect.stringContaining('expected string') } });
  });

  test('without either says that no agents are configured, and what to do', async () => {
    const planner = plannerOf({});
    const { outcome } = await planFallback(planner, notes, compilerOf(planner));
    if (outcome.is !== 'failed') throw new Error('a plan');
    expect(outcome.trouble.message).toMatch(/no agents configured.*defineAgent.*tasks\.default/);
  });
});

test('a direct answer is one respond step for the task', async () => {
  const planner = plannerOf({});
  const { outcome } = await planDirect({ ...notes, task: 'Say what a market is' }, compilerOf(planner));
  expect(outcome).toMatchObject({
    is: 'written',
    compiled: {
      plan: { goal: 'Compare two markets', tasks: [{ capability: 'respond', task: 'Say what a market is' }] },
    },
  });
});
