import { COLOCATE_DEFAULTS, COLOCATE_WORDS, MAX_REGION_OFFSET } from '../algebra/index.ts';
import { describeValue, listNames, quote } from '../text/index.ts';
import { didYouMean, below, type Place } from '../issues/index.ts';
import { COLOCATE_FIELDS, SPAN_LOGIC } from '../names.ts';
import { isPlainObject } from '../plain-object.ts';
import { MAX_BASES, SIDES, readBases, readWord, type Refuse, type ColocateField } from './colocate-fields.ts';
import type { Colocate, Region, RegionEnd } from '../compiled-plan.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

const REGION_WORDS = '"exact", { "upstream": N }, { "downstream": N }, or an object with "begin" and "end"';

function readRegions(
  nested: NodeSource | undefined,
  places: ReadonlyMap<string, Place>,
  refuse: Refuse,
): Pick<Colocate, 'left' | 'right'> {
  if (nested === undefined || SIDES.every((side) => nested.node[side] == null)) return {};
  for (const field of ['upstream', 'downstream'] as const) {
    const place = places.get(field);
    if (place === undefined) continue;
    refuse(
      place,
      field,
      'The window of the simple form stands beside the regions of both sides',
      'one of the two: the window is the region { "begin", "end" } of the left side',
    );
  }
  const [left, right] = SIDES.map((side) => readRegion(side, nested.node[side], below(nested.place, side), refuse));
  return { left: left!, right: right! };
}

function readRegion(side: string, value: unknown, place: Place, refuse: Refuse): Region | undefined {
  if (typeof value === 'string' && value.trim().toLowerCase() === 'exact') return 'exact';
  const region = isPlainObject(value) ? value : {};
  const keys = Object.keys(region).filter((key) => region[key] != null);
  const [kind] = keys;
  if (keys.length === 1 && (kind === 'upstream' || kind === 'downstream')) {
    const bases = readBases(kind, region[kind], MAX_REGION_OFFSET, below(place, kind), refuse)!;
    return kind === 'upstream' ? { upstream: bases } : { downstream: bases };
  }
  if (keys.toSorted().join() !== 'begin,end') {
    return refuse(place, value, `"${side}" is the region of the ${side} side`, REGION_WORDS);
  }
  return {
    begin: readRegionEnd('begin', region['begin'], below(place, 'begin'), refuse)!,
    end: readRegionEnd('end', region['end'], below(place, 'end'), refuse)!,
  };
}

function readRegionEnd(name: string, value: unknown, place: Place, refuse: Refuse): RegionEnd | undefined {
  if (!isPlainObject(value) || Object.keys(value).toSorted().join() !== 'anchor,direction,offset') {
    return refuse(place, value, `"${name}" is a base`, 'an object with exactly "anchor", "direction" and "offset"');
  }
  const anchor = readWord('anchor', value['anchor'], ['start', 'stop'], below(place, 'anchor'), refuse);
  const direction = readWord(
    'direction',
    value['direction'],
    ['upstream', 'downstream'],
    below(place, 'direction'),
    refuse,
  );
  const offset = readBases('offset', value['offset'], MAX_REGION_OFFSET, below(place, 'offset'), refuse);
  return { anchor: anchor!, direction: direction!, offset: offset! };
}

const NESTED_FIELDS = [...COLOCATE_FIELDS, ...SIDES];

/**
 * Reads the parameters of COLOCATE from `colocate: {...}` or, except regions, from the node itself. Missing parameters
 * get their defaults. VEuPathDB's parameter names inside `colocate` are translated, with a warning.
 */
export function readColocate(source: NodeSource, reading: Reading): Colocate {
  const nested = readNested(source, reading);
  const refuse = refuseIn(reading);
  if (nested !== undefined && Object.keys(nested.node).some((key) => SPAN_NAMES.includes(key))) {
    return readSpanLogic(nested, source, reading, refuse);
  }
  const colocate: { -readonly [Each in ColocateField]?: unknown } = { ...COLOCATE_DEFAULTS };
  const places = new Map<ColocateField, Place>();
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
    places.set(field, place);
    colocate[field] = readField(field, value, place, refuse);
  }
  if (colocate.invert === undefined) delete colocate.invert;
  // Returns the values even if some are invalid. Each is reported as an error, so the plan does not compile.
  return { ...(colocate as unknown as Colocate), ...readRegions(nested, places, refuse) };
}

/** Reads `invert`. False and absent become undefined, so that equal plans have one form and one digest. */
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

const SPAN_NAMES: readonly string[] = Object.keys(SPAN_LOGIC);

type Ends = Readonly<Record<'begin' | 'end', RegionEnd>>;

/** Translates a `colocate` with VEuPathDB's parameter names, with a warning. Missing parameters get their defaults. */
function readSpanLogic({ node, place }: NodeSource, source: NodeSource, reading: Reading, refuse: Refuse): Colocate {
  for (const field of COLOCATE_FIELDS) {
    const value = source.node[field];
    const what = `"${field}" stands beside the names of the span logic`;
    if (value != null) refuse(below(source.place, field), value, what, 'it with their names, or all in ours');
  }
  const read = new Map(Object.keys(SPAN_LOGIC).map((name) => [name, spanValue(name)]));
  const fields = SPAN_NAMES.flatMap((name) => {
    const { field } = SPAN_LOGIC[name]!;
    return field === undefined || read.get(name) === undefined ? [] : [[field, read.get(name)]];
  });
  const regions = { left: regionOf('a'), right: regionOf('b') };
  const colocate = { ...COLOCATE_DEFAULTS, ...(Object.fromEntries(fields) as Partial<Colocate>), ...regions };
  const { left, right, operation, output, strand } = colocate;
  const translated = JSON.stringify({ left, operation, output, right, strand });
  const unread = SPAN_NAMES.filter((name) => SPAN_LOGIC[name]!.isRepeated && node[name] != null && node[name] !== '');
  const verb = unread.length === 1 ? 'is' : 'are';
  const why = `${verb} not read: regions come from begin and end, operands from the node`;
  const rest = unread.length === 0 ? '' : ` ${unread.map(quote).join(', ')} ${why}.`;
  reading.issues.add('warning', 'invalid-colocate', place, () => ({
    message: `These are the parameters of VEuPathDB's span logic; a is the left side, b the right. They are read as ${translated}.${rest}`,
    expected: translated,
  }));
  return colocate;

  function spanValue(name: string): string | number | undefined {
    const { words, isRepeated, isOptional } = SPAN_LOGIC[name]!;
    const written = node[name];
    if (isRepeated || (isOptional && written == null)) return undefined;
    const at = below(place, name);
    if (words === undefined) {
      const isNumeral = typeof written === 'string' && /^\s*\d{1,15}\s*$/.test(written);
      return readBases(name, isNumeral ? Number(written) : written, MAX_REGION_OFFSET, at, refuse);
    }
    const word = readWord(name, written, Object.keys(words), at, refuse);
    return word === undefined ? undefined : words[word];
  }

  function regionOf(side: 'a' | 'b'): Region {
    const ends = ['begin', 'end'].map((end) => [
      end,
      {
        anchor: read.get(`span_${end}_${side}`),
        direction: read.get(`span_${end}_direction_${side}`),
        offset: read.get(`span_${end}_offset_${side}`),
      },
    ]);
    // Returns a region even if a part is missing. The part is reported as an error, so the plan does not compile.
    return presetOf(Object.fromEntries(ends) as Ends);
  }
}

/** A region in the short form of VEuPathDB's presets, or else as begin and end. */
function presetOf({ begin, end }: Ends): Region {
  const [from, to] = [begin, end].map(
    ({ anchor, direction, offset }) =>
      `${anchor}${offset === 0 ? '' : direction === 'upstream' ? `-${offset}` : `+${offset}`}`,
  );
  if (from === 'start' && to === 'stop') return 'exact';
  if (from === `start-${begin.offset}` && to === 'start-1') return { upstream: begin.offset };
  if (from === 'stop+1' && to === `stop+${end.offset}`) return { downstream: end.offset };
  return { begin, end };
}
