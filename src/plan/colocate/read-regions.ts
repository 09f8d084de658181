import { MAX_REGION_OFFSET } from '../algebra/index.ts';
import { below } from '../issues/index.ts';
import { isPlainObject } from '../plain-object.ts';
import { SIDES, readBases, readWord, type Refuse } from './colocate-fields.ts';
import type { Colocate, Region, RegionEnd } from '../compiled-plan.ts';
import type { Place } from '../issues/index.ts';
import type { NodeSource } from '../plan-reading.ts';

const REGION_WORDS = '"exact", { "upstream": N }, { "downstream": N }, or an object with "begin" and "end"';

/** Reads the regions of both sides. `given` are the fields of the simple form that the node has. */
export function readRegions(
  nested: NodeSource | undefined,
  given: ReadonlyMap<string, Place>,
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
