/** Runs from start to end. Loaded when one is started. */

export { followNewRun } from './follow-run.ts';
