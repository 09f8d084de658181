/** The round of a loop: the last outcome is processed, the policy runs once, and its decision becomes a step. */

export { decideRound } from './decide-round.ts';
export { withTools, type Decider } from './tools.ts';
export type { PaidModel } from './round-context.ts';
export { modelPolicy } from './model-policy.ts';
export { runRound } from './run-round.ts';
