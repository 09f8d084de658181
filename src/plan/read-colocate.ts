import { MAX_REGION_OFFSET } from '../algebra/index.ts';
import { isPlainObject } from './canonical-json.ts';
import { describeValue, listNames, quote } from './describe-value.ts';
import { didYouMean } from './did-you-mean.ts';
import { below } from './json-path.ts';
import { COLOCATE_FIELDS } from './node-keys.ts';
import type { Colocate, Region, RegionEnd } from './compiled-plan.ts';
import type { Place } from './json-path.ts';
import type { NodeSource, Reading } from './plan-reading.ts';

type Field = (typeof COLOCATE_FIELDS)[number];

/** Reports a value that is not what belongs there; nothing is returned, as there is then no plan. */
type Refuse = (place: Place, value: unknown, is: string, expected: string | readonly string[]) => undefined;

export const DEFAULT_COLOCATE: Colocate = {
  downstream: 0,
  operation: 'overlap',
  output: 'left',
  strand: 'both',
  upstream: 0,
};

/** Coordinates are kept as 32-bit integers. */
const MAX_BASES = 2 ** 31 - 1;
const SIDES = ['left', 'right'] as const;
const NESTED_FIELDS = [...COLOCATE_FIELDS, ...SIDES];
const WORDS = {
  strand: ['both', 'same', 'opposite'],
  operation: ['overlap', 'contains', 'within'],
  output: ['left', 'right'],
} as const;
const REGION_WORDS = '"exact", { "upstream": N }, { "downstream": N }, or an object with "begin" and "end"';

/**
 * The parameters of a COLOCATE node, from `colocate: {...}` or, but for the regions, flat on the node; what is not
 * given is the default. Inside `colocate` the names of VEuPathDB's span logic are translated, with a warning.
 */
export function readColocate(source: NodeSource, reading: Reading): Colocate {
  const nested = readNested(source, reading);
  const refuse = refuseIn(source, reading);
  if (nested !== undefined && Object.keys(nested.node).some((key) => SPAN_NAMES.includes(key))) {
    return readSpanLogic(nested, source, reading, refuse);
  }
  const colocate: { -readonly [Each in Field]: unknown } = { ...DEFAULT_COLOCATE };
  const given = new Map<Field, Place>();
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
    const value = inner ?? flat;
    if (value === undefined) continue;
    const place = below(inner === undefined ? source.place : nested!.place, field);
    given.set(field, place);
    colocate[field] = readField(field, value, place, refuse);
  }
  // Every value that is not one of its field's has become an issue, and with an issue there is no plan.
  return { ...(colocate as unknown as Colocate), ...readRegions(nested, given, refuse) };
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

function refuseIn({ nodeId }: NodeSource, reading: Reading): Refuse {
  return (place, value, is, expected) => {
    const wanted = typeof expected === 'string' ? expected : listNames(expected);
    const got = describeValue(value);
    const hint = typeof value === 'string' && typeof expected !== 'string' ? didYouMean(value, expected) : '';
    const message = `${is}; it is ${got}.${hint} Write ${wanted}.`;
    reading.issues.add('error', 'invalid-colocate', place, () => ({ message, expected, got }), nodeId);
  };
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
        message: `"colocate" is ${describeValue(value)}. Write an object with any of ${listNames(NESTED_FIELDS)}.`,
        expected: 'an object',
        got: describeValue(value),
      }),
      source.nodeId,
    );
    return undefined;
  }
  const keys = Object.keys(value);
  const known = keys.some((key) => SPAN_NAMES.includes(key)) ? SPAN_NAMES : NESTED_FIELDS;
  for (const key of keys) {
    if (known.includes(key)) continue;
    reading.issues.add(
      'error',
      'invalid-colocate',
      below(place, key),
      () => ({
        message: `"colocate" has no ${quote(key)}${known === SPAN_NAMES ? ' beside the names of the span logic' : ''}.${didYouMean(key, known)} It can have ${listNames(known)}.`,
        expected: known,
        got: key,
      }),
      source.nodeId,
    );
  }
  return { node: value, place, nodeId: source.nodeId };
}

function readField(field: Field, value: unknown, place: Place, refuse: Refuse): unknown {
  if (field === 'upstream' || field === 'downstream') return readBases(field, value, MAX_BASES, place, refuse);
  return readWord(field, value, WORDS[field], place, refuse);
}

function readWord<Word extends string>(
  name: string,
  value: unknown,
  words: readonly Word[],
  place: Place,
  refuse: Refuse,
): Word | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return words.find((each) => each === word) ?? refuse(place, value, `"${name}" is a word`, words);
}

function readBases(name: string, value: unknown, most: number, place: Place, refuse: Refuse): number | undefined {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most) return Math.abs(value as number);
  return refuse(place, value, `"${name}" is a number of bases`, `an integer from 0 to ${most}`);
}

function readRegions(
  nested: NodeSource | undefined,
  given: ReadonlyMap<Field, Place>,
  refuse: Refuse,
): Pick<Colocate, 'left' | 'right'> {
  if (nested === undefined || SIDES.every((side) => nested.node[side] == null)) return {};
  for (const field of ['upstream', 'downstream'] as const) {
    const place = given.get(field);
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
    const bases = readBases(kind, region[kind], MAX_REGION_OFFSET, below(place, kind), refuse);
    return { [kind]: bases } as unknown as Region;
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

// VEuPathDB WDK: the parameters of GenesBySpanLogic and its kin. Side a is left, side b is right.

const SPAN_WORDS = {
  span_strand: { 'both strands': 'both', 'same strand': 'same', 'opposite strand': 'opposite' },
  span_operation: { overlap: 'overlap', a_contain_b: 'contains', b_contain_a: 'within' },
  span_output: { a: 'left', b: 'right' },
} as const;
/** They say again what the other names say, or, as the operands of the node, what `left` and `right` say. */
const SHOWN_ONLY = ['span_a', 'span_b', 'span_sentence', 'region_a', 'region_b'];
const SPAN_NAMES: readonly string[] = [
  ...Object.keys(SPAN_WORDS),
  ...SHOWN_ONLY,
  ...['a', 'b'].flatMap((side) =>
    ['begin', 'end'].flatMap((end) => [
      `span_${end}_${side}`,
      `span_${end}_direction_${side}`,
      `span_${end}_offset_${side}`,
    ]),
  ),
];

function readSpanLogic(
  { node, place, nodeId }: NodeSource,
  source: NodeSource,
  reading: Reading,
  refuse: Refuse,
): Colocate {
  for (const field of COLOCATE_FIELDS) {
    if (source.node[field] != null)
      refuse(
        below(source.place, field),
        source.node[field],
        `"${field}" stands beside the names of the span logic`,
        'it with their names, or all in ours',
      );
  }
  const colocate = {
    ...DEFAULT_COLOCATE,
    strand: wordOf('span_strand') ?? DEFAULT_COLOCATE.strand,
    operation: wordOf('span_operation') ?? DEFAULT_COLOCATE.operation,
    // The published default is "none", which the site itself refuses: there is none.
    output: wordOf('span_output', true) ?? DEFAULT_COLOCATE.output,
    left: presetOf(endOf('begin', 'a'), endOf('end', 'a')),
    right: presetOf(endOf('begin', 'b'), endOf('end', 'b')),
  };
  const { left, right, operation, output, strand } = colocate;
  const translated = JSON.stringify({ left, operation, output, right, strand });
  const unread = SHOWN_ONLY.filter((name) => node[name] != null && node[name] !== '');
  const rest =
    unread.length === 0
      ? ''
      : ` ${unread.map(quote).join(', ')} ${unread.length === 1 ? 'is' : 'are'} not read: regions come from begin and end, operands from the node.`;
  reading.issues.add(
    'warning',
    'invalid-colocate',
    place,
    () => ({
      message: `These are the parameters of VEuPathDB's span logic; a is the left side, b the right. They are read as ${translated}.${rest}`,
      expected: translated,
    }),
    nodeId,
  );
  return colocate;

  function wordOf<Name extends keyof typeof SPAN_WORDS>(
    name: Name,
    isNeeded = false,
  ): Colocate[SpanMeaning[Name]] | undefined {
    const words: { readonly [written: string]: string } = SPAN_WORDS[name];
    if (node[name] == null && !isNeeded) return undefined;
    const written = readWord(name, node[name], Object.keys(words), below(place, name), refuse);
    return written === undefined ? undefined : (words[written] as Colocate[SpanMeaning[Name]]);
  }

  function endOf(end: 'begin' | 'end', side: 'a' | 'b'): RegionEnd {
    const [anchorName, directionName, offsetName] = [
      `span_${end}_${side}`,
      `span_${end}_direction_${side}`,
      `span_${end}_offset_${side}`,
    ];
    const anchor = readWord(anchorName, node[anchorName], ['start', 'stop'], below(place, anchorName), refuse);
    const sign = readWord(directionName, node[directionName], ['+', '-'], below(place, directionName), refuse);
    const written = node[offsetName];
    const number = typeof written === 'string' && /^\s*\d{1,15}\s*$/.test(written) ? Number(written) : written;
    const offset = readBases(offsetName, number, MAX_REGION_OFFSET, below(place, offsetName), refuse);
    return { anchor: anchor!, direction: sign === '-' ? 'upstream' : 'downstream', offset: offset! };
  }
}

interface SpanMeaning {
  readonly span_strand: 'strand';
  readonly span_operation: 'operation';
  readonly span_output: 'output';
}

/** What the site's presets write, under their names. */
function presetOf(begin: RegionEnd, end: RegionEnd): Region {
  const [from, to] = [begin, end].map(
    ({ anchor, direction, offset }) =>
      `${anchor}${offset === 0 ? '' : direction === 'upstream' ? `-${offset}` : `+${offset}`}`,
  );
  if (from === 'start' && to === 'stop') return 'exact';
  if (from === `start-${begin.offset}` && to === 'start-1') return { upstream: begin.offset };
  if (from === 'stop+1' && to === `stop+${end.offset}`) return { downstream: end.offset };
  return { begin, end };
}
