import { COLOCATE_DEFAULTS, COLOCATE_WORDS } from '../algebra/index.ts';
import { describeValue, listNames, quote } from '../text/index.ts';
import { didYouMean, below } from '../issues/index.ts';
import { COLOCATE_FIELDS } from '../names.ts';
import { isPlainObject } from '../plain-object.ts';
import { MAX_BASES, SIDES, readBases, readWord, type Refuse } from './colocate-fields.ts';
import { readRegions } from './read-regions.ts';
import { readSpanLogic, SPAN_NAMES } from './read-span-logic.ts';
import type { Colocate } from '../compiled-plan.ts';
import type { Place } from '../issues/index.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';
import type { ColocateField } from './colocate-fields.ts';

const NESTED_FIELDS = [...COLOCATE_FIELDS, ...SIDES];

/**
 * The parameters of a COLOCATE node, from `colocate: {...}` or, except regions, from the node itself. Missing ones get
 * the default. Names of VEuPathDB's span logic inside `colocate` are translated, with a warning.
 */
export function readColocate(source: NodeSource, reading: Reading): Colocate {
  const nested = readNested(source, reading);
  const refuse = refuseIn(reading);
  if (nested !== undefined && Object.keys(nested.node).some((key) => SPAN_NAMES.includes(key))) {
    return readSpanLogic(nested, source, reading, refuse);
  }
  const colocate: { -readonly [Each in ColocateField]?: unknown } = { ...COLOCATE_DEFAULTS };
  const given = new Map<ColocateField, Place>();
  for (const field of COLOCATE_FIELDS) {
    const flat = source.node[field] ?? undefined;
    const inner = nested?.node[field] ?? undefined;
    if (flat !== undefined && inner !== undefined && flat !== inner) {
      reading.issues.add('warning', 'ignored-key', below(source.place, field), () => ({
        message: `"${field}" stands on the node and inside "colocate", with different values; the inner one counts. Remove one of them.`,
      }));
    }
    const value = inner ?? flat;
    if (value === undefined) continue;
    const place = below(inner === undefined ? source.place : nested!.place, field);
    given.set(field, place);
    colocate[field] = readField(field, value, place, refuse);
  }
  if (colocate.invert === undefined) delete colocate.invert;
  // Every value that does not fit has become an issue, and then there is no plan.
  return { ...(colocate as unknown as Colocate), ...readRegions(nested, given, refuse) };
}

/** Without inversion `invert` is absent, so that a plan has one form. */
function readInvert(value: unknown, place: Place, refuse: Refuse): true | undefined {
  if (typeof value === 'boolean') return value || undefined;
  return refuse(place, value, '"invert" says whether the records that meet none are kept', 'true or false');
}

export function refuseColocate(source: NodeSource, operator: string, reading: Reading): void {
  const key = ['colocate', ...COLOCATE_FIELDS].find((each) => source.node[each] != null);
  if (key === undefined) return;
  reading.issues.add('error', 'misplaced-colocate', below(source.place, key), () => ({
    message: `"${key}" is for the operator COLOCATE, and this one is ${operator}. Remove it, or make the operator COLOCATE.`,
  }));
}

function refuseIn(reading: Reading): Refuse {
  return (place, value, is, expected) => {
    reading.issues.add('error', 'invalid-colocate', place, () => {
      const wanted = typeof expected === 'string' ? expected : listNames(expected);
      const got = describeValue(value);
      const hint = typeof value === 'string' && typeof expected !== 'string' ? didYouMean(value, expected) : '';
      return { message: `${is}; it is ${got}.${hint} Write ${wanted}.`, expected, got };
    });
  };
}

function readNested(source: NodeSource, reading: Reading): NodeSource | undefined {
  const value = source.node['colocate'];
  if (value === undefined || value === null) return undefined;
  const place = below(source.place, 'colocate');
  if (!isPlainObject(value)) {
    reading.issues.add('error', 'invalid-colocate', place, () => ({
      message: `"colocate" is ${describeValue(value)}. Write an object with any of ${listNames(NESTED_FIELDS)}.`,
      expected: 'an object',
      got: describeValue(value),
    }));
    return undefined;
  }
  const keys = Object.keys(value);
  const known = keys.some((key) => SPAN_NAMES.includes(key)) ? SPAN_NAMES : NESTED_FIELDS;
  for (const key of keys) {
    if (known.includes(key)) continue;
    reading.issues.add('error', 'invalid-colocate', below(place, key), () => ({
      message: `"colocate" has no ${quote(key)}${known === SPAN_NAMES ? ' beside the names of the span logic' : ''}.${didYouMean(key, known)} It can have ${listNames(known)}.`,
      expected: known,
      got: key,
    }));
  }
  return { node: value, place };
}

function readField(field: ColocateField, value: unknown, place: Place, refuse: Refuse): unknown {
  if (field === 'upstream' || field === 'downstream') return readBases(field, value, MAX_BASES, place, refuse);
  if (field === 'invert') return readInvert(value, place, refuse);
  return readWord(field, value, COLOCATE_WORDS[field], place, refuse);
}
