/** Reads the parameters of COLOCATE under their names in VEuPathDB's WDK (GenesBySpanLogic and similar searches). */

import { COLOCATE_DEFAULTS, MAX_REGION_OFFSET } from '../algebra/index.ts';
import { quote } from '../text/index.ts';
import { below } from '../issues/index.ts';
import { COLOCATE_FIELDS, SPAN_LOGIC } from '../names.ts';
import { readBases, readWord, type Refuse } from './colocate-fields.ts';
import type { Colocate, Region, RegionEnd } from '../compiled-plan.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

export const SPAN_NAMES: readonly string[] = Object.keys(SPAN_LOGIC);

type Ends = Readonly<Record<'begin' | 'end', RegionEnd>>;

/** Translates a `colocate` with VEuPathDB's parameter names, with a warning. Missing parameters get their default. */
export function readSpanLogic(
  { node, place }: NodeSource,
  source: NodeSource,
  reading: Reading,
  refuse: Refuse,
): Colocate {
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
    // Returns a region even if a part is missing: that part is reported as an error, so such a plan never compiles.
    return presetOf(Object.fromEntries(ends) as Ends);
  }
}

/** The short form of a region, as VEuPathDB's presets write it, or else the region as begin and end. */
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
