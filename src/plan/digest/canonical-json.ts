/** The canonical form of JSON values (RFC 8785). */

import { isWellFormed } from '../text/index.ts';
import { isPlainObject } from '../plain-object.ts';
import type { JsonValue } from '../compiled-plan.ts';

/** Why a value has no canonical form, and the steps from the root of the value to the place. */
export interface ValueProblem {
  readonly reason: 'not-json' | 'lone-surrogate' | 'too-deep' | 'too-large';
  readonly value: unknown;
  readonly steps: () => readonly (string | number)[];
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

/**
 * The canonical form of a JSON value (RFC 8785): no spaces, object keys in the order of their UTF-16 code units,
 * numbers and escapes as ECMAScript writes them. Iterative, for any depth.
 *
 * @example canonicalJson({ b: 1, a: [true] }); // '{"a":[true],"b":1}'
 * @throws TypeError when the value is not JSON, or holds a lone surrogate.
 */
export function canonicalJson(value: JsonValue): string {
  const parts: string[] = [];
  writeCanonical(value, unbounded(), refuse, (part) => parts.push(part));
  return parts.join('');
}

/** As `canonicalJson`, for any value at all, in parts: every problem is reported and the parts are then of no use. */
export function writeCanonical(
  root: unknown,
  bounds: ValueBounds,
  report: (problem: ValueProblem) => void,
  write: (part: string) => void,
): void {
  const open: Frame[] = [];
  const { budget } = bounds;
  let text = '';
  let value = root;
  for (;;) {
    if ((budget.left -= typeof value === 'string' ? value.length + 1 : 1) < 0) {
      report(problem('too-large', value, open));
      return;
    }
    const scalar = scalarText(value);
    if (scalar !== undefined) text += scalar;
    else if (typeof value === 'string') report(problem('lone-surrogate', value, open));
    else if (!isList(value) && !isPlainObject(value)) report(problem('not-json', value, open));
    else if (open.length >= bounds.depth) report(problem('too-deep', value, open));
    else {
      text += isList(value) ? '[' : '{';
      open.push(frameOf(value));
    }
    let top = open.at(-1);
    while (top !== undefined && top.next === top.length) {
      text += top.keys === undefined ? ']' : '}';
      open.pop();
      top = open.at(-1);
    }
    if (top === undefined) return write(text);
    if (text.length > PART_LENGTH) {
      write(text);
      text = '';
    }
    if (top.next > 0) text += ',';
    const index = top.next++;
    if (top.keys === undefined) value = (top.members as readonly unknown[])[index];
    else {
      const key = top.keys[index]!;
      budget.left -= key.length;
      const quoted = quotedText(key);
      if (quoted === undefined) report(problem('lone-surrogate', key, open));
      else text += quoted;
      text += ':';
      value = (top.members as { readonly [key: string]: unknown })[key];
    }
  }
}

/** The text in quotes, or nothing when it is not well formed. JSON.stringify escapes exactly as RFC 8785 asks. */
export function quotedText(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (!/["\\\u0000-\u001f\ud800-\udfff]/.test(text)) return `"${text}"`;
  return isWellFormed(text) ? JSON.stringify(text) : undefined;
}

/** A text of millions of pieces is cheap to build only in parts that are done with while they are young. */
const PART_LENGTH = 16_384;

/** A list or an object whose members are being written; `keys` only for an object. */
interface Frame {
  readonly members: object;
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

function frameOf(value: object): Frame {
  if (isList(value)) return { members: value, keys: undefined, length: value.length, next: 0 };
  const keys = Object.keys(value).sort();
  return { members: value, keys, length: keys.length, next: 0 };
}

function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quotedText(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return value === null ? 'null' : undefined;
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function problem(reason: ValueProblem['reason'], value: unknown, open: readonly Frame[]): ValueProblem {
  // The steps are asked for at once or never: the frames move on.
  return { reason, value, steps: () => open.map((frame) => frame.keys?.[frame.next - 1] ?? frame.next - 1) };
}

function unbounded(): ValueBounds {
  return { depth: Infinity, budget: { left: Infinity } };
}

function refuse({ reason, steps }: ValueProblem): never {
  const where = steps().slice(0, 20).join(' > ');
  throw new TypeError(`No canonical JSON: ${reason}${where === '' ? '' : ` at ${where}`}`);
}
