/** The observers: what pages and people say is checked before it is believed, and what came of it is counted. */

import { describe, expect, test } from 'vitest';
import type { AskUser, Decision } from '../../../../examples/market-sizing/policy/decision.ts';
import { validValue } from '../../../../examples/market-sizing/policy/figures.ts';
import {
  observe,
  observeUser,
  OBSERVERS,
  takeCalculation,
  takeNote,
  tally,
} from '../../../../examples/market-sizing/policy/observe.ts';
import { marketPolicy } from '../../../../examples/market-sizing/policy/policy.ts';
import type { Field, State } from '../../../../examples/market-sizing/policy/state.ts';
import type { JsonValue } from '../../../../src/plan/index.ts';
import { type Happened } from '../../../../src/capabilities/policy/index.ts';
import { runRound } from '../../../../src/planner/index.ts';
import { aroundWith, FIELDS, MARKET, NO_HITS, NORRVIK, page, PRICE, stateWith, visitsOf } from './rig.ts';

const search: Decision = {
  action: 'search',
  field: 'size',
  component: 'units',
  query: 'units sold',
  reasoning: 'Why.',
};
const ask: AskUser = {
  action: 'ask_user',
  field: 'size',
  component: 'price',
  question: 'Which?',
  reasoning: 'Why.',
  suggestedAnswers: [],
};
const came = (decision: Decision, result: JsonValue): Happened<Decision> => ({
  round: 1,
  decision,
  status: 'succeeded',
  results: { step_1: result },
});
const failed = (decision: Decision, status: string, message?: string): Happened<Decision> => ({
  ...{ round: 1, decision, status, results: {} },
  ...(message !== undefined && { message }),
});
const after = (state: State, patch: Partial<State>): State => ({ ...state, ...patch });
const valueOf = (state: State, name: string) => state.schema.fields[name]?.value;

describe('VentureScope: observe', () => {
  const seen = (result: JsonValue, state = stateWith()) => after(state, observe.run(state, came(search, result)));

  test.each([
    ['hits', page('Units sold: 1,200'), true],
    ['no hits: the next round', NO_HITS, false],
    ['something else than hits', 'nothing', false],
  ])('takes in %s', (_, result, takes) => expect(observe.when?.(came(search, result), stateWith())).toBe(takes));

  test('a hit with the figure becomes evidence, and the value with its source', () => {
    const state = seen(page('Units sold in Norrvik (2025): 1,200 a year'));
    const source = {
      is: 'page',
      id: 'page.md:3',
      title: 'Norrvik',
      quote: 'Units sold in Norrvik (2025): 1,200 a year',
    };
    expect(state.evidence).toEqual([{ field: 'units', value: '1200', source }]);
    expect(state.schema.fields['units']).toMatchObject({ value: '1200', source, partOf: 'size' });
    expect([state.tasks, state.notes]).toEqual([[], []]);
  });

  test('the same place is evidence once', () => {
    const once = seen(page('Units sold: 1,200'));
    expect(seen(page('Units sold: 1,200'), once).evidence).toHaveLength(1);
  });

  test('another figure does not replace the first: it opens a task', () => {
    const once = seen(page('Units sold: 1,200'));
    const twice = seen(page('Units sold: 900', 'other.md:1'), once);
    expect(valueOf(twice, 'units')).toBe('1200');
    expect(twice.evidence).toHaveLength(2);
    expect(twice.tasks).toEqual([{ field: 'units', why: '1200 is taken, and other.md:1 says 900' }]);
  });

  test.each([
    ['a page about another region', page('Units sold: 1,200', 'p:1', 'Sydmark'), 'does not name "Norrvik"'],
    ['a number out of its range', page('Units sold: -4'), 'at least 0'],
    ['words in the place of a number', page('Units sold: many'), 'a decimal number'],
    ['a page that does not tell it', page('Weather: 12'), 'Of 1 pages for "units sold" none tells units.'],
  ])('%s is no evidence, and the note says why', (_, result, why) => {
    const state = seen(result);
    expect([valueOf(state, 'units'), state.evidence]).toEqual([undefined, []]);
    expect(state.notes.join()).toContain(why);
  });

  test.each([
    ['4 %', '4'],
    ['4.5% a year', '4.5'],
    ['4', undefined],
    ['4 percent', undefined],
  ])('a percentage written as %j', (written, value) => {
    const about: Decision = { action: 'search', field: 'growth', query: 'growth', reasoning: 'Why.' };
    const state = stateWith();
    expect(valueOf(after(state, observe.run(state, came(about, page(`Growth: ${written}`)))), 'growth')).toBe(value);
  });

  test.each([
    ['EUR 540', '540'],
    ['540 EUR', '540'],
    ['540 EURO', undefined],
    ['USD 540', undefined],
  ])('a price written as %j where the currency is EUR', (written, value) => {
    const about: Decision = { action: 'search', field: 'size', component: 'price', query: 'price', reasoning: 'Why.' };
    const state = stateWith();
    expect(valueOf(after(state, observe.run(state, came(about, page(`Price: ${written}`)))), 'price')).toBe(value);
  });

  test('VentureScope: observe: without hits the round goes on', async () => {
    const { visits } = await runRound(marketPolicy(MARKET), {
      round: 2,
      state: stateWith(),
      happened: came(search, NO_HITS),
      around: aroundWith(),
    });
    expect(visitsOf(visits).slice(1, 3)).toEqual(['tally wrote', 'observe passed']);
  });
});

describe('VentureScope: observe_user', () => {
  const heard = (answer: JsonValue, decision: AskUser = ask, state = stateWith()) =>
    after(state, observeUser.run(state, came(decision, answer)));

  test('an answer fills the component that was asked about', () => {
    expect(heard(5).schema.fields['price']).toMatchObject({ value: '5', source: { is: 'person' } });
  });

  test('one answer fills several components', () => {
    const state = heard({ price: '5.50', units: 1200 });
    expect([valueOf(state, 'price'), valueOf(state, 'units')]).toEqual(['5.50', '1200']);
  });

  test('of several values the valid ones are merged, and the note says what was wrong with the others', () => {
    const state = heard({ price: 20_000, units: 7, weather: 'fine', growth: 4 });
    expect([valueOf(state, 'price'), valueOf(state, 'units'), valueOf(state, 'growth')]).toEqual([
      undefined,
      '7',
      undefined,
    ]);
    expect(state.notes).toEqual([
      'The answer is not taken. Price: expected at most 10000, got number 20000.',
      'The answer names "weather", which was not asked; expected price, size, units.',
      'The answer names "growth", which was not asked; expected price, size, units.',
    ]);
  });

  test.each([
    ['the person does not know', came(ask, null), 'The person does not know price.'],
    [
      'nobody answered',
      failed(ask, 'failed', 'no answer in time'),
      'The question about price ended as failed: no answer in time.',
    ],
    ['the question was refused', failed(ask, 'rejected'), 'The question about price ended as rejected.'],
  ])('%s: nothing is merged', (_, happened, note) => {
    const state = stateWith();
    expect(observeUser.run(state, happened)).toEqual({ notes: [note] });
  });

  test('what a person says of a figure stands in its place, is noted, and settles its task', () => {
    const state = stateWith({
      values: { ...NORRVIK, price: '4' },
      tasks: [
        { field: 'price', why: 'two' },
        { field: 'units', why: 'two' },
      ],
    });
    const told = heard(5, ask, state);
    expect([valueOf(told, 'price'), told.notes, told.tasks]).toEqual([
      '5',
      ['price was 4; the person says 5.'],
      [{ field: 'units', why: 'two' }],
    ]);
  });

  test.each([
    ['EUR', 'EUR'],
    [' EUR ', 'EUR'],
    ['euro', undefined],
    ['', undefined],
    [7, undefined],
  ])('the currency %j', (answer, value) => {
    const core: AskUser = {
      action: 'ask_user',
      field: 'core.currency',
      question: '?',
      reasoning: 'Why.',
      suggestedAnswers: [],
    };
    expect(valueOf(heard(answer, core, stateWith({ values: {} })), 'core.currency')).toBe(value);
  });
});

describe('attempts per field are counted apart from iterations', () => {
  test.each([
    ['a search', came(search, NO_HITS), { searches: { units: 1 }, asks: {} }],
    ['a search that failed', failed(search, 'failed'), { searches: { units: 1 }, asks: {} }],
    ['a question', came(ask, 5), { searches: {}, asks: { price: 1 } }],
    ['a question that was refused', failed(ask, 'rejected'), { searches: {}, asks: { price: 1 } }],
  ])('%s', (_, happened, attempts) => expect(tally.run(stateWith(), happened)).toEqual({ attempts }));

  test('the count goes on', () => {
    expect(tally.run(stateWith({ searches: { units: 2, growth: 1 } }), came(search, NO_HITS))).toEqual({
      attempts: { searches: { units: 3, growth: 1 }, asks: {} },
    });
  });

  test('no observer writes iterations', () =>
    expect(OBSERVERS.flatMap(({ writes }) => writes)).not.toContain('iterations'));
});

describe('VentureScope: calculate', () => {
  const calculate: Decision = { action: 'calculate', reasoning: 'Why.' };
  test('the number is the value of the target', () => {
    const state = stateWith({ tasks: [{ field: 'size', why: 'failed' }] });
    const taken = after(
      state,
      takeCalculation.run(state, came(calculate, { value: '20', expression: 'units * price' })),
    );
    expect([taken.calculation, valueOf(taken, 'size'), taken.tasks]).toEqual([{ failures: 0, value: '20' }, '20', []]);
  });
  test.each([
    ['failed', failed(calculate, 'failed', 'division by zero'), 'The calculation ended as failed: division by zero.'],
    ['gave no number', came(calculate, 'many'), 'The calculation gave "many".'],
  ])('one that %s is counted, and is the work of the model', (_, happened, why) => {
    const taken = takeCalculation.run(stateWith({ calculation: { failures: 1 } }), happened);
    expect(taken).toEqual({ calculation: { failures: 2 }, tasks: [{ field: 'size', why }], notes: [why] });
  });
});

describe('VentureScope: reflect', () => {
  const tasks = [{ field: 'units', why: 'two' }];
  test.each<[string, Decision, Partial<State>]>([
    ['appends a note', { action: 'reflect', note: 'Hm.', reasoning: 'Why.' }, { notes: ['Hm.'] }],
    [
      'and settles the task that it is about',
      { action: 'reflect', note: 'Hm.', field: 'units', reasoning: 'Why.' },
      { notes: ['Hm.'], tasks: [] },
    ],
  ])('%s', (_, decision, patch) => expect(takeNote.run(stateWith({ tasks }), came(decision, 'Hm.'))).toEqual(patch));

  test('by evidence that was found, which is the value from then on', () => {
    const about = (value: string, id: string) =>
      ({ field: 'units', value, source: { is: 'page', id, title: 't', quote: value } }) as const;
    const state = stateWith({ values: { ...NORRVIK, units: '1' }, evidence: [about('1', 'a:1'), about('2', 'b:1')] });
    const settles = (evidence: string): Decision => ({
      action: 'reflect',
      note: 'Hm.',
      field: 'units',
      evidence,
      reasoning: 'Why.',
    });
    const settled = after(state, takeNote.run(state, came(settles('b:1'), 'Hm.')));
    expect(settled.schema.fields['units']).toMatchObject({ value: '2', source: { is: 'page', id: 'b:1' } });
    expect(valueOf(after(state, takeNote.run(state, came(settles('c:1'), 'Hm.'))), 'units')).toBe('1');
  });

  test('the last 50 notes are kept', () => {
    const notes = Array.from({ length: 50 }, (_, at) => `${at}`);
    const kept = takeNote.run(stateWith({ notes }), came({ action: 'reflect', note: 'Hm.', reasoning: '' }, '')).notes;
    expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([50, '1', 'Hm.']);
  });
});

describe('a value is checked against its field', () => {
  const word: Field = { kind: 'text', prefer: 'user', title: 'Word' };
  test.each<[Field, unknown, string | undefined]>([
    [PRICE, '1,234.50', '1234.50'],
    [PRICE, 12.5, '12.5'],
    [PRICE, '12,5', undefined],
    [PRICE, '0.5', undefined],
    [PRICE, Number.NaN, undefined],
    [PRICE, true, undefined],
    [PRICE, '1e3', undefined],
    [word, ' Norrvik ', 'Norrvik'],
    [word, 'x'.repeat(201), undefined],
    [FIELDS['core.currency']!, 'EURO', undefined],
  ])('%o %j', (field, given, value) => {
    const valued = validValue(field, given);
    expect(valued.ok ? valued.value : undefined).toBe(value);
  });
});
