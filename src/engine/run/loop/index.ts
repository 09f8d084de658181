/** A run that decides one step after the other. */

export { openLoop, type Loop } from './loop.ts';
export { goRound, landDecision, type Decided } from './rounds.ts';
