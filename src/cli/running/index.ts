/** A run from its start to its end, as a person follows it. Loaded when one is started. */

export { carryOut } from './carry-out.ts';
