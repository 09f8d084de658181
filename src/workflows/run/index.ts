/**
 * A run as a state machine: its messages, the carrying out of its plan, and one turn after the other. Pure. The type
 * `Run` of this door is read-only, and of its functions only `takeTurn` changes a run.
 */

export {
  closureOf,
  hindranceAt,
  isCovered,
  matches,
  mayRun,
  personOf,
  unmeetable,
  type Consent,
  type Speaker,
} from '../approval/index.ts';
export type { Incoming } from './arrive.ts';
export type { FamilyNews } from './family.ts';
export type { Compiled, Landing, Planned } from './landing.ts';
export { isForParts } from './parts.ts';
export type { Decided } from '../loop/index.ts';
export { inputRefs, openProgress, type NodeProgress } from './nodes/index.ts';
export { projectRules } from './run.ts';
export * from './seen.ts';
export type { HandedOver } from './hand-over.ts';
export { SNAPSHOT_VERSION } from './snapshot.ts';
export { spentText } from './spending/index.ts';
export { NO_WORDS, parseAnswer, parseControl, parseDecision, readYesNo, YES_WORDS, type Verify } from './talk/index.ts';
export { traceOf } from './trace.ts';
export type { Orders } from './turn.ts';
export type { Work } from './work.ts';
