import { isPlainObject } from './canonical-json.ts';
import { describeValue, listNames, quote } from './describe-value.ts';
import { didYouMean } from './did-you-mean.ts';
import { below } from './json-path.ts';
import { COLOCATE_FIELDS } from './node-keys.ts';
import type { Colocate } from './compiled-plan.ts';
import type { Place } from './json-path.ts';
import type { NodeSource, Reading } from './plan-reading.ts';

type Field = (typeof COLOCATE_FIELDS)[number];

export const DEFAULT_COLOCATE: Colocate = {
  downstream: 0,
  operation: 'overlap',
  output: 'left',
  strand: 'both',
  upstream: 0,
};

/** Coordinates are kept as 32-bit integers. */
const MAX_BASES = 2 ** 31 - 1;
const WORDS = {
  strand: ['both', 'same', 'opposite'],
  operation: ['overlap', 'contains', 'within'],
  output: ['left', 'right'],
} as const;

/** The parameters of a COLOCATE node, from `colocate: {...}` or flat on the node; what is not given is the default. */
export function readColocate(source: NodeSource, reading: Reading): Colocate {
  const nested = readNested(source, reading);
  const colocate: { -readonly [Each in Field]: unknown } = { ...DEFAULT_COLOCATE };
  for (const field of COLOCATE_FIELDS) {
    const flat = source.node[field] ?? undefined;
    const inner = nested?.node[field] ?? undefined;
    if (flat !== undefined && inner !== undefined && flat !== inner) {
      reading.issues.add(
        'warning',
        'ignored-key',
        below(source.place, field),
        () => ({
          message: `"${field}" stands on the node and inside "colocate", with different values; the inner one counts. Remove one of them.`,
        }),
        source.nodeId,
      );
    }
    if (inner !== undefined) colocate[field] = readValueOf(field, inner, below(nested!.place, field));
    else if (flat !== undefined) colocate[field] = readValueOf(field, flat, below(source.place, field));
  }
  // Every value that is not one of its field's has become an issue, and with an issue there is no plan.
  return colocate as Colocate;

  function readValueOf(field: Field, value: unknown, place: Place): unknown {
    if (field === 'upstream' || field === 'downstream') {
      if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_BASES)
        return Math.abs(value as number);
      refuse(place, value, `"${field}" is a number of bases`, `an integer from 0 to ${MAX_BASES}`);
      return value;
    }
    const words: readonly string[] = WORDS[field];
    const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
    if (word !== undefined && words.includes(word)) return word;
    refuse(place, value, `"${field}" is a word`, words, word === undefined ? '' : didYouMean(word, words));
    return value;
  }

  function refuse(place: Place, value: unknown, is: string, expected: string | readonly string[], hint = ''): void {
    const wanted = typeof expected === 'string' ? expected : listNames(expected);
    reading.issues.add(
      'error',
      'invalid-colocate',
      place,
      () => ({
        message: `${is}; it is ${describeValue(value)}.${hint} Write ${wanted}.`,
        expected,
        got: describeValue(value),
      }),
      source.nodeId,
    );
  }
}

/** Refuses parameters of COLOCATE on another operator. */
export function refuseColocate(source: NodeSource, operator: string, reading: Reading): void {
  const key = ['colocate', ...COLOCATE_FIELDS].find((each) => source.node[each] != null);
  if (key === undefined) return;
  reading.issues.add(
    'error',
    'misplaced-colocate',
    below(source.place, key),
    () => ({
      message: `"${key}" is for the operator COLOCATE, and this one is ${operator}. Remove it, or make the operator COLOCATE.`,
    }),
    source.nodeId,
  );
}

function readNested(source: NodeSource, reading: Reading): NodeSource | undefined {
  const value = source.node['colocate'];
  if (value === undefined || value === null) return undefined;
  const place = below(source.place, 'colocate');
  if (!isPlainObject(value)) {
    reading.issues.add(
      'error',
      'invalid-colocate',
      place,
      () => ({
        message: `"colocate" is ${describeValue(value)}. Write an object with any of ${listNames(COLOCATE_FIELDS)}.`,
        expected: 'an object',
        got: describeValue(value),
      }),
      source.nodeId,
    );
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if ((COLOCATE_FIELDS as readonly string[]).includes(key)) continue;
    reading.issues.add(
      'error',
      'invalid-colocate',
      below(place, key),
      () => ({
        message: `"colocate" has no ${quote(key)}.${didYouMean(key, COLOCATE_FIELDS)} It can have ${listNames(COLOCATE_FIELDS)}.`,
        expected: COLOCATE_FIELDS,
        got: key,
      }),
      source.nodeId,
    );
  }
  return { node: value, place, nodeId: source.nodeId };
}
