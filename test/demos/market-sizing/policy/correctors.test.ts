/** The correctors: when each has something to correct, and what it makes of it. */

import { describe, expect, test } from 'vitest';
import { DEFAULT_CAPS } from '../../../../examples/market-sizing/policy/caps.ts';
import {
  isDirectOnDerived,
  isForComposite,
  isOverAskCap,
  isOverSearchCap,
  isPrematureAsk,
  needsCalcAdjust,
} from '../../../../examples/market-sizing/policy/correctors.ts';
import type { Decision } from '../../../../examples/market-sizing/policy/decision.ts';
import { recipeOf } from '../../../../examples/market-sizing/policy/recipe.ts';
import { marketPolicy } from '../../../../examples/market-sizing/policy/policy.ts';
import type { Field, State } from '../../../../examples/market-sizing/policy/state.ts';
import { aroundWith, FIELDS, MARKET, NORRVIK, stageOf, stateWith } from './rig.ts';

const caps = DEFAULT_CAPS;
const why = { reasoning: 'Why.' };
const searchOf = (field: string, component?: string): Decision => ({
  ...{ action: 'search', field, query: 'words', ...why },
  ...(component !== undefined && { component }),
});
const askOf = (field: string, component?: string): Decision => ({
  ...{ action: 'ask_user', field, question: 'What?', suggestedAnswers: [], ...why },
  ...(component !== undefined && { component }),
});
const finish: Decision = { action: 'finish', ...why };
const reflect: Decision = { action: 'reflect', note: 'Hm.', ...why };
const calculate: Decision = { action: 'calculate', ...why };

async function corrected(
  name: string,
  state: State,
  decision: Decision,
  replies: Readonly<Record<string, unknown>> = {},
) {
  const made = await stageOf('correct', name).run(state, decision, aroundWith(replies));
  return made?.decision ?? 'stays';
}
const withRecipe = (state: State): State => {
  const recipe = recipeOf(state);
  return { ...state, schema: { ...state.schema, ...(recipe !== undefined && { recipe }) } };
};

describe('the correctors', () => {
  const list = marketPolicy(MARKET).stages.filter((stage) => stage.kind === 'correct');
  test('stand in the order of the source, and one alone writes', () => {
    expect(list.map(({ name, writes = [] }) => [name, ...writes])).toEqual([
      ['c_target_decompose', 'dynamicDecompositions'],
      ['c_redirect_derived'],
      ['c_redirect_web'],
      ['c_search_cap'],
      ['c_ask_cap'],
      ['c_calc_adjust'],
    ]);
  });
  test('correct what the model decides; the last one what the selector decides as well', () => {
    expect(list.map(({ origins }) => origins)).toEqual([
      ...Array.from({ length: 5 }, () => ['model']),
      ['select', 'model'],
    ]);
  });
});

describe('VentureScope: c_target_decompose', () => {
  const rivals: Field = { kind: 'number', prefer: 'web', title: 'Sales of rivals', derived: true };
  const state = stateWith({ fields: { ...FIELDS, rivals } });
  const split = {
    expression: 'shops * sold',
    components: [
      { name: 'shops', title: 'Shops', prefer: 'web' },
      { name: 'sold', title: 'Sold', prefer: 'user' },
    ],
  };

  test.each([
    ['a search for a composite field', searchOf('rivals'), true],
    ['a question about one', askOf('rivals'), true],
    ['a field that is found as it is', searchOf('growth'), false],
    ['a derived field that is taken apart already', searchOf('size'), false],
    ['a decision about no field', finish, false],
    ['a reflection on a composite field', { ...reflect, field: 'rivals' }, false],
  ])('%s: %s', (_, decision, is) => expect(isForComposite(state, decision)).toBe(is));

  test('writes what it is made from, and leaves the decision to the next', async () => {
    const stage = stageOf('correct', 'c_target_decompose');
    const made = await stage.run(state, searchOf('rivals'), aroundWith({ 'decompose.rivals': split }));
    expect(made).toEqual({
      state: { dynamicDecompositions: { rivals: expect.objectContaining({ expression: 'shops * sold' }) } },
    });
    const after = { ...state, ...made?.state };
    expect(await corrected('c_redirect_derived', after, searchOf('rivals'))).toMatchObject({
      field: 'rivals',
      component: 'shops',
    });
  });

  test('where there is none it is not asked for again, and the search goes on as it is', async () => {
    const stage = stageOf('correct', 'c_target_decompose');
    const made = await stage.run(state, searchOf('rivals'), aroundWith({ 'decompose.rivals': { none: 'no' } }));
    const after = { ...state, ...made?.state };
    expect([
      isForComposite(after, searchOf('rivals')),
      await corrected('c_redirect_derived', after, searchOf('rivals')),
    ]).toEqual([false, 'stays']);
  });
});

describe('VentureScope: c_redirect_derived', () => {
  test.each([
    ['direct on a derived field', searchOf('size'), true],
    ['on a component of it', searchOf('size', 'units'), false],
    ['on a field of its own', searchOf('growth'), false],
    ['a reflection', reflect, false],
  ])('%s: %s', (_, decision, is) => expect(isDirectOnDerived(stateWith(), decision)).toBe(is));

  test.each<[string, State, Decision, object]>([
    [
      'a search goes to the first component that is missing',
      stateWith(),
      searchOf('size'),
      { action: 'search', component: 'units', query: 'units sold' },
    ],
    [
      'a question as well',
      stateWith(),
      askOf('size'),
      { action: 'ask_user', component: 'units', question: 'How many units?' },
    ],
    [
      'to the next one where the first is known',
      stateWith({ values: { ...NORRVIK, units: '1' } }),
      askOf('size'),
      { action: 'ask_user', component: 'price', question: 'Which price?' },
    ],
    [
      'past one of which every attempt is used up',
      stateWith({ searches: { units: 3 }, asks: { units: 2 } }),
      askOf('size'),
      { component: 'price' },
    ],
  ])('%s', async (_, state, decision, becomes) => {
    expect(await corrected('c_redirect_derived', state, decision)).toMatchObject({ field: 'size', ...becomes });
  });

  test('where nothing is left to look for: calculate what is ready, reflect on what is not', async () => {
    const ready = stateWith({ values: { ...NORRVIK, units: '1', price: '2' } });
    const { fields } = ready.schema;
    const composed = {
      ...ready,
      schema: { ...ready.schema, fields: { ...fields, size: { ...fields['size']!, composed: 'units * price' } } },
    };
    expect(await corrected('c_redirect_derived', composed, searchOf('size'))).toMatchObject({ action: 'calculate' });
    const lost = stateWith({ searches: { units: 3, price: 3 }, asks: { units: 2, price: 2 } });
    expect(await corrected('c_redirect_derived', lost, searchOf('size'))).toMatchObject({ action: 'reflect' });
  });
});

describe('VentureScope: c_redirect_web', () => {
  test.each([
    ['a question about a web field before any search', askOf('size', 'units'), {}, true],
    ['after a search', askOf('size', 'units'), { units: 1 }, false],
    ['about what the person knows', askOf('size', 'price'), {}, false],
    ['a search', searchOf('size', 'units'), {}, false],
  ])('%s: %s', async (_, decision, searches, is) => {
    const state = stateWith({ searches });
    expect(isPrematureAsk(state, decision)).toBe(is);
    const becomes = await corrected('c_redirect_web', state, decision);
    if (is) expect(becomes).toMatchObject({ action: 'search', field: 'size', component: 'units', query: 'units sold' });
    else expect(becomes).toBe('stays');
  });
});

describe('VentureScope: c_search_cap', () => {
  test.each<[string, number, number, Decision, boolean, object | 'stays']>([
    ['two of three searches are used', 2, 0, searchOf('growth'), false, 'stays'],
    [
      'all are used, and it may be asked about',
      3,
      1,
      searchOf('growth'),
      true,
      { action: 'ask_user', field: 'growth' },
    ],
    ['all are used, and so are the questions', 3, 2, searchOf('growth'), true, { action: 'reflect' }],
    ['a question is not its business', 3, 0, askOf('growth'), false, 'stays'],
    ['another field has its own count', 3, 0, searchOf('size', 'units'), false, 'stays'],
  ])('%s', async (_, searches, asks, decision, is, becomes) => {
    const state = stateWith({ searches: { growth: searches }, asks: { growth: asks } });
    expect(isOverSearchCap(state, decision, caps)).toBe(is);
    const made = await corrected('c_search_cap', state, decision);
    if (becomes === 'stays') expect(made).toBe('stays');
    else expect(made).toMatchObject(becomes);
  });
});

describe('VentureScope: c_ask_cap', () => {
  test.each<[string, number, Decision, boolean]>([
    ['one of two questions is used', 1, askOf('growth'), false],
    ['both are used', 2, askOf('growth'), true],
    ['a search is not its business', 2, searchOf('growth'), false],
    ['another field has its own count', 2, askOf('size', 'price'), false],
  ])('%s', async (_, asks, decision, is) => {
    const state = stateWith({ asks: { growth: asks } });
    expect(isOverAskCap(state, decision, caps)).toBe(is);
    const made = await corrected('c_ask_cap', state, decision);
    if (is) expect(made).toMatchObject({ action: 'finish' });
    else expect(made).toBe('stays');
  });
});

describe('VentureScope: c_calc_adjust', () => {
  const pending = withRecipe(stateWith({ values: { ...NORRVIK, units: '10', price: '2' } }));
  const blocked = withRecipe(stateWith({ values: { ...NORRVIK, units: '10' } }));
  const used = { searches: { price: 3 }, asks: { price: 2 }, dynamicDecompositions: { price: { none: 'no' } } };
  const hopeless = withRecipe(stateWith({ values: { ...NORRVIK, units: '10' }, ...used }));
  const { decomposition: _, ...size } = FIELDS['size']!;
  const none = stateWith({ fields: { ...FIELDS, size } });
  const calculation = { expression: 'units * price', variables: { units: '10', price: '2' }, unit: 'EUR' };

  test.each<[string, State, Decision, Decision | { action: string }]>([
    ['finish while a calculation is pending: calculate', pending, finish, { action: 'calculate', calculation, ...why }],
    ['calculate while it is pending: by the recipe', pending, calculate, { action: 'calculate', calculation, ...why }],
    [
      'finish while it is blocked: reflect',
      blocked,
      finish,
      { action: 'reflect', note: 'The calculation waits for price.', ...why },
    ],
    [
      'calculate while it is blocked: reflect',
      blocked,
      calculate,
      { action: 'reflect', note: 'The calculation waits for price.', ...why },
    ],
    ['finish while nothing can unblock it: finish', hopeless, finish, finish],
    ['finish without a recipe: finish', none, finish, finish],
    ['finish after it succeeded: finish', { ...pending, calculation: { failures: 0, value: '20' } }, finish, finish],
  ])('%s', async (_name, state, decision, becomes) => {
    expect(await corrected('c_calc_adjust', state, decision)).toEqual(becomes);
  });

  test.each([
    ['a finish', finish, false, true],
    ['a finish of a model that failed: skipped', finish, true, false],
    ['a calculation', calculate, false, true],
    ['a search', searchOf('growth'), false, false],
    ['a reflection', reflect, false, false],
  ])('%s', async (_name, decision, llmFailed, is) => {
    const state = { ...pending, llmFailed };
    expect(needsCalcAdjust(state, decision)).toBe(is);
    if (!is) expect(await corrected('c_calc_adjust', state, decision)).toBe('stays');
  });
});
