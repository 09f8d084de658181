/** Evaluates an expression with mathjs and 80 digits. Only names of a fixed list are allowed. */

import { createRequire } from 'node:module';

/** @typedef {import('mathjs').BigNumber} BigNumber */
/**
 * @typedef {object} Problem what is wrong with a calculation
 * @property {string} message a sentence without a full stop, and without its place
 * @property {string} [part] `expression`, or `variables.` with a name
 * @property {number} [at] the position of a character in that part, from 1
 * @property {string} [unknown] a name that has no meaning
 * @property {readonly string[]} [known] the names that are possible in its place
 */
/**
 * @typedef {object} Calculation
 * @property {string} expression
 * @property {readonly (readonly [name: string, source: string])[]} variables each a number or an expression of others
 * @property {number} [precision] significant digits of the answer
 */
/**
 * @typedef {{ readonly ok: true, readonly value: string, readonly rounded: boolean,
 *   readonly variables: Readonly<Record<string, string>>, readonly mentioned: readonly string[] }
 *   | { readonly ok: false, readonly problem: Problem }} Calculated
 */

/** Digits of every computation: 16 more than in an answer, so that intermediate rounding has no effect. */
const DIGITS = 80;
const TOLD = 64;
/** An answer with at most this many digits counts as exact. Rounded answers have more, except one in ten thousand. */
const ENDS_WITHIN = 60;
/** Digits of an answer without an end, such as 1 / 3, if `precision` is not set. */
const DEFAULT_PRECISION = 20;
const MAX_PART = 60;
/** Largest exponent of a result, positive or negative. Above it, computing is slow; below, numbers would become 0. */
const MAX_EXPONENT = 1000;

// The bundle of mathjs loads in 80 ms; its single files would take more than a second.
const bundle = /** @type {{ create(config: object): any }} */ (
  createRequire(import.meta.url)('mathjs/lib/browser/math.js')
);
// By default, mathjs treats numbers that differ by 1e-12 as equal.
const math = bundle.create({ number: 'BigNumber', precision: DIGITS, relTol: 1e-70, absTol: 0 });
math.import({ trunc: math.fix });

const CONSTANTS = ['pi', 'e'];
const OPERATORS = ['add', 'subtract', 'multiply', 'divide', 'pow', 'unaryMinus', 'unaryPlus', 'factorial'];
/**
 * The functions that an expression may call. Others are excluded, since they parse texts, make units or change mathjs
 * itself.
 */
export const FUNCTIONS = [
  ...[
    'abs',
    'sign',
    'floor',
    'ceil',
    'trunc',
    'round',
    'min',
    'max',
    'sum',
    'mean',
    'median',
    'sqrt',
    'cbrt',
    'pow',
    'exp',
  ],
  ...['log', 'log2', 'log10', 'mod', 'gcd', 'lcm', 'factorial', 'combinations', 'sin', 'cos', 'tan'],
];

class CalculationProblem extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Computes the result of a calculation. Never throws; a problem says where it is.
 * @param {Calculation} calculation
 * @returns {Calculated}
 */
export function evaluate({ expression, variables, precision }) {
  const sources = new Map(variables);
  /** @type {Map<string, BigNumber>} */
  const values = new Map();
  /** @type {Set<string>} */
  const mentioned = new Set();
  let part = 'expression';
  /**
   * Computes a variable after the variables that it uses. Their written order has no meaning, since a stored plan sorts
   * its keys.
   * @param {string[]} path
   */
  const work = (/** @type {string} */ name, path) => {
    if (values.has(name)) return;
    part = `variables.${name}`;
    if (path.includes(name)) {
      fail({ message: `it is made of itself: ${[...path.slice(path.indexOf(name)), name].join(' -> ')}` });
    }
    if (!/^[A-Za-z_]\w{0,59}$/.test(name) || [...FUNCTIONS, ...CONSTANTS].includes(name)) {
      fail({
        message: 'a name is letters, digits and _, not a digit first, at most 60, and none of a function or a constant',
      });
    }
    values.set(name, valueOf(sources.get(name) ?? '', [...path, name]));
  };
  const valueOf = (/** @type {string} */ text, /** @type {string[]} */ path) => {
    const own = part;
    const tree = parsed(text);
    for (const { name } of tree.filter((/** @type {any} */ node) => node.isSymbolNode)) {
      if (!sources.has(name)) continue;
      mentioned.add(name);
      work(name, path);
    }
    part = own;
    return computed(tree, values);
  };
  try {
    for (const name of sources.keys()) work(name, []);
    part = 'expression';
    const { value, rounded } = written(valueOf(expression, []), precision);
    const told = [...values].map(([name, one]) => [name, written(one, TOLD).value]);
    return { ok: true, value, rounded, variables: Object.fromEntries(told), mentioned: [...mentioned] };
  } catch (error) {
    return { ok: false, problem: { ...problemOf(error), part } };
  }
}

/** @param {string} text @returns {any} */
function parsed(text) {
  if (text.trim() === '') fail({ message: 'there is nothing in it; write an expression such as (a + b) / 2' });
  if (text.includes('%')) fail({ message: 'for 20 % write 20/100, and mod(a, b) for a remainder' });
  // Rejects long exponents, since mathjs would read a number such as 1e-99999 as 0.
  if (/e[+-]?\d{5}/i.test(text)) fail({ message: 'the exponent of a number has at most 4 digits' });
  // A line break would begin another expression.
  return math.parse(text.replaceAll(/[\t\r\n]/g, ' '));
}

/** @param {unknown} error @returns {Problem} */
function problemOf(error) {
  if (error instanceof CalculationProblem) return error.problem;
  if (error instanceof RangeError) return { message: 'it is nested too deeply; put some of it under variables' };
  const { message, char } = /** @type {{ message: string, char?: number }} */ (error);
  // Removes the position from the parser's message, since `at` has it.
  const said = message.replace(/ \(char \d+\)$/, '').replace(/^\[DecimalError\] /, '');
  return char === undefined ? { message: said } : { message: `it cannot be read: ${said}`, at: char };
}

/**
 * Computes a tree of nodes. Rejects other kinds of nodes than those below, and intermediate numbers that are not real
 * or exceed limits.
 * @param {any} node
 * @param {ReadonlyMap<string, BigNumber>} values
 * @returns {BigNumber}
 */
function computed(node, values) {
  if (node.isParenthesisNode) return computed(node.content, values);
  if (node.isSymbolNode) {
    const { name } = node;
    if (!CONSTANTS.includes(name) && !values.has(name)) {
      fail({ message: `there is no variable ${name}`, unknown: name, known: [...values.keys(), ...CONSTANTS] });
    }
    return values.get(name) ?? math[name];
  }
  if (node.isConstantNode) return checked(node, node.value);
  const name = node.isFunctionNode ? node.fn.name : node.fn;
  if (node.isFunctionNode && !FUNCTIONS.includes(name)) {
    fail({ message: `there is no function ${name}`, unknown: String(name), known: FUNCTIONS });
  }
  if (!node.isFunctionNode && (!node.isOperatorNode || !OPERATORS.includes(name))) {
    fail({ message: `${partOf(node)} is not allowed: there are numbers, names, functions and + - * / ^ !` });
  }
  if (node.implicit === true) fail({ message: `an operator is missing in ${partOf(node)}; write * to multiply` });
  const args = node.args.map((/** @type {any} */ one) => computed(one, values));
  if (isInexact(name, args))
    fail({ message: `${name} takes numbers of at most ${ENDS_WITHIN} digits, in ${partOf(node)}` });
  if (name === 'mod' && args[1]?.isZero()) fail({ message: `division by zero, in ${partOf(node)}` });
  return checked(node, math[name](...args), args);
}

/**
 * Whether the result would be rounded, because numbers have too many digits for a remainder or a divisor.
 * @param {string} name
 * @param {BigNumber[]} args
 */
function isInexact(name, args) {
  const [a, b] = args;
  if (name === 'mod' && a !== undefined && b !== undefined) return a.e - b.e >= ENDS_WITHIN;
  return (name === 'gcd' || name === 'lcm') && args.some(({ e }) => e >= ENDS_WITHIN);
}

/** @param {any} node @param {unknown} value @param {BigNumber[]} args @returns {BigNumber} */
function checked(node, value, args = []) {
  // Checks powers only: no other operation can turn a number that is too small into 0.
  const isPower = ['pow', 'exp'].includes(node.isFunctionNode ? node.fn.name : node.fn);
  if (!math.isBigNumber(value)) fail({ message: `${partOf(node)} is no real number` });
  const number = /** @type {BigNumber} */ (value);
  if (!number.isFinite()) {
    fail({ message: `${node.fn === 'divide' ? 'division by zero' : 'no finite result'}, in ${partOf(node)}` });
  }
  if (number.e >= MAX_EXPONENT) {
    fail({ message: `overflow, in ${partOf(node)}: a number has at most ${MAX_EXPONENT} digits` });
  }
  if (number.isZero() ? isPower && !args[0]?.isZero() : number.e < -MAX_EXPONENT) {
    fail({ message: `underflow, in ${partOf(node)}: a number that is not 0 is at least 1e-${MAX_EXPONENT}` });
  }
  return number;
}

/** @param {any} node */
function partOf(node) {
  const text = node.toString();
  return text.length > MAX_PART ? `${text.slice(0, MAX_PART)}…` : text;
}

/** @param {Problem} problem @returns {never} */
function fail(problem) {
  throw new CalculationProblem(problem);
}

/**
 * Writes a number as a decimal, completely if it ends within 60 digits and no precision is requested.
 * @param {BigNumber} exact
 * @param {number} [precision]
 */
function written(exact, precision) {
  const whole = exact.toSignificantDigits(TOLD);
  const ends = whole.precision() <= ENDS_WITHIN;
  const value = whole.toSignificantDigits(precision ?? (ends ? TOLD : DEFAULT_PRECISION));
  const inDigits = value.isZero() || (value.e < TOLD && value.e > -DEFAULT_PRECISION);
  return { value: inDigits ? value.plus(0).toFixed() : value.toString(), rounded: !value.eq(exact) };
}
