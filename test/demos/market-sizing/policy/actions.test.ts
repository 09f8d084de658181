/** Where a decision goes, what the end is called, and what is left of it. */

import { describe, expect, test } from 'vitest';
import { readAnswerSchema } from '../../../../src/capabilities/index.ts';
import { ACTIONS, answerSchema, outcomeOf } from '../../../../examples/market-sizing/policy/actions.ts';
import { askAbout, searchFor, type Decision } from '../../../../examples/market-sizing/policy/decision.ts';
import { marketPolicy } from '../../../../examples/market-sizing/policy/policy.ts';
import { csvOf, numbersOf, writeReport } from '../../../../examples/market-sizing/policy/report.ts';
import { exitsOf, policyPicture } from '../../../../src/capabilities/policy/index.ts';
import { MARKET, NORRVIK, stateWith } from './rig.ts';

const policy = marketPolicy(MARKET);
const done = stateWith({ values: { ...NORRVIK, units: '10', price: '2', size: '20' } });

describe('VentureScope: dispatch', () => {
  const calculation = { expression: 'units * price', variables: { units: '10', price: '2' }, unit: 'EUR' };
  test.each<[string, Decision, object]>([
    [
      'search',
      searchFor(done, 'units', 'Why.'),
      { name: 'searchText', arguments: { query: 'units sold', limit: 5 }, objective: 'Why.' },
    ],
    [
      'calculate',
      { action: 'calculate', calculation, reasoning: 'Why.' },
      { name: 'calculate', arguments: calculation },
    ],
    ['reflect', { action: 'reflect', note: 'Hm.', reasoning: 'Why.' }, { name: 'reflect', arguments: { note: 'Hm.' } }],
    ['ask_user', askAbout(done, 'price', 'Why.'), { name: 'ask', arguments: { question: 'Which price?' } }],
  ])('%s goes to one capability', (action, decision, step) => {
    expect(policy.actions.get(action)?.dispatch(decision, done)).toMatchObject({ is: 'capability', ...step });
  });

  test('a calculation that nothing is known of is no step, and says so', () => {
    expect(ACTIONS.calculate.dispatch({ action: 'calculate', reasoning: 'Why.' }, done)).toMatchObject({ is: 'none' });
  });

  test('an answer is a value of the field, one of several components, or that it is not known', () => {
    const read = readAnswerSchema(answerSchema(done, askAbout(done, 'price', 'Why.')));
    if (!read.ok) throw new Error(JSON.stringify(read));
    const takes = (answer: unknown) => read.problemOf(answer) === undefined;
    expect([5, { price: 5, units: 7 }, null].map(takes)).toEqual([true, true, true]);
    expect(['five', 0, {}, { weather: 1 }].map(takes)).toEqual([false, false, false, false]);
  });

  test('the picture has every node of the source by its name', () => {
    const names = policyPicture(policy)
      .match(/^ {2}(\w+)[[({]/gm)
      ?.map((one) => one.replaceAll(/\W/g, ''));
    expect(names).toEqual(
      expect.arrayContaining([
        ...['g_iter_cap', 'g_region', 'g_currency', 'enrich_schema', 'g_calc_caps', 'acquire', 'plan_llm'],
        ...['c_target_decompose', 'c_redirect_derived', 'c_redirect_web', 'c_search_cap', 'c_ask_cap', 'c_calc_adjust'],
        ...['dispatch', 'search', 'ask_user', 'calculate', 'reflect', 'finish', 'observe', 'observe_user'],
      ]),
    );
    expect(exitsOf(policy)).toEqual(
      expect.arrayContaining([
        { from: 'g_region', to: 'dispatch', label: 'decides' },
        { from: 'g_calc_caps', to: 'dispatch', label: 'decides' },
        { from: 'acquire', to: 'c_calc_adjust', label: 'decides' },
        { from: 'plan_llm', to: 'c_target_decompose' },
        { from: 'c_calc_adjust', to: 'dispatch' },
        { from: 'search', to: 'START' },
        { from: 'finish', to: 'END' },
      ]),
    );
  });
});

describe('VentureScope: finish', () => {
  test.each([
    ['the size is known', done, 'done'],
    ['the size is not known', stateWith(), 'aborted'],
    ['it was aborted before, whatever is known', { ...done, status: 'aborted' as const }, 'aborted'],
  ])('%s', (_, state, outcome) => {
    expect(outcomeOf(state)).toBe(outcome);
    expect(ACTIONS.finish.dispatch({ action: 'finish', reasoning: 'Why.' }, state)).toMatchObject({
      is: 'finish',
      outcome,
    });
  });

  test('is the only action that ends', () => {
    expect([...policy.actions].filter(([, { ends }]) => ends).map(([name]) => name)).toEqual(['finish']);
  });

  test('leaves a memo with a source for every number', () => {
    const { memo } = writeReport(done, 'The size is calculated.', 'done') as { memo: string };
    expect(memo.split('\n')).toEqual([
      'Size, Norrvik: 20 EUR',
      '',
      '[1] Region: Norrvik (person: asked in this run)',
      '[2] Currency: EUR (person: asked in this run)',
      '[3] Units sold: 10 (person: asked in this run)',
      '[4] Price: 2 EUR (person: asked in this run)',
      '[5] Size: 20 EUR (person: asked in this run)',
      '',
      'The size is calculated.',
    ]);
  });

  test('and says what is missing and what is not settled', () => {
    const state = stateWith({ tasks: [{ field: 'units', why: 'two pages disagree' }] });
    const { memo } = writeReport(state, 'Given up.', 'aborted') as { memo: string };
    expect(memo).toContain('Size, Norrvik: not known');
    expect(memo).toContain('Missing: units, price.');
    expect(memo).toContain('- units: two pages disagree');
  });

  test.each([
    ['a, b', '"a, b"'],
    ['say "a"', '"say ""a"""'],
    ['a\nb', '"a\nb"'],
    ['=1+1', "'=1+1"],
    ['-4', '-4'],
  ])('a cell of the CSV: %j', (title, cell) => {
    const [number] = numbersOf(done);
    const [, row = ''] = csvOf([{ ...number!, title }]).split('\r\n');
    expect(row).toBe(`core.region,${cell},Norrvik,,person,asked in this run`);
  });
});
