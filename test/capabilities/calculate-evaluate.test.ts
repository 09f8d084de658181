/** What an expression comes to, what may not stand in one, and that every one ends. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, FUNCTIONS, type Calculated } from '../../src/capabilities/builtin/calculate/evaluate.js';

const SIXTY = '123456789012345678901234567890123456789012345678901234567890';

function valueOf(expression: string, variables: Readonly<Record<string, string>> = {}, precision?: number): string {
  const calculated = calculation(expression, variables, precision);
  return calculated.ok ? calculated.value : `problem: ${calculated.problem.message}`;
}

function calculation(
  expression: string,
  variables: Readonly<Record<string, string>> = {},
  precision?: number,
): Calculated {
  return evaluate({ expression, variables: Object.entries(variables), ...(precision !== undefined && { precision }) });
}

describe('an expression', () => {
  const ANSWERS = {
    ...{ '0.1 + 0.2': '0.3', '1 - 0.9': '0.1', '2 * -3': '-6', '7 / 8': '0.875', '-0': '0', '+5': '5' },
    ...{ '1 + 2 * 3': '7', '(1 + 2) * 3': '9', '-2 ^ 2': '-4', '2 ^ 3 ^ 2': '512', '2 ^ -3': '0.125' },
    ...{ '1\n+\t2\r\n': '3', '.5 + 5.': '5.5', '1e3': '1000', '2.5E-3': '0.0025', '5!': '120', '-3!': '-6' },
    ...{ '2 / 3 * 3': '2', 'sqrt(2) ^ 2': '2', '1 / 3': '0.33333333333333333333', '0 ^ 0': '1', '(-8) ^ 3': '-512' },
    ...{ [SIXTY]: SIXTY, [`${SIXTY} + 1`]: SIXTY.replace(/0$/, '1'), '1e70 + 1': '1e+70', '1e-30': '1e-30' },
    ...{ 'abs(-2)': '2', 'sign(-7)': '-1', 'sign(0)': '0', 'floor(-1.5)': '-2', 'ceil(1.2)': '2', 'trunc(-1.7)': '-1' },
    ...{ 'round(2.5)': '3', 'round(-2.5)': '-3', 'round(2.345, 2)': '2.35', 'round(pi, 5)': '3.14159' },
    ...{ 'min(3, 1, 2)': '1', 'max(3, 1, 2)': '3', 'sum(1, 2, 3)': '6', 'mean(1, 2)': '1.5' },
    ...{ 'median(10, 1, 2)': '2', 'median(4, 1, 2, 3)': '2.5', 'sqrt(16)': '4', 'cbrt(-27)': '-3' },
    ...{ 'pow(2, 10)': '1024', 'exp(0)': '1', 'log(e)': '1', 'log(8, 2)': '3', 'log2(8)': '3', 'log10(1000)': '3' },
    ...{ 'mod(5, 3)': '2', 'mod(-5, 3)': '1', 'mod(5, -3)': '-1', 'gcd(12, 18, 8)': '2', 'lcm(4, 6)': '12' },
    ...{ 'lcm(0, 3)': '0', 'factorial(5)': '120', 'combinations(5, 2)': '10' },
    ...{ 'sin(0)': '0', 'cos(0)': '1', 'tan(0)': '0' },
  };
  test.each(Object.entries(ANSWERS))('%s is %s', (expression, value) => expect(valueOf(expression)).toBe(value));

  test('may use every function, and each of them is shown here', () => {
    const shown = Object.keys(ANSWERS).join(' ');
    expect(FUNCTIONS.filter((name) => !shown.includes(`${name}(`))).toEqual([]);
  });

  test('has as many digits as are asked for, and says when it was rounded', () => {
    expect(calculation('2 / 3', {}, 3)).toMatchObject({ value: '0.667', rounded: true });
    expect(calculation('1234.5', {}, 2)).toMatchObject({ value: '1200', rounded: true });
    expect(calculation('1234.5', {}, 9)).toMatchObject({ value: '1234.5', rounded: false });
    expect(calculation('1 / 3')).toMatchObject({ rounded: true });
    expect(calculation('1 / 4')).toMatchObject({ rounded: false });
  });

  test('has variables, each of which may be made of others, in any order', () => {
    const variables = { people: '1000', share: '3 / 100', users: 'people * share' };
    expect(calculation('users * 2', variables)).toEqual({
      ...{ ok: true, value: '60', rounded: false },
      variables: { people: '1000', share: '0.03', users: '30' },
      mentioned: ['people', 'share', 'users'],
    });
    expect(calculation('b', { a: 'b', b: '1' })).toMatchObject({ ok: true, value: '1' });
    expect(calculation('users', Object.fromEntries(Object.entries(variables).toReversed()))).toMatchObject({
      value: '30',
    });
    expect(calculation('a', { a: 'b + 1', b: 'c', c: 'a' })).toMatchObject({
      ok: false,
      problem: { part: 'variables.a', message: 'it is made of itself: a -> b -> c -> a' },
    });
    expect(calculation('a', { a: 'b' })).toMatchObject({ ok: false, problem: { part: 'variables.a', unknown: 'b' } });
  });
});

describe('an expression is refused, with its part, that', () => {
  test.each<[expression: string, at: number | undefined, says: string]>([
    ['', undefined, 'there is nothing in it'],
    [' \n', undefined, 'there is nothing in it'],
    ['10 % 3', undefined, 'for 20 % write 20/100'],
    ['5 + 20%', undefined, 'for 20 % write 20/100'],
    ['a = 3', undefined, 'a = 3 is not allowed'],
    ['f(x) = x', undefined, 'is not allowed'],
    ['[1, 2]', undefined, '[1, 2] is not allowed'],
    ['"a"', undefined, 'is no real number'],
    ['1; 2', undefined, 'is not allowed'],
    ['1 > 2', undefined, '1 > 2 is not allowed'],
    ['a.b', undefined, 'a.b is not allowed'],
    ['a > 0 ? 1 : 2', undefined, 'is not allowed'],
    ['1 + 💧', 5, 'it cannot be read'],
    ['2 a', undefined, 'an operator is missing in 2 a; write * to multiply'],
    ['1 / 2 a', undefined, 'an operator is missing in 1 / 2 a'],
    ['2(3)', undefined, 'an operator is missing'],
    ['(1)(2)', undefined, 'an operator is missing'],
    ['3! 2', undefined, 'an operator is missing'],
    ['a(2)', undefined, 'there is no function a'],
    ['1 + abs', undefined, 'there is no variable abs'],
    ['1,000', 2, 'it cannot be read'],
    ['2 +', 4, 'it cannot be read: Unexpected end of expression'],
    ['(2', 3, 'it cannot be read'],
    ['()', 2, 'it cannot be read'],
    ['* 2', 1, 'it cannot be read'],
  ])('%j', (expression, at, says) => {
    const calculated = calculation(expression, { a: '1' });
    expect(calculated).toMatchObject({ ok: false, problem: { part: 'expression', message: expect.any(String) } });
    if (calculated.ok) return;
    expect(calculated.problem.message).toContain(says);
    expect(calculated.problem.at).toBe(at);
  });

  test.each([
    'import',
    'createUnit',
    'evaluate',
    'parse',
    'simplify',
    'derivative',
    'random',
    'ones',
    'matrix',
    'config',
  ])('calls %s', (name) => {
    expect(calculation(`1 + ${name}(2)`)).toMatchObject({ ok: false, problem: { unknown: name } });
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'i', 'cm'])('names %s', (name) => {
    expect(calculation(`1 + ${name}`)).toMatchObject({ ok: false, problem: { unknown: name } });
    expect(calculation(`1 + ${name}(2)`)).toMatchObject({ ok: false, problem: { unknown: name } });
  });

  test.each(['NaN', 'true', 'null', 'Infinity'])('has the value %s', (name) => {
    expect(valueOf(`1 + ${name}`)).toMatch(/no finite result|is no real number/);
  });

  test.each<[name: string, says: string]>([
    ['a b', 'a name is letters'],
    ['1a', 'a name is letters'],
    ['', 'a name is letters'],
    ['x'.repeat(61), 'a name is letters'],
    ['pi', 'none of a function or a constant'],
    ['max', 'none of a function or a constant'],
  ])('has a variable %j', (name, says) => {
    const calculated = calculation('1', { [name]: '1' });
    expect(calculated).toMatchObject({ ok: false, problem: { part: `variables.${name}` } });
    expect(JSON.stringify(calculated)).toContain(says);
  });
});

test.each<[expression: string, says: string]>([
  ['1 / 0', 'division by zero, in 1 / 0'],
  ['3 + 1 / (2 - 2)', 'division by zero, in 1 / (2 - 2)'],
  ['0 / 0', 'division by zero'],
  ['0 ^ -1', 'no finite result, in 0 ^ (-1)'],
  ['mod(1, 0)', 'division by zero'],
  ['sqrt(-1)', 'sqrt(-1) is no real number'],
  ['(-8) ^ (1 / 3)', 'no real number'],
  ['1 / (1 / 0)', 'division by zero'],
  ['log(0)', 'no finite result, in log(0)'],
  ['log(2, 1)', 'no finite result'],
  ['1e1000', 'overflow'],
  ['1e-1001', 'underflow'],
  ['1e600 * 1e600', 'overflow'],
  ['1e-600 * 1e-600', 'underflow'],
  ['exp(5000)', 'overflow'],
  ['exp(-1e900)', 'underflow'],
  ['(-1)!', 'must be non-negative'],
  ['2.5!', 'Integer'],
  ['combinations(2, 3)', 'k must be less than n'],
  ['gcd(1.5, 2)', 'must be integer numbers'],
  ['round(1, 2, 3)', 'Too many arguments in function round (expected: 2, actual: 3)'],
  ['min()', 'Too few arguments in function min'],
])('a calculation has no answer: %s', (expression, says) => expect(valueOf(expression)).toContain(says));

test.each<[name: string, expression: string, says: string]>([
  ['a tower of powers', '9^9^9^9', 'overflow'],
  ['a tower of powers of fractions', '9^9^9^0.9', 'overflow'],
  ['pow in pow', 'pow(9, pow(9, 9))', 'overflow'],
  ['a negative tower', '9^-(9^9^9)', 'overflow'],
  ['the most that powers can be', '10000^10000', 'overflow'],
  ['an exponent in a number', '1e999999999999999', 'the exponent of a number'],
  ['an exponent below', '1e-99999999999999999999', 'the exponent of a number'],
  ['exp of exp', 'exp(exp(exp(9)))', 'overflow'],
  ['a remainder of a great number', 'mod(1e900, 7)', 'numbers of at most 60 digits'],
  ['divisors of great numbers', 'gcd(1e900 + 1, 1e899)', 'numbers of at most 60 digits'],
  ['many brackets', `${'('.repeat(990)}1${')'.repeat(990)}`, ''],
  ['many digits', '9'.repeat(1999), 'overflow'],
])('a bomb ends: %s', (_, expression, says) => {
  const calculated = calculation(expression);
  expect(calculated.ok).toBe(false);
  expect(JSON.stringify(calculated)).toContain(says);
});

describe('arithmetic on whole numbers', () => {
  interface Tree {
    readonly text: string;
    readonly value: bigint;
  }
  const leaf: fc.Arbitrary<Tree> = fc
    .bigInt({ min: -(10n ** 9n), max: 10n ** 9n })
    .map((value) => ({ text: value < 0n ? `(${value})` : `${value}`, value }));
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*'), tie('tree')).map(([left, operator, right]) => ({
        text: `(${left.text} ${operator} ${right.text})`,
        value:
          operator === '+'
            ? left.value + right.value
            : operator === '-'
              ? left.value - right.value
              : left.value * right.value,
      })),
    ),
  }));
  /** Whole numbers below it are written digit by digit. */
  const WRITTEN_WHOLE = 10n ** 60n;

  test('is that of BigInt', () => {
    fc.assert(
      fc.property(tree, ({ text, value }) => {
        fc.pre(value < WRITTEN_WHOLE && value > -WRITTEN_WHOLE);
        expect(valueOf(text)).toBe(String(value));
      }),
    );
  });
});

test('whatever is written comes to a decimal or to a problem, and never throws', () => {
  // A factorial of a factorial is what only the thread's bound ends.
  const piece = fc.constantFrom(...'0123456789.e+-*/^(),% xyab'.split(''), 'sqrt(', 'max(', 'pi', '1e9', 'log(');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.array(piece).map((all) => all.join('')),
      ),
      (expression) => {
        const calculated = calculation(expression, { x: '2', y: '0.5' });
        if (calculated.ok) expect(calculated.value).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$/);
        else expect(calculated.problem.message).not.toBe('');
      },
    ),
    { numRuns: 500 },
  );
});
