/** A run as a state machine: what is said to it, the carrying out of its plan, and one turn after the other. Pure. */

export { mayRun, parseRules } from './approval/index.ts';
export { pressureOf, putOff } from './budget.ts';
export { land, type Compiled, type Landing } from './land.ts';
export { resultOf } from './ending.ts';
export { mayBegin } from './may-begin.ts';
export { inputRefs } from './nodes/index.ts';
export { parsePlanInput } from './read-input.ts';
export { note, openRun, type Run } from './run.ts';
export { detailsOf, nodesOf, planOf, questionsOf, rolesWaitedFor, statusOf } from './show/index.ts';
export { resumeRun, snapshotOf, SNAPSHOT_VERSION } from './snapshot.ts';
export {
  forgetTokens,
  NO_WORDS,
  parseAnswer,
  parseControl,
  parseDecision,
  preview,
  readYesNo,
  receive,
  YES_WORDS,
  type Verify,
} from './talk/index.ts';
export { noteStored, pagesToStore, traceOf } from './trace.ts';
export { takeTurn } from './turn.ts';
export type { Work } from './work.ts';
