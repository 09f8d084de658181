/** The budget of a run in its turns, with workers that buy as real ones do: nothing beyond their allowance, and no reply twice. */

import { numbered } from '../../../../src/workflows/run/records.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Budget,
  type Deferral,
  type NodeExecutor,
  type Usage,
  openPlanning,
} from '../../../../src/protocol/index.ts';
import { openRun } from '../../../../src/workflows/run/run.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { questionsOf } from '../../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../../src/workflows/views/views.ts';
import { allowanceOfTask } from '../../../../src/workflows/run/spending/spend.ts';
import {
  AT,
  executor,
  failed,
  handle,
  landed,
  later,
  NO_PROJECT,
  openedRun,
  say,
  turn,
  wideShape,
  takenUp,
} from '../make-run.ts';

const DAY = 86_400_000;
const SPENT: Deferral = { deferred: 'budget', reason: 'it has spent its part of the budget' };
const used = (tokens: number, calls: number): Usage => ({
  ...{ calls, inputTokens: tokens, cachedInputTokens: 0, outputTokens: 0 },
});

/** Executors of which the n-th makes n calls. */
const ASKERS: readonly NodeExecutor[] = [0, 1, 2, 3].map((calls) => executor('read', `asks${calls}`));

interface Shop {
  /** Tokens that were sold. */
  sold: number;
  readonly journal: Map<number, number[]>;
}

/** Carries out work on a node as a worker does. */
function work(run: Run, id: number, price: number, shop: Shop): void {
  const one = run.tasks[id];
  if (one?.kind !== 'node') return;
  const { tokens = Infinity } = allowanceOfTask(run, id).allowance ?? {};
  const calls = run.execution?.planShape.executorOf[one.node] ?? 0;
  const bought = shop.journal.get(one.node) ?? [];
  shop.journal.set(one.node, bought);
  const spent = () => bought.reduce((sum, cost) => sum + cost, 0);
  while (bought.length < calls) {
    if (spent() >= tokens) return landed(run, id, SPENT);
    bought.push(price);
    shop.sold += price;
  }
  landed(run, id, { ...handle(`r${one.node}`), ...(calls > 0 && { usage: used(spent(), calls) }) });
}

/** Turns until nothing begins any more. @returns the run as it is then, which may be in a new history */
function carryOn(first: Run, price: number, shop: Shop, isResumed = false): Run {
  let run = first;
  for (let turns = 0; turns < 1000; turns += 1) {
    const { hasMore } = turn(run);
    const begun = [...numbered(run.tasks)].flatMap(([id, { isDeferred }]) => (isDeferred === true ? [] : [id]));
    if (begun.length === 0 && !hasMore) return run;
    for (const id of begun) work(run, id, price, shop);
    if (isResumed && Object.keys(run.tasks).length === 0) run = takenUp(run);
  }
  return expect.fail('it never comes to rest');
}

const open = (executorOf: readonly number[], budget: Budget, options: object = {}) =>
  openedRun(wideShape(executorOf.length, { executors: ASKERS, executorOf }), {
    ...{ approval: 'effects', budget, onFailure: 'partial', ...options },
  });

test('spent is at most the budget and the calls under way, whatever nodes ask; at its end a person is asked, and gives again', () => {
  const nodes = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 });
  const ends = fc.constantFrom('ask', 'partial', 'stop' as const);
  fc.assert(
    fc.property(
      nodes,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 600 }),
      ends,
      fc.boolean(),
      (executorOf, price, tokens, onEnd, isResumed) => {
        const shop: Shop = { sold: 0, journal: new Map() };
        let run = carryOn(open(executorOf, { tokens, onEnd }), price, shop, isResumed);
        let given = 1;
        for (; run.state.account?.wait !== undefined; given += 1) {
          expect(shop.sold).toBeLessThan(tokens * given + price * executorOf.length);
          expect(questionsOf(run)[0]?.kind).toBe('budget');
          say(run, 'control', { action: 'resume', by: 'operator' });
          run = carryOn(run, price, shop, isResumed);
        }
        expect(shop.sold).toBeLessThan(tokens * given + price * executorOf.length);
        const { outcome, reason = '', counts } = statusOf(run);
        if (onEnd === 'ask') expect([outcome, counts.succeeded]).toEqual([outcome, executorOf.length]);
        if (outcome === 'failed') expect([onEnd, reason.slice(0, 19)]).toEqual(['stop', 'the budget is spent']);
        expect(outcome).toBeDefined();
        if (run.state.account !== undefined && outcome !== 'failed')
          expect(run.state.account.ledger.spent.tokens).toBe(
            [...shop.journal].reduce(
              (sum, [node, costs]) =>
                sum + (run.execution?.progress.handles[node] ? costs.reduce((a, b) => a + b, 0) : 0),
              0,
            ),
          );
      },
    ),
    { numRuns: 300 },
  );
});

describe('the end of a budget', () => {
  const dear = (onEnd: Budget['onEnd'], over: object = {}) => {
    const shop: Shop = { sold: 0, journal: new Map() };
    return carryOn(open([0, 1, 1, 1], { tokens: 50, ...(onEnd && { onEnd }) }, over), 40, shop);
  };

  test('asks by default, with the numbers and the ways on', () => {
    const [item] = questionsOf(dear(undefined));
    expect(item).toMatchObject({
      kind: 'budget',
      id: 'budget',
      ways: ['resume', 'kill'],
      send: { name: 'control', input: { action: 'resume' } },
    });
    expect(item?.text).toMatch(
      /^the budget is spent: 80 of 50 tokens; resume gives as much again, kill stops the run$/,
    );
  });

  test('fails the run with `stop`', () => {
    expect(statusOf(dear('stop'))).toMatchObject({ outcome: 'failed', reason: 'the budget is spent: 80 of 50 tokens' });
  });

  test('with `partial` fails what costs more, and carries the rest out', () => {
    const run = dear('partial');
    expect(statusOf(run)).toMatchObject({ outcome: 'partial', counts: { succeeded: 3, failed: 1 } });
    // Also where a run without a result of its root would fail.
    expect(statusOf(dear('partial', { onFailure: 'fail' })).outcome).toBe('partial');
    expect(Object.values(run.execution!.failures).map(({ type }) => type)).toEqual(['BudgetSpent']);
  });

  test('stops a run that nobody gives more in time', () => {
    const run = dear('ask', { answerDeadlineMs: DAY });
    turn(run, later(DAY));
    turn(run, later(DAY));
    expect(statusOf(run)).toMatchObject({ outcome: 'failed' });
  });

  test('is told in the status, with what was given again', () => {
    const run = dear('ask');
    expect(statusOf(run).budget).toMatchObject({ limit: { tokens: 50 }, spent: { tokens: 80, steps: 3 } });
    say(run, 'control', { action: 'resume', by: 'operator' });
    expect(statusOf(run).budget).toMatchObject({ limit: { tokens: 100 } });
  });
});

test('steps are counted: as many tasks begin, and no more until a person gives as many again', () => {
  const shop: Shop = { sold: 0, journal: new Map() };
  let run = carryOn(open([0, 0, 0, 0, 0], { steps: 2 }), 1, shop);
  expect(statusOf(run)).toMatchObject({ counts: { succeeded: 2 }, budget: { spent: { steps: 2 } } });
  say(run, 'control', { action: 'resume', by: 'operator' });
  run = carryOn(run, 1, shop);
  expect(statusOf(run).counts.succeeded).toBe(4);
});

test('the tighter of two budgets holds, that of the project and that of the run', () => {
  const project = { ...NO_PROJECT, spending: { tokens: 10, onEnd: 'stop' as const } };
  const run = openedRun(
    wideShape(2, { executors: ASKERS, executorOf: [1, 1] }),
    { approval: 'effects', budget: { tokens: 99 } },
    project,
  );
  carryOn(run, 40, { sold: 0, journal: new Map() });
  expect(statusOf(run)).toMatchObject({ outcome: 'failed', budget: { limit: { tokens: 10 } } });
});

test('a worker that was lost with a call has spent what was reserved; a failure that tells its calls, only these', () => {
  const run = open([1, 1], { tokens: 1000 });
  const price = 40;
  // Both find out that they ask a model.
  for (const id of turn(run).begin) landed(run, id, SPENT);
  const [lost = 0] = turn(run).begin;
  const reserved = allowanceOfTask(run, lost).allowance?.tokens ?? 0;
  failed(run, lost, { status: 'failed', type: 'WorkerLost', message: 'gone' });
  expect([reserved, run.state.account?.ledger.spent.tokens]).toEqual([250, 250]);
  const [told = 0] = turn(run).begin;
  const end = { status: 'failed', type: 'CRITICAL', message: 'broke' } as const;
  const ended = { ok: false, end, failure: { ...end, details: [] }, usage: used(price, 1) } as const;
  turn(run, AT, { arrivals: [{ is: 'ended', taskId: told, at: AT, ended }] });
  expect(run.state.account?.ledger.spent.tokens).toBe(reserved + price);
});

describe('a planning', () => {
  const planningRun = (onEnd: Budget['onEnd']) => {
    const run = openRun('plan-1', AT);
    run.state.options = { ...run.state.options, budget: { tokens: 10, ...(onEnd && { onEnd }) } };
    run.state.planning = { ...openPlanning('Find genes', 'plan-first', 'write') };
    const [id = 0] = turn(run).begin;
    expect(allowanceOfTask(run, id)).toEqual({ allowance: { tokens: 3 } });
    landed(run, id, {
      stage: 'write',
      notes: 'n',
      usage: used(40, 1),
      project: NO_PROJECT,
      outcome: { is: 'invalid', trouble: { severity: 'REPLANNING', message: 'no' }, issues: [] },
    });
    return run;
  };

  test('goes on to its fallback with `partial`, and where a person says so', () => {
    const run = planningRun('partial');
    turn(run);
    turn(run);
    expect(run.state.planning?.stage).toBe('fallback');
    const asking = planningRun('ask');
    turn(asking);
    expect(questionsOf(asking)[0]?.text).toMatch(/fallback goes on/);
    say(asking, 'control', { action: 'fallback', by: 'operator' });
    turn(asking);
    expect(asking.state.planning?.stage).toBe('fallback');
  });

  test('ends the run with `stop`', () => {
    const run = planningRun('stop');
    turn(run);
    turn(run);
    expect(statusOf(run)).toMatchObject({ outcome: 'failed' });
  });
});

test('a loop ends with what there is under `partial`, and waits in its round under `ask`', () => {
  const loopRun = (onEnd: Budget['onEnd']) => {
    const run = openRun('plan-1', AT);
    run.state.options = { ...run.state.options, budget: { tokens: 10, ...(onEnd && { onEnd }) } };
    run.state.loop = { task: { goal: 'g' }, round: 0, maxRounds: 5, wrong: 0, attempts: 5, rejections: 0 };
    const [id = 0] = turn(run).begin;
    landed(run, id, {
      notes: 'n',
      usage: used(40, 1),
      project: NO_PROJECT,
      decision: { is: 'none', trouble: { severity: 'REPLANNING', message: 'prose' } },
    });
    turn(run);
    turn(run);
    return run;
  };
  expect(statusOf(loopRun('partial'))).toMatchObject({ outcome: 'partial' });
  const asking = loopRun('ask');
  expect(statusOf(asking)).toMatchObject({ loop: { round: 1 }, waitingFor: 1 });
  say(asking, 'control', { action: 'resume', by: 'operator' });
  // 20 are less than what one call took.
  expect(statusOf(asking)).toMatchObject({ loop: { round: 1 }, waitingFor: 1 });
});
