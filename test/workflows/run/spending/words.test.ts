/** A budget in words. */

import { expect, test } from 'vitest';
import { spentText } from '../../../../src/workflows/run/spending/ledger.ts';

test.each([
  [{ tokens: 50_210, steps: 12 }, { tokens: 50_000, steps: 40 }, '50,210 of 50,000 tokens, 12 of 40 steps'],
  [{ tokens: 5, money: 0.12345 }, { money: 1 }, '0.1235 of 1 money'],
  [{}, { tokens: 9, money: 0.5 }, '0 of 9 tokens, 0 of 0.5 money'],
])('%j of %j', (spent, limit, text) => {
  expect(spentText(spent, limit)).toBe(text);
});
