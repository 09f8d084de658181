/** The removal of what no run refers to any more. */

export { collect, type CollectOptions } from './collect.ts';
export type { Place } from './histories.ts';
