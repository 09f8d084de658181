/** The gates and the tick: predicates apart from what they decide. */

import { describe, expect, test } from 'vitest';
import { DEFAULT_CAPS, readCaps } from '../../../../examples/market-sizing/policy/caps.ts';
import {
  hasCalculated,
  isAborted,
  isCalculatorCapReached,
  isIterationCapReached,
  needsCurrency,
  needsRegion,
} from '../../../../examples/market-sizing/policy/gates.ts';
import { marketPolicy } from '../../../../examples/market-sizing/policy/policy.ts';
import { runRound } from '../../../../src/planner/index.ts';
import { aroundWith, MARKET, NORRVIK, stageOf, stateWith, visitsOf } from './rig.ts';

const around = aroundWith();
const caps = DEFAULT_CAPS;

describe('VentureScope: tick', () => {
  test('alone counts the rounds, and forgets that the model failed', () => {
    const { tick } = marketPolicy(MARKET);
    const state = stateWith({ iterations: 4, llmFailed: true });
    expect(tick?.run(state, 9)).toEqual({ iterations: 5, llmFailed: false });
    expect(tick?.writes).toEqual(['iterations', 'llmFailed']);
    const writers = marketPolicy(MARKET).stages.filter(({ writes = [] }) => writes.includes('iterations'));
    expect(writers).toEqual([]);
  });
});

describe('VentureScope: g_iter_cap', () => {
  test.each([
    [29, false],
    [30, false],
    [31, true],
  ])('after %i rounds the cap of 30 is reached: %s', (iterations, reached) => {
    expect(isIterationCapReached(stateWith({ iterations }), caps)).toBe(reached);
  });

  test.each([
    ['running', false, false],
    ['aborted', true, true],
  ] as const)('a planning that is %s: %s', (status, aborted, decides) => {
    const state = stateWith({ status, iterations: 1 });
    expect([isAborted(state), stageOf('gate', 'g_iter_cap').when(state, around)]).toEqual([aborted, decides]);
  });

  test('ends the round before the region is asked for, as aborted', async () => {
    const state = stateWith({ values: {}, iterations: 30 });
    const made = await runRound(marketPolicy(MARKET), { round: 31, state, around });
    expect(visitsOf(made.visits).slice(0, 2)).toEqual(['tick wrote', 'g_iter_cap decided']);
    expect([made.decision.action, made.state.status]).toEqual(['finish', 'aborted']);
  });

  test('an aborted planning ends whatever else would be decided', async () => {
    const state = stateWith({ values: {}, status: 'aborted' });
    const made = await runRound(marketPolicy(MARKET), { round: 2, state, around });
    expect([made.decider, made.decision.action]).toEqual(['g_iter_cap', 'finish']);
  });
});

describe.each([
  ['VentureScope: g_region', 'g_region', 'core.region', needsRegion, { 'core.currency': 'EUR' }],
  ['VentureScope: g_currency', 'g_currency', 'core.currency', needsCurrency, { 'core.region': 'Norrvik' }],
] as const)('%s', (_, gate, field, needs, without) => {
  test.each([
    ['missing, and never asked', 0, true],
    ['missing, and asked once', 1, true],
    ['missing, and its attempts are exhausted: passes', 2, false],
  ])('%s', (_name, asked, decides) => {
    const state = stateWith({ values: without, asks: { [field]: asked } });
    expect([needs(state, caps), stageOf('gate', gate).when(state, around)]).toEqual([decides, decides]);
  });

  test('present: passes', () => expect(needs(stateWith({ values: NORRVIK }), caps)).toBe(false));

  test('asks for exactly that field', () => {
    const decision = stageOf('gate', gate).decide(stateWith({ values: {} }), around);
    expect(decision).toMatchObject({ action: 'ask_user', field, suggestedAnswers: [] });
    expect(decision).toHaveProperty('question');
    expect(decision).toHaveProperty('reasoning');
  });

  test('missing means no enrichment and no call of the model', async () => {
    const asked: string[] = [];
    const made = await runRound(marketPolicy(MARKET), {
      round: 1,
      state: stateWith({ values: without }),
      around: aroundWith({}, asked),
    });
    expect([made.decider, asked]).toEqual([gate, []]);
    expect(made.visits.map(({ stage }) => stage)).not.toContain('enrich_schema');
  });
});

test('VentureScope: g_region comes before g_currency', async () => {
  const { decider } = await runRound(marketPolicy(MARKET), { round: 1, around });
  expect(decider).toBe('g_region');
});

test('VentureScope: g_currency comes after g_region, and before the enrichment', async () => {
  const state = stateWith({ values: { 'core.region': 'Norrvik' } });
  const { decider, visits } = await runRound(marketPolicy(MARKET), { round: 2, state, around });
  expect([decider, visitsOf(visits)[2]]).toEqual(['g_currency', 'g_region passed']);
});

describe('VentureScope: g_calc_caps', () => {
  test.each([
    ['nothing was calculated', { failures: 0 }, false, false, undefined],
    ['two of three failed', { failures: 2 }, false, false, undefined],
    ['all three failed: finish, aborted', { failures: 3 }, true, false, 'aborted'],
    ['it succeeded: finish, still running', { failures: 0, value: '9' }, false, true, 'running'],
    ['it succeeded at the last try: a success, no cap', { failures: 3, value: '9' }, false, true, 'running'],
  ] as const)('%s', (_, calculation, capped, succeeded, status) => {
    const state = stateWith({ calculation });
    expect([isCalculatorCapReached(state, caps), hasCalculated(state)]).toEqual([capped, succeeded]);
    const gate = stageOf('gate', 'g_calc_caps');
    expect(gate.when(state, around)).toBe(status !== undefined);
    if (status === undefined) return;
    expect(gate.decide(state, around).action).toBe('finish');
    expect(gate.write?.(state, around)).toEqual({ status });
  });

  test('stands behind the enrichment', async () => {
    const state = stateWith({ calculation: { failures: 3 } });
    const made = await runRound(marketPolicy(MARKET), { round: 5, state, around });
    expect(visitsOf(made.visits).slice(4, 6)).toEqual(['enrich_schema wrote', 'g_calc_caps decided']);
  });
});

describe('caps are configuration', () => {
  test('defaults are filled in', () => expect(readCaps({ asks: 1 })).toEqual({ ...DEFAULT_CAPS, asks: 1 }));
  test.each<[object, RegExp]>([
    [{ asks: 0 }, /caps\.asks: expected a whole number from 1 to 1000, got number 0/],
    [{ iterations: 1.5, searches: '3' as unknown as number }, /caps\.iterations: .*\n?.*caps\.searches: /s],
    [{ rounds: 3 }, /caps\.rounds: there is no such cap; there are iterations/],
  ])('%j is refused', (given, message) => {
    expect(() => readCaps(given)).toThrow(message);
    expect(() => marketPolicy({ ...MARKET, caps: given })).toThrow(RangeError);
  });

  test('a gate holds to the cap that is set', () => {
    const state = stateWith({ values: {}, asks: { 'core.region': 2 } });
    expect(stageOf('gate', 'g_region', { coreAsks: 3 }).when(state, around)).toBe(true);
  });
});

describe('a market that is refused', () => {
  test.each([
    ['without a region', { ...MARKET, fields: { size: MARKET.fields['size'] as never } }, /there is no "core\.region"/],
    ['without its target', { ...MARKET, target: 'volume' }, /there is no "volume"/],
    [
      'with a name that no expression can have',
      { ...MARKET, fields: { ...MARKET.fields, 'a b': MARKET.fields['growth'] as never } },
      /got "a b"/,
    ],
  ])('%s', (_, market, message) => expect(() => marketPolicy(market)).toThrow(message));
});
