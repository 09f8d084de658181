export type { BooleanOperator, CombinedSet } from './boolean-operators.ts';
export { colocate, COLOCATE_DEFAULTS, COLOCATE_WORDS } from './colocate.ts';
export type { ColocateParameters, Side, SpanOperation, Strand } from './colocate.ts';
export { combineSets, SET_OPERATORS, type SetOperator, observeSets } from './observe-sets.ts';
export { createSet, createSetBuilder } from './create-set.ts';
export type { SetBuilder } from './create-set.ts';
export {
  locationId,
  MAX_POSITION,
  normalLocations,
  locationAt,
  STRAND_OF_SYMBOL,
  STRAND_SYMBOLS,
  emptySet,
  recordAt,
  records,
} from './locations.ts';
export { rowsInOrder } from './position-order.ts';
export { MAX_REGION_OFFSET } from './regions.ts';
export type { Region, RegionEnd } from './regions.ts';
export { atOnce } from './sort-texts.ts';
export type { Steps } from './sort-texts.ts';
export { setProblem } from './record-problem.ts';
export type { Locations, ResultLocation, ResultRecord, ResultSet, SetSource, StrandSign } from './result-set.ts';
