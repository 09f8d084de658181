/** Budgets as people write them. */

import { expect, test } from 'vitest';
import { budgetProblems } from '../../src/protocol/index.ts';

const AT = '$.options.budget';

test.each<[value: unknown, problems: readonly string[]]>([
  [{ tokens: 1 }, []],
  [{ money: 0.001, steps: 1e12, onEnd: 'partial' }, []],
  [{ tokens: 0 }, ['.tokens: expected a whole number of tokens from 1, got number 0']],
  [{ tokens: -5 }, ['.tokens: expected a whole number of tokens from 1, got number -5']],
  [{ tokens: 1.5 }, ['.tokens: expected a whole number of tokens from 1, got number 1.5']],
  [{ steps: 1e12 + 1 }, ['.steps: expected a whole number of steps from 1, got number 1000000000001']],
  [{ money: '5 EUR' }, ['.money: expected a number above 0, in the currency of the prices, got "5 EUR"']],
  [{ money: 1, currency: 'XYZ' }, ['.currency: there is no such bound; known are tokens, money, steps, onEnd']],
  [{ tokens: 1, onEnd: 'wait' }, ['.onEnd: expected ask, partial, stop, got "wait"']],
  [{ onEnd: 'stop' }, [': expected at least one of tokens, money, steps; without one nothing is bounded']],
  [{}, [': expected at least one of tokens, money, steps; without one nothing is bounded']],
  [50_000, [': expected { tokens?, money?, steps?, onEnd? }, got number 50000']],
  [null, [': expected { tokens?, money?, steps?, onEnd? }, got null']],
])('%j', (value, problems) => {
  expect(budgetProblems(value, AT)).toEqual(problems.map((one) => `${AT}${one}`));
});

test('an agent has no end of its own: the run says what happens then', () => {
  expect(budgetProblems({ tokens: 1, onEnd: 'stop' }, 'budget', false)).toEqual([
    'budget.onEnd: there is no such bound; known are tokens, money, steps',
  ]);
});
