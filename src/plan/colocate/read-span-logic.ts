/**
 * Reading the parameters of COLOCATE under the names that VEuPathDB gives them.
 * VEuPathDB WDK: the parameters of GenesBySpanLogic and its kin; side a is left, side b is right.
 */

import { COLOCATE_DEFAULTS, MAX_REGION_OFFSET } from '../algebra/index.ts';
import { quote } from '../text/index.ts';
import { below } from '../issues/index.ts';
import { COLOCATE_FIELDS } from '../names.ts';
import { readBases, readWord, type Refuse } from './colocate-fields.ts';
import type { Colocate, Region, RegionEnd } from '../compiled-plan.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

const SPAN_WORDS = {
  span_strand: { 'both strands': 'both', 'same strand': 'same', 'opposite strand': 'opposite' },
  span_operation: { overlap: 'overlap', a_contain_b: 'contains', b_contain_a: 'within' },
  span_output: { a: 'left', b: 'right' },
} as const satisfies { readonly [Name in keyof SpanMeaning]: Readonly<Record<string, Colocate[SpanMeaning[Name]]>> };
/** Names that repeat the other names or, as the operands of the node, `left` and `right`. */
const SHOWN_ONLY = ['span_a', 'span_b', 'span_sentence', 'region_a', 'region_b'];
export const SPAN_NAMES: readonly string[] = [
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

/** The parameters of a `colocate` with such names, translated with a warning; missing ones are the default. */
export function readSpanLogic(
  { node, place }: NodeSource,
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
    ...COLOCATE_DEFAULTS,
    strand: wordOf('span_strand') ?? COLOCATE_DEFAULTS.strand,
    operation: wordOf('span_operation') ?? COLOCATE_DEFAULTS.operation,
    // The published default is "none", which the site itself refuses: there is none.
    output: wordOf('span_output', true) ?? COLOCATE_DEFAULTS.output,
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
  reading.issues.add('warning', 'invalid-colocate', place, () => ({
    message: `These are the parameters of VEuPathDB's span logic; a is the left side, b the right. They are read as ${translated}.${rest}`,
    expected: translated,
  }));
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

/** The value that the site's presets write, under their names. */
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
