/** The enrichment: what is taken apart, what is put together, and that it decides nothing. */

import { describe, expect, test } from 'vitest';
import { readDecomposition } from '../../../../examples/market-sizing/policy/decompose.ts';
import { calculationOf, calculationStands } from '../../../../examples/market-sizing/policy/recipe.ts';
import type { Field, State } from '../../../../examples/market-sizing/policy/state.ts';
import { aroundWith, FIELDS, NORRVIK, REFUSAL, stageOf, stateWith, UNITS } from './rig.ts';

const stage = stageOf('enrich', 'enrich_schema');
const bikes: Field = { kind: 'number', prefer: 'web', title: 'Bikes', derived: true };
/** The units are worked out from bikes, of which nobody has said what they are made from. */
const COMPOSITE: Readonly<Record<string, Field>> = {
  ...FIELDS,
  units: { ...UNITS, derived: true, decomposition: { expression: 'bikes / 10', components: { bikes } } },
};
const SPLIT = {
  expression: 'households * share / 100',
  components: [
    { name: 'households', title: 'Households', prefer: 'web', queries: ['households'] },
    { name: 'share', title: 'Share', prefer: 'web', unit: '%' },
  ],
};

async function enriched(
  state: State,
  replies: Readonly<Record<string, unknown>> = {},
  asked: string[] = [],
): Promise<State> {
  return { ...state, ...(await stage.run(state, aroundWith(replies, asked))) };
}

describe('VentureScope: enrich_schema', () => {
  test('writes the schema and the decompositions, and nothing else', () => {
    expect(stage.writes).toEqual(['schema', 'dynamicDecompositions']);
  });

  test('a decomposition that is known beforehand becomes fields, without the model', async () => {
    const asked: string[] = [];
    const { schema } = await enriched(stateWith(), {}, asked);
    expect(schema.fields['units']).toMatchObject({ partOf: 'size' });
    expect(schema.recipe).toEqual({
      expression: 'units * price',
      variables: ['units', 'price'],
      missing: ['units', 'price'],
    });
    expect(asked).toEqual([]);
  });

  test('a composite field on the way to the target is taken apart by the model, once', async () => {
    const asked: string[] = [];
    const once = await enriched(stateWith({ fields: COMPOSITE }), { 'decompose.bikes': SPLIT }, asked);
    expect(once.schema.fields['share']).toMatchObject({ partOf: 'bikes', kind: 'number', unit: '%' });
    expect(once.schema.recipe).toEqual({
      expression: '((households * share / 100) / 10) * price',
      variables: ['households', 'share', 'price'],
      missing: ['households', 'share', 'price'],
    });
    const twice = await enriched(once, {}, asked);
    expect([twice, asked]).toEqual([once, ['decompose.bikes']]);
  });

  test('a composite field that the target does not stand on is left alone', async () => {
    const asked: string[] = [];
    await enriched(stateWith({ fields: { ...FIELDS, bikes } }), {}, asked);
    expect(asked).toEqual([]);
  });

  test.each([
    ['says that there is none', { none: 'It is counted, not made.' }, 'It is counted, not made.'],
    ['refuses', REFUSAL, 'I would rather not.'],
    ['writes something else', { expression: 7 }, 'expression'],
  ])('where the model %s it is not asked again', async (_, reply, why) => {
    const asked: string[] = [];
    const state = await enriched(stateWith({ fields: COMPOSITE }), { 'decompose.bikes': reply }, asked);
    expect(state.dynamicDecompositions['bikes']).toEqual({ none: expect.stringContaining(why) });
    await enriched(state, {}, asked);
    expect(asked).toEqual(['decompose.bikes']);
    expect(state.schema.recipe?.missing).toEqual(['bikes', 'price']);
  });

  test('what is no failure of a model is thrown', async () => {
    const state = stateWith({ fields: COMPOSITE });
    await expect(enriched(state, { 'decompose.bikes': new Error('late') })).rejects.toThrow('late');
  });

  test('asks for at most three decompositions in one round', async () => {
    const many = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { ...bikes, title: name }]));
    const size: Field = { ...bikes, title: 'Size', decomposition: { expression: 'a + b + c + d', components: many } };
    const asked: string[] = [];
    const none = Object.fromEntries(Object.keys(many).map((name) => [`decompose.${name}`, { none: 'no' }]));
    await enriched(stateWith({ fields: { ...FIELDS, size } }), none, asked);
    expect(asked).toEqual(['decompose.a', 'decompose.b', 'decompose.c']);
  });

  test('a field whose components are ready is composed; one that waits is not', async () => {
    const values = { ...NORRVIK, units: '10' };
    const waits = await enriched(stateWith({ values }));
    expect([waits.schema.fields['size']?.composed, calculationStands(waits)]).toEqual([undefined, 'blocked']);
    const ready = await enriched(stateWith({ values: { ...values, price: '2.50' } }));
    expect([ready.schema.fields['size']?.composed, calculationStands(ready)]).toEqual(['units * price', 'pending']);
    expect(calculationOf(ready, 'why')?.calculation).toEqual({
      expression: 'units * price',
      variables: { units: '10', price: '2.50' },
      unit: 'EUR',
    });
  });

  test('a derived field that somebody has told stands for itself', async () => {
    const state = await enriched(stateWith({ fields: COMPOSITE, values: { ...NORRVIK, units: '7' } }), {
      'decompose.bikes': SPLIT,
    });
    expect(state.schema.recipe?.expression).toBe('units * price');
    expect(state.schema.recipe?.missing).toEqual(['price']);
  });

  test('where nothing is to be enriched nothing is written', async () => {
    const state = await enriched(stateWith());
    expect(await stage.run(state, aroundWith())).toEqual({});
  });
});

describe('a decomposition that a model writes is checked', () => {
  const [households, share] = SPLIT.components;
  test.each([
    [
      'a component is a field already',
      { ...SPLIT, components: [households, { ...share, name: 'growth' }] },
      /"growth" is the name of a field already/,
    ],
    ['two components have one name', { ...SPLIT, components: [households, households] }, /"households" is the name/],
    [
      'the expression names what is no component',
      { ...SPLIT, expression: 'households * share * luck' },
      /"luck", which is no component/,
    ],
    ['the expression leaves one out', { ...SPLIT, expression: 'households * 2' }, /leaves out the component "share"/],
    ['there is one component alone', { ...SPLIT, components: [households] }, /no expression over 2 components/],
    [
      'a name is that of a prototype',
      { ...SPLIT, components: [{ ...households, name: '__proto__' }, share] },
      /lower-case letters/,
    ],
    ['nothing came', undefined, /./],
  ])('%s', (_, reply, why) => {
    expect(readDecomposition(stateWith(), 'size', reply)).toEqual({ none: expect.stringMatching(why) });
  });

  test('functions of the calculator are no components', () => {
    const made = readDecomposition(stateWith(), 'size', { ...SPLIT, expression: 'round(households * share / 100, 0)' });
    expect(made).toHaveProperty('components.share');
  });
});
