/** The selector and the decider: work that needs no model, and the model's one duty. */

import { describe, expect, test } from 'vitest';
import { mayAutoFinish, taskFor } from '../../../../examples/market-sizing/policy/acquire.ts';
import { DEFAULT_CAPS } from '../../../../examples/market-sizing/policy/caps.ts';
import { openWork, readDecision } from '../../../../examples/market-sizing/policy/plan-llm.ts';
import type { Field, State } from '../../../../examples/market-sizing/policy/state.ts';
import { aroundWith, FIELDS, NORRVIK, REFUSAL, stageOf, stateWith } from './rig.ts';

const caps = DEFAULT_CAPS;
const acquire = stageOf('select', 'acquire');
const CLIMATE: Field = { kind: 'number', prefer: 'web', title: 'Climate', wanted: true, queries: ['climate'] };
const used = { searches: { units: 3, growth: 3 }, asks: { units: 2, growth: 2 } };
const known = { ...NORRVIK, units: '10', price: '2' };

async function acquired(state: State, replies: Readonly<Record<string, unknown>> = {}) {
  const chosen = await acquire.run(state, aroundWith(replies));
  const decision = chosen?.decision;
  if (decision === undefined) return 'passes';
  return decision.action === 'search' || decision.action === 'ask_user'
    ? `${decision.action} ${decision.component ?? decision.field}`
    : decision.action;
}

describe('VentureScope: acquire', () => {
  test.each<[string, State, string]>([
    ['what blocks the calculation comes first', stateWith({ fields: { ...FIELDS, climate: CLIMATE } }), 'search units'],
    ['the next query after one without a figure', stateWith({ searches: { units: 1 } }), 'search units'],
    ['no query is left: the question', stateWith({ searches: { units: 2 } }), 'ask_user units'],
    ['the searches are used up: the question', stateWith({ searches: { units: 3 } }), 'ask_user units'],
    ['what the person knows is asked', stateWith({ values: { ...NORRVIK, units: '10' } }), 'ask_user price'],
    [
      'nothing blocks: what else is wanted',
      stateWith({ values: known, fields: { ...FIELDS, climate: CLIMATE } }),
      'search climate',
    ],
    ['what has no words is the work of the model', stateWith({ values: known }), 'passes'],
    [
      'nothing actionable is missing and no task is open: the end',
      stateWith({ values: known, searches: { growth: 3 }, asks: { growth: 2 } }),
      'finish',
    ],
    [
      'a task is open: the work of the model',
      stateWith({ values: { ...known, growth: '4' }, tasks: [{ field: 'units', why: 'two' }] }),
      'passes',
    ],
    ['everything is known: the end', stateWith({ values: { ...known, growth: '4' } }), 'finish'],
  ])('%s', async (_, state, decided) => expect(await acquired(state)).toBe(decided));

  test('a component is addressed by its field', () => {
    expect(taskFor(stateWith(), 'units', caps)).toMatchObject({
      field: 'size',
      component: 'units',
      query: 'units sold',
    });
    expect(taskFor(stateWith({ searches: { units: 1 } }), 'units', caps)).toMatchObject({ query: 'unit sales' });
  });

  test('an input of which every attempt is used up is taken apart on demand, and a component looked for', async () => {
    const shops = { name: 'shops', title: 'Shops', prefer: 'web', queries: ['shops'] };
    const each = { name: 'sold_each', title: 'Sold by each', prefer: 'user', question: 'How many does a shop sell?' };
    const split = { expression: 'shops * sold_each', components: [shops, each] };
    const state = stateWith(used);
    expect(await acquired(state, { 'decompose.units': split })).toBe('search shops');
    const chosen = await acquire.run(state, aroundWith({ 'decompose.units': split }));
    expect(chosen?.state).toHaveProperty('dynamicDecompositions.units.expression', 'shops * sold_each');
    expect(acquire.writes).toEqual(['dynamicDecompositions']);
  });

  test('where it cannot be taken apart the next input has its turn, and it is not asked about again', async () => {
    const state = stateWith(used);
    const chosen = await acquire.run(state, aroundWith({ 'decompose.units': { none: 'no' } }));
    expect(chosen).toMatchObject({
      decision: { component: 'price' },
      state: { dynamicDecompositions: { units: { none: 'no' } } },
    });
    const after = { ...state, ...chosen?.state };
    expect(await acquired({ ...after, attempts: { ...after.attempts, asks: { ...used.asks, price: 1 } } })).toBe(
      'ask_user price',
    );
  });

  test('nothing can be found any more although the calculation is blocked: the end', async () => {
    const state = stateWith({ ...used, searches: { ...used.searches, price: 3 }, asks: { ...used.asks, price: 2 } });
    expect(mayAutoFinish(state, caps)).toBe(false);
    const none = { 'decompose.units': { none: 'no' }, 'decompose.price': { none: 'no' } };
    expect(await acquired(state, none)).toBe('finish');
  });
});

describe('VentureScope: plan_llm', () => {
  const plan = stageOf('decide', 'plan_llm');
  const state = stateWith({ values: known });
  const search = { action: 'search', field: 'growth', query: 'growth', reasoning: 'It is wanted.' };

  test('asks the model once, and takes its decision', async () => {
    const asked: string[] = [];
    const chosen = await plan.run(state, aroundWith({ plan_llm: search }, asked));
    expect([chosen, asked]).toEqual([{ decision: search }, ['plan_llm']]);
  });

  test('is told what is missing and what is open', () => {
    expect(openWork({ ...state, tasks: [{ field: 'units', why: 'two pages disagree' }] }, caps)).toBe(
      'Decide the next step. Missing: growth. Open tasks: units (two pages disagree).',
    );
  });

  test('a model that fails leaves a finish and llmFailed', async () => {
    const chosen = await plan.run(state, aroundWith({ plan_llm: REFUSAL }));
    expect(chosen).toEqual({
      decision: { action: 'finish', reasoning: 'The model has failed: I would rather not.' },
      state: { llmFailed: true },
    });
  });

  test('what is no failure of a model is thrown', async () => {
    await expect(plan.run(state, aroundWith({ plan_llm: new Error('late') }))).rejects.toThrow('late');
  });

  test.each([
    ['nothing', undefined, /No decision could be read/],
    ['an action that there is not', { action: 'dance' }, /action: /],
    [
      'a field that there is not',
      { ...search, field: 'weather' },
      /"weather", which is no field; there are "core\.region"/,
    ],
    ['a field of every object', { ...search, field: 'constructor' }, /"constructor", which is no field/],
    [
      'a component of another field',
      { ...search, field: 'size', component: 'growth' },
      /no component "growth" of size; there are "units" or "price"/,
    ],
    [
      'evidence that nobody has found',
      { action: 'reflect', note: 'Hm.', field: 'units', evidence: 'x:1', reasoning: 'Why.' },
      /"x:1" is no evidence for units/,
    ],
  ])('%s becomes a note that the next round is told', (_, reply, note) => {
    expect(readDecision(state, reply)).toMatchObject({ action: 'reflect', note: expect.stringMatching(note) });
  });

  test.each([
    ['a component without its field', { ...search, field: 'units' }, { field: 'size', component: 'units' }],
    ['a component with it', { ...search, field: 'size', component: 'units' }, { field: 'size', component: 'units' }],
    ['a field', search, { field: 'growth' }],
  ])('%s is addressed', (_, reply, address) => {
    const { field, component } = readDecision(state, reply) as { field: string; component?: string };
    expect({ field, ...(component !== undefined && { component }) }).toEqual(address);
  });

  test('VentureScope: plan_llm: a question carries field, component, question, reasoning and suggested answers', () => {
    const said = {
      action: 'ask_user',
      field: 'size',
      component: 'price',
      question: 'Which?',
      reasoning: 'Why.',
      suggestedAnswers: ['5'],
    };
    expect(readDecision(state, said)).toEqual(said);
  });
});
