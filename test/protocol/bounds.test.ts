/** The bounds of a plan: no execution that a meter counts exceeds them, and the line says what it leaves out. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsOfPlan, boundsText, type Bound, type NodeExecutor } from '../../src/protocol/index.ts';
import { executor } from '../workflows/run/make-run.ts';
import { plans, type RandomPlan } from '../workflows/run/random-plan.ts';

type Dice = (most: number) => number;

/** What one execution of a plan takes, counted by its own reading of what retries, pauses and agents do. */
function meter(plan: RandomPlan, executors: readonly NodeExecutor[], dice: Dice, repeats = 1) {
  const fact = { cost: 0, modelCalls: 0, tokens: 0, timeMs: 0 };
  const ends: number[] = [];
  for (const [node, { inputs, after }] of plan.entries()) {
    const { kind, effect, cost = 0, stepCost = 0, rounds = 0, budget, retry, startToCloseMs } = executors[node]!;
    let clock = Math.max(0, ...[...inputs, ...after].map((before) => ends[before]!));
    for (let again = 0; again < repeats; again += 1) {
      if (kind === 'agent') {
        fact.modelCalls += dice(rounds);
        fact.tokens += dice(budget?.tokens ?? 1e9);
        fact.cost += dice(budget?.steps ?? 1e6) * stepCost;
        continue;
      }
      let pause = retry.initialMs;
      for (let attempt = 0, last = dice(retry.attempts - 1); attempt <= last; attempt += 1) {
        clock += (attempt > 0 ? pause : 0) + dice(startToCloseMs);
        if (attempt > 0) pause = Math.min(pause * retry.factor, 100 * retry.initialMs);
        // An effect at most once begins in one of its attempts.
        if (effect !== 'at-most-once' || attempt === last) fact.cost += cost;
      }
    }
    ends.push(clock);
  }
  return { ...fact, timeMs: Math.max(0, ...ends) };
}

const runs = plans.chain((plan) =>
  fc.record({
    plan: fc.constant(plan),
    executors: fc.tuple(
      ...plan.map(({ effect, name, cost }) =>
        fc
          .record({
            isAgent: fc.boolean(),
            rounds: fc.integer({ min: 1, max: 5 }),
            steps: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
            tokens: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
            attempts: fc.integer({ min: 1, max: 4 }),
            factor: fc.integer({ min: 1, max: 20 }),
            startToCloseMs: fc.integer({ min: 1, max: 50 }),
          })
          .map(({ isAgent, rounds, steps, tokens, attempts, factor, startToCloseMs }): NodeExecutor => {
            const retry = { attempts, factor, initialMs: 2 };
            const task = { ...executor(effect, name, cost), retry, startToCloseMs };
            if (!isAgent) return task;
            const budget = { ...(steps !== undefined && { steps }), ...(tokens !== undefined && { tokens }) };
            return { ...task, kind: 'agent', rounds, stepCost: cost, budget };
          }),
      ),
    ),
    dice: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
  }),
);

test('no execution of a plan exceeds its bounds, and repeats by people do', () => {
  let exceeded = 0;
  fc.assert(
    fc.property(runs, ({ plan, executors, dice }) => {
      let roll = 0;
      const random: Dice = (most) => Math.round(most * dice[roll++ % dice.length]!);
      const shape = {
        inputs: plan.map(({ inputs }) => inputs),
        after: Object.fromEntries(plan.map(({ after }, node) => [node, after])),
        executors,
        executorOf: plan.map((_, node) => node),
      };
      const { cost, costOfAttempts, ...bounds } = boundsOfPlan(shape);
      const within = (fact: ReturnType<typeof meter>) =>
        (['modelCalls', 'tokens', 'timeMs'] as const).every((what) => isWithin(fact[what], bounds[what])) &&
        isWithin(fact.cost, costOfAttempts);
      expect(within(meter(plan, executors, random))).toBe(true);
      expect(within(meter(plan, executors, (most) => most))).toBe(true);
      expect(isWithin(typeof cost === 'number' ? cost : 0, costOfAttempts)).toBe(true);
      expect(bounds.leftOut).toEqual(expect.arrayContaining(['replans', 'repeats by people']));
      if (!within(meter(plan, executors, (most) => most, 2))) exceeded += 1;
    }),
  );
  expect(exceeded).toBeGreaterThan(50);
});

function isWithin(fact: number, bound: Bound): boolean {
  return typeof bound === 'string' || fact <= bound + 1e-9;
}

const agent = (over: Partial<NodeExecutor>): NodeExecutor => ({
  ...executor('read', 'search'),
  kind: 'agent',
  rounds: 20,
  ...over,
});
const pay = { ...executor('at-most-once', 'pay', 10), startToCloseMs: 60_000 };
const look = { ...executor('read', 'look', 2), retry: { attempts: 3, initialMs: 1000, factor: 2 } };
const ask: NodeExecutor = { ...executor('read', 'ask'), kind: 'wait' };

test.each<[of: readonly NodeExecutor[], rules: Parameters<typeof boundsOfPlan>[1], text: readonly string[]]>([
  [[pay], {}, ['at most 1 at-most-once; cost 10; 1 min of attempts in a row; without replans, repeats by people']],
  [[look, pay], {}, ['1 read, 1 at-most-once; cost 12 (16 if every attempt is paid); 1 min of']],
  [[ask], { approvals: [{ count: 2, of: 2, roles: ['finance'] }] }, ['1 question; 2 approvals in the role finance;']],
  [[agent({})], {}, ['1 agent; 20 model calls; tokens and money without bound: agent "search" has no budget; time']],
  [[agent({ budget: { tokens: 5000 } }), agent({ budget: { tokens: 1 } })], {}, ['40 model calls; 5,001 tokens;']],
  [[agent({})], { budget: { tokens: 900, money: 3 } }, ['20 model calls; 900 tokens; money 3;']],
  [[agent({ stepCost: 5 })], {}, ['cost without bound: agent "search" has no budget of steps;']],
  [[agent({ stepCost: 5, budget: { steps: 3 } })], {}, ['; cost 15;']],
  [[agent({ ownPolicy: true })], {}, ['model calls without bound: agent "search" has no bound in its policy']],
  [[agent({ name: 'a\nb\u202e' })], {}, ['agent "a\\nb']],
])('the line of plan %# has its numbers, or why there are none', (executors, rules, texts) => {
  const shape = { inputs: executors.map(() => []), executors, executorOf: executors.map((_, node) => node) };
  const text = boundsText(boundsOfPlan(shape, rules));
  for (const part of texts) expect(text).toContain(part);
  expect(text).not.toMatch(/[\n\u202e]/);
});
