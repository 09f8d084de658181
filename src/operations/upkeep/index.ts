/** The upkeep of result stores: what they have, whether it is whole, copies, and the removal of what nobody needs. */

export { checkStore, type Checked } from './check-store.ts';
export { collect, Unsure, type Collected } from './collect.ts';
export { copyStore, type Copied } from './copy-store.ts';
export { measureStore, totalOf, type Amount, type Amounts } from './measure-store.ts';
