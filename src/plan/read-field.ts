import { describeValue } from './text/index.ts';
import { canonicalText } from './digest/index.ts';
import { below, farBelow } from './issues/index.ts';
import type { ValueProblem } from './digest/canonical-json.ts';
import type { IssueCode, IssueDetail, Place } from './issues/index.ts';
import type { NodeSource, Reading } from './plan-reading.ts';

/** The first of these keys that has a value. If another of them has a different value, it gets a warning. */
export function presentKey(source: NodeSource, keys: readonly string[], reading: Reading): string | undefined {
  let chosen: string | undefined;
  for (const key of keys) {
    const value = source.node[key];
    if (value === undefined || value === null) continue;
    if (chosen === undefined) chosen = key;
    else if (!sameValue(source.node[chosen], value, reading.limits.valueDepth)) {
      const winner = chosen;
      reading.issues.add('warning', 'ignored-key', below(source.place, key), () => ({
        message: `"${key}" and "${winner}" mean the same and differ here; "${winner}" counts. Remove one of them.`,
      }));
    }
  }
  return chosen;
}

/** Reads a text, trimmed; undefined if it is absent or blank. Reports a value that is not text. */
export function readText(
  source: NodeSource,
  keys: readonly string[],
  reading: Reading,
  code: IssueCode = 'invalid-text',
): string | undefined {
  const key = presentKey(source, keys, reading);
  if (key === undefined) return undefined;
  return readTextAt(source.node[key], source.place, key, reading, code);
}

export function readTextAt(
  value: unknown,
  parent: Place,
  step: string | number,
  reading: Reading,
  code: IssueCode = 'invalid-text',
): string | undefined {
  const text = typeof value === 'string' ? value.trim() : coercedText(value);
  if (text === undefined) return refuse(code, notText(step, value));
  if ((reading.budget.left -= text.length) < 0) return refuse('too-large', tooLarge(reading));
  if (!text.isWellFormed()) return refuse('invalid-text', LONE_SURROGATE);
  if (typeof value !== 'string') {
    reading.issues.add('warning', 'coerced-text', below(parent, step), () => ({
      message: `${labelOf(step)} is ${describeValue(value)} where a text belongs; it is read as the text "${text}". Put it in quotes.`,
      expected: 'a text',
      got: describeValue(value),
    }));
  }
  return text === '' ? undefined : text;

  function refuse(problem: IssueCode, detail: IssueDetail): undefined {
    reading.issues.add('error', problem, below(parent, step), () => detail);
  }
}

/** Like `readText`, but returns '' for a blank name, which the check of executors rejects later. */
export function readName(source: NodeSource, key: 'capability' | 'agent', reading: Reading): string | undefined {
  const written = source.node[key];
  return typeof written === 'string' && written.trim() === '' ? '' : readText(source, [key], reading);
}

/** A JSON value as read. `text` is its canonical form; undefined if it is absent, null or `{}`. */
export interface ValueReading {
  readonly ok: boolean;
  readonly text: string | undefined;
}

export function readJsonValue(
  source: NodeSource,
  keys: readonly string[],
  reading: Reading,
  code: 'invalid-context' | 'invalid-arguments',
): ValueReading {
  const key = presentKey(source, keys, reading);
  if (key === undefined) return ABSENT;
  const bounds = { depth: reading.limits.valueDepth, budget: reading.budget };
  let ok = true;
  const text = canonicalText(source.node[key], bounds, (problem) => {
    ok = false;
    const [issue, detail] = issueOf(problem, code, reading);
    reading.issues.add('error', issue, farBelow(below(source.place, key), problem.steps), () => detail);
  });
  return { ok, text: ok && text !== '{}' ? text : undefined };
}

const ABSENT: ValueReading = { ok: true, text: undefined };

function labelOf(step: string | number): string {
  return typeof step === 'number' ? `Entry ${step + 1} of the list` : `"${step}"`;
}

function notText(step: string | number, value: unknown): IssueDetail {
  const got = describeValue(value);
  return { message: `${labelOf(step)} is ${got} where a text belongs. Write a text.`, expected: 'a text', got };
}

/** Maximum characters of two values that are compared. Longer values count as different. */
const MAX_COMPARED = 1_000_000;

const LONE_SURROGATE: IssueDetail = {
  message:
    'The text holds half of a surrogate pair, which no encoding can carry. Remove it or write the whole character.',
  expected: 'well-formed Unicode',
};

function issueOf(
  { reason, value }: ValueProblem,
  code: IssueCode,
  reading: Reading,
): readonly [IssueCode, IssueDetail] {
  switch (reason) {
    case 'not-json': {
      const got = describeValue(value);
      const message = `JSON cannot hold what stands here (${got}). Write a JSON value or leave the key out.`;
      return [code, { message, expected: 'a JSON value', got }];
    }
    case 'lone-surrogate':
      return ['invalid-text', LONE_SURROGATE];
    case 'too-deep': {
      const levels = reading.limits.valueDepth;
      const message = `The value has more than ${levels} levels of lists and objects. Make it flatter.`;
      return ['value-too-deep', { message, expected: `at most ${levels} levels` }];
    }
    case 'too-large':
      return ['too-large', tooLarge(reading)];
  }
}

function tooLarge(reading: Reading): IssueDetail {
  const message = `The texts and values of the document have more than ${reading.limits.bytes} characters. Make them shorter, or raise the limit.`;
  return { message, expected: `at most ${reading.limits.bytes} characters` };
}

function coercedText(value: unknown): string | undefined {
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? String(value)
    : undefined;
}

/** Whether two values under keys of the same meaning are equal. If a value is not JSON, they count as different. */
export function sameValue(one: unknown, other: unknown, depth: number): boolean {
  if (one === other) return true;
  if (typeof one === 'string' && typeof other === 'string') return one.trim() === other.trim();
  let comparable = typeof one === 'object' && typeof other === 'object';
  if (!comparable) return false;
  const [left, right] = [one, other].map((value) =>
    canonicalText(value, { depth, budget: { left: MAX_COMPARED } }, () => (comparable = false)),
  );
  return comparable && left === right;
}
