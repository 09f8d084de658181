import { isPlainObject } from '../plain-object.ts';
import type { JsonValue } from '../compiled-plan.ts';

/** Why a value has no canonical form. `steps` is the path to the value. */
export interface ValueProblem {
  readonly reason: 'not-json' | 'lone-surrogate' | 'too-deep' | 'too-large';
  readonly value: unknown;
  readonly steps: readonly (string | number)[];
}

export interface ValueBounds {
  readonly depth: number;
  /** How many more characters and values may be read. All values of a document share this budget. */
  readonly budget: ReadBudget;
}

export interface ReadBudget {
  left: number;
}

/** Default maximum levels of a value. The reader is recursive. */
const MAX_LEVELS = 2_000;

/**
 * The canonical form of a JSON value (RFC 8785): no spaces, keys sorted by UTF-16 code units.
 * @throws TypeError if the value is not JSON, has a lone surrogate, or has more than 2,000 levels
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  return writeCanonical(value, { depth: MAX_LEVELS, budget: { left: Infinity } }, throwProblem, true);
}

/** Like `canonicalJson`, but takes any value and reports problems instead of throwing. */
export function canonicalText(root: unknown, bounds: ValueBounds, report: (problem: ValueProblem) => void): string {
  return writeCanonical(root, bounds, report, false);
}

/** @param isOwn true if no other code can change the value, so that JSON.stringify may write what was checked */
function writeCanonical(
  root: unknown,
  { depth, budget }: ValueBounds,
  report: (problem: ValueProblem) => void,
  isOwn: boolean,
): string {
  const path: (string | number)[] = [];
  let isCanonical = true;
  const whole = rewritten(root, 0);
  return isCanonical ? (whole ?? JSON.stringify(root)) : '';

  /** The canonical form; undefined if JSON.stringify already writes it. Only the order of keys can differ. */
  function rewritten(value: unknown, level: number): string | undefined {
    if (budget.left < 0) return undefined;
    budget.left -= typeof value === 'string' ? value.length + 1 : 1;
    if (budget.left < 0) return problem('too-large', value, level);
    if (typeof value === 'string') return value.isWellFormed() ? plain(value) : problem('lone-surrogate', value, level);
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return plain(value);
    if (!Array.isArray(value) && !isPlainObject(value)) return problem('not-json', value, level);
    if (level >= depth) return problem('too-deep', value, level);
    return Array.isArray(value) ? list(value, level) : object(value, level);
  }

  function plain(value: unknown): string | undefined {
    return isOwn ? undefined : JSON.stringify(value);
  }

  function list(values: readonly unknown[], level: number): string | undefined {
    const { length } = values;
    let texts: string[] | undefined = isOwn ? undefined : [];
    for (let at = 0; at < length && budget.left >= 0; at++) {
      path[level] = at;
      const text = rewritten(values[at], level + 1);
      if (text !== undefined) (texts ??= [])[at] = text;
    }
    const member = (_: unknown, at: number) => texts![at] ?? JSON.stringify(values[at]);
    return texts && isCanonical ? `[${Array.from({ length }, member).join(',')}]` : undefined;
  }

  function object(members: { readonly [key: string]: unknown }, level: number): string | undefined {
    const keys = Object.keys(members);
    let texts: string[] | undefined = isOwn ? undefined : [];
    if (!keys.every((key, at) => at === 0 || keys[at - 1]! < key)) {
      keys.sort();
      texts = [];
    }
    for (let at = 0; at < keys.length; at++) {
      const key = (path[level] = keys[at]!);
      budget.left -= key.length;
      if (!key.isWellFormed()) problem('lone-surrogate', key, level + 1);
      const text = rewritten(members[key], level + 1);
      if (text !== undefined) (texts ??= [])[at] = text;
    }
    const member = (key: string, at: number) => `${JSON.stringify(key)}:${texts![at] ?? JSON.stringify(members[key])}`;
    return texts && isCanonical ? `{${keys.map(member).join(',')}}` : undefined;
  }

  function problem(reason: ValueProblem['reason'], value: unknown, level: number): undefined {
    isCanonical = false;
    report({ reason, value, steps: path.slice(0, level) });
  }
}

function throwProblem({ reason, steps }: ValueProblem): never {
  const where = steps.slice(0, 20).join(' > ');
  throw new TypeError(`No canonical JSON: ${reason}${where === '' ? '' : ` at ${where}`}`);
}
