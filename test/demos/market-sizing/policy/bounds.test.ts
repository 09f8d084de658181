/** One beyond each bound of the market's policy: docs/bounds.md says what happens then. */

import { expect, test } from 'vitest';
import { DEFAULT_CAPS, readCaps } from '../../../../examples/market-sizing/policy/caps.ts';
import { ACTIONS } from '../../../../examples/market-sizing/policy/actions.ts';
import {
  decompose,
  DECOMPOSITIONS_PER_STAGE,
  readDecomposition,
} from '../../../../examples/market-sizing/policy/decompose.ts';
import { mayAsk, maySearch } from '../../../../examples/market-sizing/policy/fields.ts';
import { validValue } from '../../../../examples/market-sizing/policy/figures.ts';
import { observe, OBSERVERS } from '../../../../examples/market-sizing/policy/observe.ts';
import { readDecision } from '../../../../examples/market-sizing/policy/plan-llm.ts';
import type { Around } from '../../../../examples/market-sizing/policy/stages.ts';
import type { Field } from '../../../../examples/market-sizing/policy/state.ts';
import { aroundWith, FIELDS, page, REFUSAL, stageOf, stateWith } from './rig.ts';

const long = (length: number) => 'x'.repeat(length);

test('a cap of 1001 is refused', () => {
  expect(readCaps({ asks: 1000 })).toMatchObject({ asks: 1000 });
  expect(() => readCaps({ asks: 1001 })).toThrow('from 1 to 1000');
});

test('a field is searched for 3 times, and asked about twice', () => {
  const after = (times: number) =>
    stateWith({ searches: { units: times }, asks: { price: times, 'core.region': times } });
  expect([2, 3].map((times) => maySearch(after(times), 'units', DEFAULT_CAPS))).toEqual([true, false]);
  expect([1, 2].map((times) => mayAsk(after(times), 'price', DEFAULT_CAPS))).toEqual([true, false]);
  expect([1, 2].map((times) => mayAsk(after(times), 'core.region', DEFAULT_CAPS))).toEqual([true, false]);
});

test.each<[string, number, (more: number) => object]>([
  ['components', 6, (count) => ({ expression: names(count).join('+'), components: names(count).map(component) })],
  [
    'characters of an expression',
    500,
    (length) => ({ expression: `a+b${' '.repeat(length - 3)}`, components: ['a', 'b'].map(component) }),
  ],
  [
    'characters of a text',
    200,
    (length) => ({ expression: 'a+b', components: [component('a'), { ...component('b'), title: long(length) }] }),
  ],
])('a decomposition with more %s than %i is none', (_, most, reply) => {
  expect(readDecomposition(stateWith(), 'size', reply(most))).not.toHaveProperty('none');
  expect(readDecomposition(stateWith(), 'size', reply(most + 1))).toHaveProperty('none');
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `part_${at}`);
}
function component(name: string) {
  return { name, title: name, prefer: 'web' };
}

test('a decomposition that would make 61 fields is none', () => {
  const own = Object.keys(stateWith().schema.fields).length;
  const more = (count: number) =>
    stateWith({
      fields: {
        ...FIELDS,
        ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`more_${at}`, FIELDS['growth']!])),
      },
    });
  const reply = { expression: 'a+b', components: ['a', 'b'].map(component) };
  expect(readDecomposition(more(60 - own - 2), 'size', reply)).not.toHaveProperty('none');
  expect(readDecomposition(more(60 - own - 1), 'size', reply)).toEqual({
    none: 'size: a market has at most 60 fields',
  });
});

test('of 4 fields a stage of a round takes 3 apart', async () => {
  const derived: Field = { kind: 'number', prefer: 'web', title: 'Part', derived: true };
  const parts = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, derived]));
  const fields = {
    ...FIELDS,
    size: { ...FIELDS['size']!, decomposition: { expression: 'a+b+c+d', components: parts } },
  };
  const asked: string[] = [];
  const replies = Object.fromEntries(Object.keys(parts).map((name) => [`decompose.${name}`, { none: 'no' }]));
  await stageOf('enrich', 'enrich_schema').run(stateWith({ fields }), aroundWith(replies, asked));
  expect([asked.length, DECOMPOSITIONS_PER_STAGE]).toEqual([3, 3]);
});

test('a goal of 20,001 characters is cut, where a decomposition and where a decision is asked for', async () => {
  const asked: string[] = [];
  const around: Around = {
    task: { goal: long(20_001), inputs: [] },
    ask(_, request) {
      asked.push(JSON.stringify(request));
      return Promise.reject(REFUSAL);
    },
  };
  await decompose(stateWith(), 'size', around);
  const evidence = Array.from({ length: 200 }, () => ({
    field: 'units',
    value: long(200),
    quote: 'q',
    source: { is: 'page', id: 'p' },
  }));
  await stageOf('decide', 'plan_llm').run(stateWith({ evidence } as never), around);
  expect(asked).toHaveLength(2);
  for (const one of asked) expect(one).toContain('20000 of 20001 characters');
  expect(asked[1]).toMatch(/30000 of \d+ characters/);
});

test('a decision with a text of 1001 characters, or 11 suggestions, becomes a note', () => {
  const read = (over: object) =>
    readDecision(stateWith(), { action: 'ask_user', field: 'price', question: 'Which?', reasoning: 'Why.', ...over })
      .action;
  expect([read({ question: long(1000) }), read({ question: long(1001) })]).toEqual(['ask_user', 'reflect']);
  const suggestions = (count: number) => ({ suggestedAnswers: names(count) });
  expect([read(suggestions(10)), read(suggestions(11))]).toEqual(['ask_user', 'reflect']);
});

test('a search asks for 5 pages', () => {
  const decision = { action: 'search', field: 'units', query: 'units sold', reasoning: 'Why.' } as const;
  expect(ACTIONS.search.dispatch(decision, stateWith())).toMatchObject({ arguments: { limit: 5 } });
});

test('a text as a value has 200 characters', () => {
  const field = FIELDS['core.region']!;
  expect([validValue(field, long(200)).ok, validValue(field, long(201)).ok]).toEqual([true, false]);
});

test('of 51 notes the last 50 are kept, each of 500 characters, and of 201 pieces of evidence the last 200', () => {
  const decision = { action: 'search', field: 'units', query: long(501), reasoning: 'Why.' } as const;
  const took = (result: unknown) => ({ decision, results: { step_1: result } }) as never;
  const notes = Array.from({ length: 50 }, (_, at) => `note ${at}`);
  const noted = observe.run(stateWith({ notes }), took(page('Units sold: 1,200', 'p:1', 'Sydmark'))).notes ?? [];
  expect([noted.length, noted[0], noted.length]).toEqual([50, 'note 1', 50]);
  const failed = { decision, status: 'failed', message: long(600), results: {} } as never;
  expect(OBSERVERS.flatMap((one) => one.run(stateWith(), failed).notes ?? []).map(({ length }) => length)).toContain(
    500,
  );
  const evidence = Array.from({ length: 200 }, (_, at) => ({
    field: 'units',
    value: '1',
    quote: '',
    source: { is: 'page', id: `p${at}` },
  }));
  const seen = observe.run(stateWith({ evidence } as never), took(page('Units sold: 1,200'))).evidence ?? [];
  expect([seen.length, seen[0]?.source.id]).toEqual([200, 'p1']);
});
