export { colocatePhrase } from './colocate-fields.ts';
export { readColocate, refuseColocate } from './read-colocate.ts';
