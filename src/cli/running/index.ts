/** Runs from start to end. Loaded when one is started. */

export { carryOut } from './carry-out.ts';
