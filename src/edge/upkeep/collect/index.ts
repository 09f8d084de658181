/** The removal of what no run refers to any more. */

export { collect, type Collected, type CollectOptions } from './collect.ts';
export { UnreadableHistory, type Place } from './histories.ts';
export { StoreHeld } from './lock.ts';
export { Unsure } from './users.ts';
