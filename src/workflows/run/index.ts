/**
 * A run as a state machine: its messages, the carrying out of its plan, and one turn after the other. Pure. The type
 * `Run` of this door is read-only, and of its functions only `takeTurn` changes a run.
 */

export type { Consent, Work } from './state.ts';
export { closureOf, hindranceAt, isCovered } from '../approval/coverage.ts';
export { matches, unmeetable, type Speaker } from '../approval/rules.ts';
export { mayRun } from '../approval/may-run.ts';
export { personOf } from '../approval/person.ts';
export type { Incoming } from './arrive.ts';
export type { FamilyNews } from './family.ts';
export type { Compiled, Landing, Planned } from './landing.ts';
export { isForParts } from './parts.ts';
export type { Decided } from '../loop/rounds.ts';
export { inputRefs } from './nodes/progress.ts';
export { openProgress, type NodeProgress } from './nodes/open-progress.ts';
export { projectRules } from './run.ts';
export * from './seen.ts';
export type { HandedOver } from './hand-over.ts';
export { STATE_VERSION, type RunState } from './state.ts';
export { spentText } from './spending/end.ts';
export { NO_WORDS, readYesNo, YES_WORDS } from './talk/words.ts';
export { parseAnswer, parseControl, parseDecision } from './talk/read-message.ts';
export type { Verify } from './talk/authenticate.ts';
export type { Orders } from './turn.ts';
