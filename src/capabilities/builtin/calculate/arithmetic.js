/** The arithmetic of expressions: operators, functions and constants, each within bounds. */

import { createRequire } from 'node:module';

/** @typedef {import('mathjs').BigNumber} BigNumber */
/**
 * @typedef {object} Arity a function of an expression: how many arguments it takes, and what it does
 * @property {number} least
 * @property {number} most
 * @property {(...args: BigNumber[]) => unknown} apply
 */

/** Digits with which everything is computed: 16 more than an answer has, to carry what is rounded on the way. */
const DIGITS = 80;
/** A number of more digits before or after its point is an overflow. */
const MAX_EXPONENT = 1000;
/** The largest exponent of a power, either way. */
const MAX_POWER = 10_000;
/** `449!` has 998 digits. */
const MAX_FACTORIAL = 449;
/** The most elements to choose from: each one takes a step. */
const MAX_CHOICE = 10_000;
/** Digits of whole numbers that divisors and remainders are exact for. */
const MAX_WHOLE = 60;
/** The number of this rounding mode in decimal.js. */
const HALF_AWAY = 4;
const MAX_ARGUMENTS = 100;

// The bundle of the package loads in 80 ms, its single files in more than a second.
const bundle = /** @type {{ create(config: object): import('mathjs').MathJsInstance }} */ (
  createRequire(import.meta.url)('mathjs/lib/browser/math.js')
);
export const math = bundle.create({ number: 'BigNumber', precision: DIGITS });

/** A problem with numbers that were well written; the message is a sentence without its place. */
export class ArithmeticProblem extends Error {}

/**
 * A computed value, as a number within bounds.
 *
 * @param {unknown} value
 * @returns {BigNumber}
 */
export function bounded(value) {
  if (!math.isBigNumber(value) || value.isNaN()) throw new ArithmeticProblem('the result is no real number');
  if (!value.isFinite() || value.e >= MAX_EXPONENT) {
    throw new ArithmeticProblem(`overflow: a number has at most ${MAX_EXPONENT} digits`);
  }
  if (!value.isZero() && value.e < -MAX_EXPONENT) {
    throw new ArithmeticProblem(`underflow: a number that is not 0 is at least 1e-${MAX_EXPONENT}`);
  }
  return value;
}

/** @type {Readonly<Record<string, BigNumber>>} */
export const CONSTANTS = { pi: math.acos(math.bignumber(-1)), e: math.exp(math.bignumber(1)) };

/** @type {Readonly<Record<string, (...args: BigNumber[]) => unknown>>} */
export const OPERATORS = {
  '+2': (a, b) => a.plus(b),
  '-2': (a, b) => a.minus(b),
  '*2': (a, b) => a.times(b),
  '/2': quotient,
  '^2': power,
  '+1': (a) => a,
  '-1': (a) => a.negated(),
  '!1': factorial,
};

/**
 * A function that rounds or compares is a method of the number: mathjs's own functions take numbers for equal that
 * differ by 1e-12.
 *
 * @type {Readonly<Record<string, Arity>>}
 */
export const FUNCTIONS = {
  abs: of(1, (a) => a.abs()),
  sign: of(1, (a) => math.bignumber(a.cmp(0))),
  floor: of(1, (a) => a.floor()),
  ceil: of(1, (a) => a.ceil()),
  trunc: of(1, (a) => a.trunc()),
  round: of(1, rounded, 2),
  min: of(1, (...all) => all.reduce((a, b) => (b.lt(a) ? b : a)), MAX_ARGUMENTS),
  max: of(1, (...all) => all.reduce((a, b) => (b.gt(a) ? b : a)), MAX_ARGUMENTS),
  sum: of(1, (...all) => sum(all), MAX_ARGUMENTS),
  mean: of(1, (...all) => sum(all).div(all.length), MAX_ARGUMENTS),
  median: of(1, median, MAX_ARGUMENTS),
  sqrt: of(1, root),
  cbrt: of(1, (a) => a.cbrt()),
  pow: of(2, power),
  exp: of(1, exponential),
  log: of(1, (a, base) => logarithm(a, base), 2),
  log2: of(1, (a) => logarithm(a, math.bignumber(2))),
  log10: of(1, (a) => logarithm(a, math.bignumber(10))),
  mod: of(2, remainder),
  gcd: of(2, (...all) => all.map((one) => wholeNumber(one, 'gcd')).reduce(divisor), MAX_ARGUMENTS),
  lcm: of(2, (...all) => all.map((one) => wholeNumber(one, 'lcm')).reduce(multiple), MAX_ARGUMENTS),
  factorial: of(1, factorial),
  combinations: of(2, combinations),
  sin: of(1, (a) => a.sin()),
  cos: of(1, (a) => a.cos()),
  tan: of(1, (a) => a.tan()),
};

/** @param {number} least @param {(...args: BigNumber[]) => unknown} apply @param {number} [most] @returns {Arity} */
function of(least, apply, most = least) {
  return { least, most, apply };
}

/** @param {BigNumber} a @param {BigNumber} b */
function quotient(a, b) {
  if (b.isZero()) throw new ArithmeticProblem('division by zero');
  return a.div(b);
}

/** A greater one costs time, and a result that is too small would silently be 0. @param {BigNumber} exponent */
function checkExponent(exponent) {
  if (exponent.abs().lte(MAX_POWER)) return;
  throw new ArithmeticProblem(`an exponent is at most ${MAX_POWER}, and at least -${MAX_POWER}`);
}

/** @param {BigNumber} base @param {BigNumber} exponent */
function power(base, exponent) {
  checkExponent(exponent);
  if (base.isZero() && exponent.isNegative() && !exponent.isZero()) throw new ArithmeticProblem('division by zero');
  return math.pow(base, exponent);
}

/** @param {readonly BigNumber[]} all @returns {BigNumber} */
function sum(all) {
  return all.reduce((a, b) => a.plus(b));
}

/** @param {BigNumber[]} all @returns {BigNumber} */
function median(...all) {
  const sorted = all.toSorted((a, b) => a.cmp(b));
  const middle = sorted.slice((all.length - 1) >> 1, (all.length >> 1) + 1);
  return sum(middle).div(middle.length);
}

/** Half goes away from zero. @param {BigNumber} a @param {BigNumber} [digits] */
function rounded(a, digits = math.bignumber(0)) {
  const places = whole(digits, 'the digits of round', MAX_WHOLE).toNumber();
  return a.toDecimalPlaces(places, HALF_AWAY);
}

/** @param {BigNumber} a */
function exponential(a) {
  checkExponent(a);
  return a.exp();
}

/** @param {BigNumber} a */
function root(a) {
  if (a.isNegative() && !a.isZero()) throw new ArithmeticProblem('a negative number has no real square root');
  return a.sqrt();
}

/** @param {BigNumber} a @param {BigNumber} [base] */
function logarithm(a, base) {
  if (!a.gt(0)) throw new ArithmeticProblem('only a number above 0 has a logarithm');
  if (base === undefined) return a.ln();
  if (!base.gt(0) || base.eq(1)) throw new ArithmeticProblem('the base of a logarithm is above 0, and not 1');
  return a.log(base);
}

/** @param {BigNumber} a @param {BigNumber} b */
function remainder(a, b) {
  if (b.isZero()) throw new ArithmeticProblem('division by zero');
  if (a.e - b.e > MAX_WHOLE)
    throw new ArithmeticProblem(`the two sides of mod are more than ${MAX_WHOLE} digits apart`);
  const rest = a.mod(b);
  // The remainder has the sign of the divisor, as in mathematics.
  return rest.isZero() || rest.isNegative() === b.isNegative() ? rest : rest.plus(b);
}

/** @param {BigNumber} a @param {BigNumber} b @returns {BigNumber} */
function divisor(a, b) {
  return math.gcd(a, b);
}

/** @param {BigNumber} a @param {BigNumber} b @returns {BigNumber} */
function multiple(a, b) {
  return a.isZero() || b.isZero() ? math.bignumber(0) : wholeNumber(a.div(divisor(a, b)).times(b).abs(), 'lcm');
}

/** @param {BigNumber} a */
function factorial(a) {
  return math.factorial(whole(a, 'what a factorial is taken of', MAX_FACTORIAL));
}

/** @param {BigNumber} all @param {BigNumber} some */
function combinations(all, some) {
  const from = whole(all, 'what combinations choose from', MAX_CHOICE);
  return math.combinations(from, whole(some, 'what combinations choose', all.toNumber()));
}

/** @param {BigNumber} a @param {string} what @param {number} most @returns {BigNumber} */
function whole(a, what, most) {
  if (a.isInteger() && a.gte(0) && a.lte(most)) return a;
  throw new ArithmeticProblem(`${what} is a whole number from 0 to ${most}`);
}

/** @param {BigNumber} a @param {string} name @returns {BigNumber} */
function wholeNumber(a, name) {
  if (a.isInteger() && a.e < MAX_WHOLE) return a;
  throw new ArithmeticProblem(`${name} takes whole numbers of at most ${MAX_WHOLE} digits, and gives one`);
}
