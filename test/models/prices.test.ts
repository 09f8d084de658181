/** What calls cost. */

import { expect, test } from 'vitest';
import { costOf } from '../../src/models/index.ts';
import { priceOf } from '../../src/models/settings.ts';

const tokens = (inputTokens: number, cachedInputTokens: number, outputTokens: number) => ({
  ...{ inputTokens, cachedInputTokens, outputTokens },
});

test.each<
  [name: string, usage: ReturnType<typeof tokens>, price: Parameters<typeof costOf>[1], cost: number | undefined]
>([
  ['input and output', tokens(1_000_000, 0, 500_000), { input: 2, output: 8 }, 6],
  [
    'cached input has a price of its own',
    tokens(1_000_000, 400_000, 0),
    { input: 2, cachedInput: 0.5, output: 8 },
    1.4,
  ],
  ['or that of input', tokens(1_000_000, 400_000, 0), { input: 2, output: 8 }, 2],
  ['more cached than read', tokens(1_000_000, 2_000_000, 0), { input: 2, cachedInput: 1, output: 8 }, 1],
  ['a model that is free', tokens(10, 0, 10), { input: 0, output: 0 }, 0],
  ['a model without a price', tokens(10, 0, 10), undefined, undefined],
])('%s', (_, usage, price, cost) => {
  expect(costOf(usage, price)).toEqual(cost);
});

test('the price of a model is found by the name it is asked for, else by its own', () => {
  const prices = { asked: { input: 1, output: 1 }, served: { input: 2, output: 2 } };
  expect(priceOf(prices, 'asked', 'served')?.input).toBe(1);
  expect(priceOf(prices, 'other', 'served')?.input).toBe(2);
  expect(priceOf(prices, 'toString', 'constructor')).toBeUndefined();
  expect(priceOf(undefined, 'asked')).toBeUndefined();
});
