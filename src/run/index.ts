/** A run as a state machine: what is said to it, the carrying out of its plan, and one turn after the other. Pure. */

export { closureOf, isCovered, mayRun, parseRules, personOf, type Consent } from './approval/index.ts';
export { childBegun, childEnded, childStarted, familyNews, hearFamily, lastWords, parseAgentInput } from './family.ts';
export type { Planned } from './draft.ts';
export { pressureOf, putOff } from './budget.ts';
export { keepRequest } from './keep.ts';
export { land } from './land.ts';
export type { Compiled, Landing } from './landing.ts';
export { resultOf } from './ending.ts';
export { mayBegin, proofOf } from './may-begin.ts';
export type { Decided } from './loop/index.ts';
export { inputRefs } from './nodes/index.ts';
export { parsePlanInput } from './read-input.ts';
export {
  addUsage,
  afterAnswer,
  afterStage,
  NO_USAGE,
  openPlanning,
  type Planning,
  type PlanningStep,
} from './planning/index.ts';
export { note, openRun, projectRules, type Run } from './run.ts';
export { reportRequest } from './report.ts';
export { start, startTask } from './start.ts';
export { awaited, detailsOf, nodesOf, planOf, questionsOf, rolesWaitedFor, statusOf } from './show/index.ts';
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
