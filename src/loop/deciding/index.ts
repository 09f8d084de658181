/** The door of `planner/deciding`: one step after the other, decided by a model. */

export { decisionRequest, roundMessages } from './decision-request.ts';
export { NO_NOTES, withObservation, withRound, type LoopNotes, type Round } from './loop-notes.ts';
export { modelPolicy } from './model-policy.ts';
export { readDecision } from './read-decision.ts';
export { toolsFor, type Tools } from './tools.ts';
