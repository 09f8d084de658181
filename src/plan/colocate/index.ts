/** The door of `plan/colocate`: the parameters of COLOCATE, in each of their forms. */

export { colocatePhrase } from './colocate-phrase.ts';
export { readColocate, refuseColocate } from './read-colocate.ts';
