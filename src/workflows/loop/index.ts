/** A run that decides one step after the other. */

export { MAX_STEPS_NAMED, openLoop, type Loop } from './loop.ts';
export { goRound, landDecision, type Decided } from './rounds.ts';
