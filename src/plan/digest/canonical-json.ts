/** The canonical form of JSON values (RFC 8785). */

import { isWellFormed } from '../text/index.ts';
import { isPlainObject } from '../plain-object.ts';
import type { JsonValue } from '../compiled-plan.ts';

/** Why a value has no canonical form, and the steps from the root of the value to the place. */
export interface ValueProblem {
  readonly reason: 'not-json' | 'lone-surrogate' | 'too-deep' | 'too-large';
  readonly value: unknown;
  readonly steps: readonly (string | number)[];
}

export interface ValueBounds {
  /** Levels of lists and objects. */
  readonly depth: number;
  /** Characters and values that may still be read; shared by all the values of one document. */
  readonly budget: Budget;
}

export interface Budget {
  left: number;
}

/** Levels of a value that has no bound of its own: it is written and read by recursion. */
const MOST_LEVELS = 2_000;

/**
 * The canonical form of a JSON value (RFC 8785): no spaces, object keys in the order of their UTF-16 code units,
 * numbers and escapes as ECMAScript writes them.
 *
 * @example canonicalJson({ b: 1, a: [true] }); // '{"a":[true],"b":1}'
 * @throws TypeError when the value is not JSON, holds a lone surrogate, or has more than 2,000 levels.
 */
export function canonicalJson(value: JsonValue): string {
  return canonicalText(value, { depth: MOST_LEVELS, budget: { left: Infinity } }, refuse);
}

/** As `canonicalJson`, for any value at all: every problem is reported, and the text is then of no use. */
export function canonicalText(
  root: unknown,
  { depth, budget }: ValueBounds,
  report: (problem: ValueProblem) => void,
): string {
  const path: (string | number)[] = [];
  return textOf(root);

  function textOf(value: unknown): string {
    if (budget.left < 0) return '';
    budget.left -= typeof value === 'string' ? value.length + 1 : 1;
    if (budget.left < 0) return problem('too-large', value);
    if (typeof value === 'string') return quotedText(value) ?? problem('lone-surrogate', value);
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
    const isList = Array.isArray(value);
    if (!isList && !isPlainObject(value)) return problem('not-json', value);
    if (path.length >= depth) return problem('too-deep', value);
    // Joined at each level: a text that grows as a whole keeps all of its pieces until it is read.
    const texts: string[] = [];
    if (isList) for (let at = 0; at < value.length && budget.left >= 0; at++) texts.push(member(at, value[at], ''));
    else
      for (const key of sortedKeys(value)) {
        budget.left -= key.length;
        const name = quotedText(key) ?? problem('lone-surrogate', key, [...path, key]);
        texts.push(member(key, value[key], `${name}:`));
      }
    return isList ? `[${texts.join(',')}]` : `{${texts.join(',')}}`;
  }

  function member(step: string | number, value: unknown, before: string): string {
    path.push(step);
    const text = before + textOf(value);
    path.pop();
    return text;
  }

  function problem(reason: ValueProblem['reason'], value: unknown, steps = [...path]): string {
    report({ reason, value, steps });
    return '';
  }
}

/** Most objects have their keys in order, and to sort them all the same takes longer than to see it. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  return keys.every((key, at) => at === 0 || keys[at - 1]! < key) ? keys : keys.sort();
}

/** The text in quotes, or nothing when it is not well formed. JSON.stringify escapes exactly as RFC 8785 asks. */
function quotedText(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (!/["\\\u0000-\u001f\ud800-\udfff]/.test(text)) return `"${text}"`;
  return isWellFormed(text) ? JSON.stringify(text) : undefined;
}

function refuse({ reason, steps }: ValueProblem): never {
  const where = steps.slice(0, 20).join(' > ');
  throw new TypeError(`No canonical JSON: ${reason}${where === '' ? '' : ` at ${where}`}`);
}
