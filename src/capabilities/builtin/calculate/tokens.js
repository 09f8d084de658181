/** The words of an expression with their places, and the signs that may not stand in it at all. */

import { CONSTANTS, FUNCTIONS } from './arithmetic.js';
import { LIMITS } from './limits.js';

/**
 * @typedef {object} Problem what is wrong with a calculation, before or while it is made
 * @property {string} message a sentence without a full stop, and without its place
 * @property {string} [part] `expression`, or `variables.` with a name
 * @property {number} [at] the place of a character in that part, from 1
 * @property {string} [unknown] a name that stands for nothing
 * @property {readonly string[]} [known] the names that could stand in its place
 */

const TOKEN =
  /(?<space>[ \t\r\n]+)|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[A-Za-z_]\w*)|(?<sign>[-+*/^!(),])/y;

/** So small a number would silently be read as 0. */
const FAR_EXPONENT = /e[+-]?\d{5}/i;

/** Signs that people write out of habit, and the words to write in their place. */
const INSTEAD = new Map([
  ['%', 'write 20/100 for 20 %, and mod(a, b) for a remainder'],
  ['=', 'give a name to a number under variables'],
  ['[', 'give numbers to a function as arguments: sum(1, 2, 3)'],
  ['"', 'there are no texts'],
  ["'", 'there are no texts'],
  ['$', 'say what is counted in unit'],
]);

/**
 * The first problem with the words of a text; undefined where it has none. The names that it mentions go into `mentioned`.
 *
 * @param {string} text
 * @param {ReadonlyMap<string, unknown>} variables
 * @param {Set<string>} mentioned
 * @returns {Problem | undefined}
 */
export function problemOfTokens(text, variables, mentioned) {
  if (text.length > LIMITS.length) return { message: `it has ${text.length} characters, and at most ${LIMITS.length}` };
  if (text.trim() === '') return { message: 'there is nothing in it; write an expression such as (a + b) / 2' };
  /** Whether a number, a name or a bracket has just ended. */
  let hasEnded = false;
  for (let from = 0; from < text.length; from = TOKEN.lastIndex) {
    TOKEN.lastIndex = from;
    const token = TOKEN.exec(text);
    if (token?.groups === undefined) return unreadable(text, from);
    const { space, number, name, sign } = token.groups;
    if (space !== undefined) continue;
    if (number !== undefined && FAR_EXPONENT.test(number)) {
      return { message: 'the exponent of a number has at most 4 digits', at: from + 1 };
    }
    const begins = number !== undefined || name !== undefined || sign === '(';
    const calls = name !== undefined && /^[ \t\r\n]*\(/.test(text.slice(TOKEN.lastIndex));
    if (begins && hasEnded) return { message: 'an operator is missing before it; write * to multiply', at: from + 1 };
    if (name !== undefined) {
      const problem = problemOfName(name, calls, variables);
      if (problem !== undefined) return { ...problem, at: from + 1 };
      if (!calls) mentioned.add(name);
    }
    hasEnded = number !== undefined || (name !== undefined && !calls) || sign === ')' || sign === '!';
  }
  return undefined;
}

/** @param {string} text @param {number} from @returns {Problem} */
function unreadable(text, from) {
  const character = String.fromCodePoint(text.codePointAt(from) ?? 0);
  const instead = INSTEAD.get(character) ?? 'allowed are numbers, names, + - * / ^ ! ( ) and commas between arguments';
  return { message: `${JSON.stringify(character)} is not allowed; ${instead}`, at: from + 1 };
}

/** @param {string} name @param {boolean} calls @param {ReadonlyMap<string, unknown>} variables @returns {Problem | undefined} */
function problemOfName(name, calls, variables) {
  const isNumber = variables.has(name) || Object.hasOwn(CONSTANTS, name);
  const isFunction = Object.hasOwn(FUNCTIONS, name);
  if (calls) {
    if (isFunction) return undefined;
    if (isNumber) return { message: `${name} is a number and no function; write ${name} * ( to multiply` };
    return { message: `there is no function ${name}`, unknown: name, known: Object.keys(FUNCTIONS) };
  }
  if (isNumber) return undefined;
  if (isFunction) return { message: `${name} is a function; write ${name}( and its arguments` };
  return {
    message: `there is no variable ${name}`,
    unknown: name,
    known: [...variables.keys(), ...Object.keys(CONSTANTS)],
  };
}
