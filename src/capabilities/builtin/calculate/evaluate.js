/** Works an expression out: parsed by mathjs, held to a list of what may stand in it, computed with 80 digits. */

import { ArithmeticProblem, bounded, CONSTANTS, FUNCTIONS, math, OPERATORS } from './arithmetic.js';
import { LIMITS } from './limits.js';
import { problemOfTokens } from './tokens.js';

/** @typedef {import('mathjs').BigNumber} BigNumber */
/** @typedef {import('mathjs').MathNode} MathNode */
/** @typedef {import('./tokens.js').Problem} Problem */
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

/** Parts of one expression: numbers, names, operators, brackets, calls. */
const MAX_NODES = 200;
/** An answer of at most so many is taken to end there: rounding on the way leaves more, but for one in ten thousand. */
const ENDS_WITHIN = 60;
/** The digits of an answer that does not end, such as 1 / 3, unless `precision` says otherwise. */
const DEFAULT_PRECISION = 20;
/** Characters of the part of an expression that a problem names. */
const MAX_PART = 60;

const NAME = /^[A-Za-z_]\w{0,59}$/;

/**
 * The result of a calculation. Never throws; a problem is told with its place.
 *
 * @param {Calculation} calculation
 * @returns {Calculated}
 */
export function evaluate({ expression, variables, precision }) {
  /** @type {Map<string, BigNumber>} */
  const values = new Map();
  /** @type {Set<string>} */
  const mentioned = new Set();
  const ordered = inOrder(variables);
  if ('part' in ordered) return { ok: false, problem: ordered };
  for (const [name, source] of ordered.variables) {
    const part = `variables.${name}`;
    const problem = problemOfVariable(name);
    if (problem !== undefined) return { ok: false, problem: { ...problem, part } };
    const valued = valueOf(source, values, mentioned);
    if ('message' in valued) return { ok: false, problem: { ...valued, part } };
    values.set(name, valued.value);
  }
  const answer = valueOf(expression, values, mentioned);
  if ('message' in answer) return { ok: false, problem: { ...answer, part: 'expression' } };
  return {
    ok: true,
    ...written(answer.value, precision),
    variables: Object.fromEntries([...values].map(([name, value]) => [name, written(value, LIMITS.precision).value])),
    mentioned: [...mentioned],
  };
}

const WORD = /[A-Za-z_]\w*/g;

/**
 * Each variable behind those that it is made of. The order in which they were written says nothing: a stored plan sorts its keys.
 *
 * @param {Calculation['variables']} variables
 * @returns {{ readonly variables: Calculation['variables'] } | Problem & { readonly part: string }}
 */
function inOrder(variables) {
  const sources = new Map(variables);
  /** @type {Map<string, string>} */
  const done = new Map();
  /** @type {string[]} */
  const path = [];
  /** @param {string} name @returns {string | undefined} the variable that is made of itself */
  const visit = (name) => {
    const source = sources.get(name);
    if (source === undefined || done.has(name)) return undefined;
    if (path.includes(name)) return name;
    path.push(name);
    for (const word of source.match(WORD) ?? []) {
      const circle = visit(word);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.set(name, source);
    return undefined;
  };
  for (const [name] of variables) {
    const circle = visit(name);
    if (circle !== undefined) {
      const round = [...path.slice(path.indexOf(circle)), circle].join(' -> ');
      return { message: `it is made of itself: ${round}`, part: `variables.${circle}` };
    }
  }
  return { variables: [...done] };
}

/** @param {string} name @returns {Problem | undefined} */
function problemOfVariable(name) {
  if (!NAME.test(name)) return { message: 'a name is letters, digits and _, not a digit first, at most 60' };
  if (Object.hasOwn(FUNCTIONS, name)) return { message: `${name} is a function; choose another name` };
  return Object.hasOwn(CONSTANTS, name) ? { message: `${name} is a constant; choose another name` } : undefined;
}

/**
 * @param {string} text
 * @param {ReadonlyMap<string, BigNumber>} values
 * @param {Set<string>} mentioned
 * @returns {{ readonly value: BigNumber } | Problem}
 */
function valueOf(text, values, mentioned) {
  const problem = problemOfTokens(text, values, mentioned);
  if (problem !== undefined) return problem;
  try {
    // A line break would begin another expression.
    const tree = math.parse(text.replaceAll(/[\t\r\n]/g, ' '));
    let count = 0;
    tree.traverse(() => void count++);
    if (count > MAX_NODES) {
      return { message: `it has ${count} parts, and at most ${MAX_NODES}; put some of it under variables` };
    }
    return { value: computed(tree, values) };
  } catch (error) {
    return problemOf(error);
  }
}

/** @param {unknown} error @returns {Problem} */
function problemOf(error) {
  if (error instanceof ArithmeticProblem) return { message: error.message };
  if (error instanceof RangeError) return { message: 'it is nested too deeply; put some of it under variables' };
  const { message, char } = /** @type {{ message: string, char?: number }} */ (error);
  // The parser's message ends in a place of its own.
  const said = message.replace(/ \(char \d+\)$/, '');
  return { message: `it cannot be read: ${said}`, ...(char !== undefined && { at: char }) };
}

/**
 * The value of a tree whose kinds of nodes are all named here: other nodes that mathjs can parse are refused.
 *
 * @param {MathNode} node
 * @param {ReadonlyMap<string, BigNumber>} values
 * @returns {BigNumber}
 */
function computed(node, values) {
  const { ConstantNode, FunctionNode, OperatorNode, ParenthesisNode, SymbolNode } =
    /** @type {Required<typeof math>} */ (math);
  if (node instanceof ParenthesisNode) return computed(node.content, values);
  if (node instanceof ConstantNode) return within(node, () => node.value);
  if (node instanceof SymbolNode) return values.get(node.name) ?? own(CONSTANTS, node.name, node);
  if (node instanceof OperatorNode) {
    const apply = own(OPERATORS, `${node.op}${node.args.length}`, node);
    const args = node.args.map((/** @type {MathNode} */ one) => computed(one, values));
    return within(node, () => apply(...args));
  }
  if (node instanceof FunctionNode) {
    const { least, most, apply } = own(FUNCTIONS, node.fn.name ?? '', node);
    const args = node.args.map((/** @type {MathNode} */ one) => computed(one, values));
    if (args.length < least || args.length > most) {
      const many = least === most ? `${least}` : `${least} to ${most}`;
      throw new ArithmeticProblem(`${node.fn.name} takes ${many} arguments, and got ${args.length}`);
    }
    return within(node, () => apply(...args));
  }
  throw notAllowed(node);
}

/** @template T @param {Readonly<Record<string, T>>} table @param {string} name @param {MathNode} node @returns {T} */
function own(table, name, node) {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw notAllowed(node);
  return found;
}

/** @param {MathNode} node */
function notAllowed(node) {
  return new ArithmeticProblem(`${partOf(node)} is not allowed`);
}

/**
 * Every number on the way is within bounds, and one that is not is told with the part that it comes from.
 *
 * @param {MathNode} node
 * @param {() => unknown} work
 * @returns {BigNumber}
 */
function within(node, work) {
  try {
    return bounded(work());
  } catch (error) {
    const message = /** @type {Error} */ (error).message.replace(/^\[DecimalError\] /, '');
    throw new ArithmeticProblem(`${message}, in ${partOf(node)}`);
  }
}

/** @param {MathNode} node */
function partOf(node) {
  const text = node.toString();
  return text.length > MAX_PART ? `${text.slice(0, MAX_PART)}…` : text;
}

/**
 * A number as a decimal. One that ends within 60 digits is written whole, unless a precision is asked for.
 *
 * @param {BigNumber} exact
 * @param {number} [precision]
 */
function written(exact, precision) {
  const whole = exact.toSignificantDigits(LIMITS.precision);
  const ends = whole.precision() <= ENDS_WITHIN;
  const value = whole.toSignificantDigits(precision ?? (ends ? LIMITS.precision : DEFAULT_PRECISION));
  return { value: decimal(value), rounded: !value.eq(exact) };
}

/** @param {BigNumber} value @returns {string} */
function decimal(value) {
  if (value.isZero()) return '0';
  return value.e < LIMITS.precision && value.e > -DEFAULT_PRECISION ? value.toFixed() : value.toString();
}
