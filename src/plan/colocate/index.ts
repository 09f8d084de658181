/** The door of `plan/colocate`: the parameters of COLOCATE, in each of their forms. */

export { COLOCATE_FIELDS, MAX_BASES } from './colocate-fields.ts';
export type { ColocateField } from './colocate-fields.ts';
export { colocatePhrase } from './colocate-phrase.ts';
export { readColocate, refuseColocate } from './read-colocate.ts';
