/** The upkeep of result stores: what they have, whether it is whole, copies, and the removal of what nobody needs. */

export { collect } from './collect.ts';
export { checkStore, copyStore, measureStore } from './read-store.ts';
