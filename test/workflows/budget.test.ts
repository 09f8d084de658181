/** Budgets on the real server: the double of the model's server counts what it has sold, and is the judge. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/capabilities/index.ts';
import { createSet, type ResultSet } from '../../src/plan/algebra/index.ts';
import type { Budget } from '../../src/protocol/index.ts';
import { FINISH } from '../../src/planner/round/tools.ts';
import { ids, tool } from '../support/capabilities.ts';
import { chatDelta, chatEvents, startModelServer, type Answer, type Asked } from '../support/model-server.ts';
import { combine, planOf, task } from '../support/plans.ts';
import { ownRig } from '../support/rig.ts';

/** Tokens of each call. */
const CALL = 100;
const USED = { id: 'c', choices: [], usage: { prompt_tokens: 90, completion_tokens: 10 } };

/** A capability that asks the model as often as it is told to. */
const thinks = tool(
  'thinks',
  'read',
  'set',
  z.object({ times: z.number(), about: z.string() }),
  async ({ arguments: { times, about }, model }): Promise<ResultSet> => {
    for (let nth = 0; nth < times; nth += 1)
      await model?.({ messages: [{ role: 'user', content: `${about} ${nth}` }] });
    return createSet([{ id: about }]);
  },
);

const call = (name: string, args: object): Answer => ({
  events: [
    chatDelta({ tool_calls: [{ index: 0, id: 'call', function: { name, arguments: JSON.stringify(args) } }] }),
    chatDelta({}, 'tool_calls'),
    USED,
    'data: [DONE]\n\n',
  ],
});

const agent = (name: string, budget?: Pick<Budget, 'tokens' | 'steps'>) =>
  defineAgent({
    ...{ name, description: 'Looks.', instructions: `You are ${name}.`, capabilities: [ids] },
    ...(budget && { budget }),
  });

/** An agent that looks three times, and then has it. */
function asAgent({ body }: Asked): Answer {
  const rounds = (body['messages'] as readonly { role: string }[]).filter(({ role }) => role === 'tool').length;
  return rounds < 3 ? call('ids', { ids: [`found${rounds}`] }) : call(FINISH, { answer: 'found' });
}

async function opened(budget?: Budget, answer = asAgent, modest?: Pick<Budget, 'tokens' | 'steps'>) {
  const server = await startModelServer((asked) =>
    asked.body['tools'] === undefined
      ? { events: chatEvents(['thought'], 'stop', { prompt_tokens: 90, completion_tokens: 10 }) }
      : answer(asked),
  );
  const rig = await ownRig({
    capabilities: [ids, thinks],
    agents: [agent('finder'), agent('seeker'), agent('modest', modest)],
    model: { baseURL: server.baseURL, name: 'served', api: 'chat' },
    ...(budget && { spending: budget }),
  });
  return { rig, sold: () => CALL * server.asked.length };
}

const thought = (about: string, times = 1) => task('thinks', { times, about });
const both = (left: object, right: object) => combine('UNION', left, right);
const free = (budget: Budget, onFailure = 'fail') => ({ approval: 'effects', budget, onFailure }) as const;

test('nodes that ask a model spend the budget and no more; a person gives it again, and the run ends', async () => {
  const { rig, sold } = await opened();
  const plan = both(both(thought('a', 2), thought('b', 2)), both(thought('c', 2), task('ids', { ids: ['d'] })));
  const run = await rig.start(planOf(plan, free({ tokens: 3 * CALL })));
  const item = await rig.opened(run, ({ kind }) => kind === 'budget');
  expect(item.text).toMatch(
    /^the budget is spent: [34]00 of 300 tokens; resume gives as much again, kill stops the run$/,
  );
  expect(sold()).toBeLessThanOrEqual(4 * CALL);
  expect(await rig.say(run, 'control', { action: 'resume', by: 'operator' })).toMatch(/given once more/);
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 4 } });
  const { budget } = await rig.until(run, () => true);
  expect(budget).toMatchObject({ limit: { tokens: 600 }, spent: { tokens: sold() } });
  expect(sold()).toBe(6 * CALL);
});

test(
  'agents at work together spend what the run lends them, and all of it together is the budget',
  { tags: ['slow'] },
  async () => {
    const { rig, sold } = await opened();
    const steps = ['finder', 'seeker', 'finder', 'seeker'].map((one, at) => ({
      step_id: `${at}`,
      agent: one,
      action: `Find ${at}`,
    }));
    const run = await rig.start({
      plan: { goal: 'Find sources', steps },
      options: free({ tokens: 6 * CALL, onEnd: 'partial' }),
    });
    await run.result().catch(() => undefined);
    const { budget } = await rig.until(run, () => true);
    // Four agents are at work at once, each with one call.
    expect(sold()).toBeLessThanOrEqual(9 * CALL);
    expect(sold()).toBeGreaterThanOrEqual(6 * CALL);
    expect(budget?.spent.tokens).toBe(sold());
  },
);

test('the budget of a project holds from the first call on, also for a loop, and steps count', async () => {
  const { rig, sold } = await opened({ tokens: 2 * CALL, onEnd: 'partial' });
  const run = await rig.start({ goal: 'Find a', options: { mode: 'reactive' } });
  expect(await run.result()).toMatchObject({
    outcome: 'partial',
    results: { step_1: { count: 1 }, step_2: { count: 1 } },
  });
  expect(sold()).toBe(2 * CALL);
  const stepped = await rig.start({
    goal: 'Find b',
    options: { mode: 'reactive', budget: { tokens: 90 * CALL, steps: 1, onEnd: 'stop' } },
  });
  await stepped.result().catch(() => undefined);
  expect((await rig.until(stepped, () => true)).budget).toMatchObject({
    limit: { tokens: 2 * CALL, steps: 1 },
    spent: { steps: 1 },
  });
});

test('a server that drops the line in each call, or tells of 10^9 tokens, spends the budget at once', async () => {
  const cut: Answer = { events: [chatDelta({ content: 'I look for' })], after: 'cut' };
  const lie: Answer = {
    events: [...chatEvents(['Well.'], 'stop', { prompt_tokens: 1e9, completion_tokens: 0 })],
  };
  for (const [answer, most] of [
    [cut, 2],
    [lie, 1],
  ] as const) {
    const { rig, sold } = await opened(undefined, () => answer);
    const budget: Budget = { tokens: 10, onEnd: 'stop' };
    const run = await rig.start({ goal: 'Find a', options: { mode: 'reactive', budget } });
    await expect(run.result()).rejects.toMatchObject({ cause: { type: 'BudgetSpent' } });
    expect(sold()).toBeLessThanOrEqual(most * CALL);
  }
});
