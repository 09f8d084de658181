import type { Place } from '../issues/index.ts';
import type { COLOCATE_FIELDS } from '../names.ts';
import type { Colocate, Region, RegionEnd, Side, SpanOperation, Strand } from '../compiled-plan.ts';

/** Describes the records that a COLOCATE returns: `each record of A that overlaps a record of B on either strand`. */
export function colocatePhrase(left: string, right: string, colocate: Colocate): string {
  const { operation, output, strand, upstream, downstream, invert } = colocate;
  const one = invert === true ? 'no record' : 'a record';
  const onStrand = STRAND_WORDS[strand];
  const leftRegion = colocate.left ?? windowRegion(upstream, downstream);
  const rightRegion = colocate.right ?? 'exact';
  const [returned, compared] = output === 'left' ? [left, right] : [right, left];
  const [returnedRegion, comparedRegion] = output === 'left' ? [leftRegion, rightRegion] : [rightRegion, leftRegion];
  const verb = VERBS[output][operation];
  const noun = colocate.left === undefined ? 'window' : 'region';
  const subject = isExact(returnedRegion)
    ? `each record of ${returned} that ${verb}`
    : `each record of ${returned} whose ${noun}, ${regionWords(returnedRegion)} along its own strand, ${verb}`;
  if (isExact(comparedRegion)) return `${subject} ${one} of ${compared} ${onStrand}`;
  const going = `the ${noun} going ${regionWords(comparedRegion)} along the strand of the record of ${compared}`;
  return `${subject} the ${noun} of ${one} of ${compared} ${onStrand}, ${going}`;
}

const STRAND_WORDS = {
  both: 'on either strand',
  same: 'on the same strand',
  opposite: 'on the opposite strand',
} satisfies Record<Strand, string>;

const VERBS = {
  left: { overlap: 'overlaps', contains: 'contains', within: 'lies within' },
  right: { overlap: 'overlaps', contains: 'lies within', within: 'contains' },
} satisfies Record<Side, Record<SpanOperation, string>>;

function windowRegion(upstream: number, downstream: number): Region {
  if (upstream === 0 && downstream === 0) return 'exact';
  return {
    begin: { anchor: 'start', direction: 'upstream', offset: upstream },
    end: { anchor: 'stop', direction: 'downstream', offset: downstream },
  };
}

function isExact(region: Region): boolean {
  if (typeof region === 'string') return true;
  if (!('begin' in region)) return false;
  const { begin, end } = region;
  return begin.anchor === 'start' && begin.offset === 0 && end.anchor === 'stop' && end.offset === 0;
}

function regionWords(region: Region): string {
  if (typeof region === 'string') return 'from its start to its end';
  if ('upstream' in region) return flankWords(region.upstream, 'upstream of its start');
  if ('downstream' in region) return flankWords(region.downstream, 'downstream of its end');
  return `from ${boundWords(region.begin)} to ${boundWords(region.end)}`;
}

function flankWords(count: number, place: string): string {
  if (count === 0) return `over no base ${place}`;
  return count === 1 ? `over the 1 base ${place}` : `over the ${bases(count)} ${place}`;
}

function boundWords({ anchor, direction, offset }: RegionEnd): string {
  const place = anchor === 'start' ? 'its start' : 'its end';
  return offset === 0 ? place : `${bases(offset)} ${direction} of ${place}`;
}

function bases(count: number): string {
  return `${String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')} base${count === 1 ? '' : 's'}`;
}

export type ColocateField = (typeof COLOCATE_FIELDS)[number];

export const SIDES = ['left', 'right'] as const;

/** Maximum number of bases of a window. Positions are 32-bit integers. */
export const MAX_BASES = 2 ** 31 - 1;

export type Refuse = (place: Place, value: unknown, is: string, expected: string | readonly string[]) => undefined;

export function readWord<Word extends string>(
  name: string,
  value: unknown,
  words: readonly Word[],
  place: Place,
  refuse: Refuse,
): Word | undefined {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return words.find((each) => each === word) ?? refuse(place, value, `"${name}" is a word`, words);
}

export function readBases(name: string, value: unknown, max: number, place: Place, refuse: Refuse): number | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return Math.abs(value);
  return refuse(place, value, `"${name}" is a number of bases`, `an integer from 0 to ${max}`);
}
