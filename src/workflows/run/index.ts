/** A run as a state machine. The exported type of a run is read-only, since only `takeTurn` changes runs. */

import type { JsonValue } from '../../plan/index.ts';
import type { Run } from './in-memory.ts';

export {
  closureOf,
  effectOfConsent,
  ineligibleAt,
  isCovered,
  mayRun,
  missingFor,
  setOf,
  uncoveredOf,
} from '../approval/coverage.ts';
export {
  matches,
  reachedRules,
  traitsIn,
  unsatisfiable,
  type NodeTraits,
  type RuleSender,
  normalizeName,
  rulesOf,
} from '../approval/rules.ts';
export type { Consent } from '../approval/state.ts';
export type { Decided } from '../loop/rounds.ts';
export { runDetails } from '../views/details.ts';
export { timerText, waitText } from '../views/openings.ts';
export { renderView } from '../views/views.ts';
export { lastMessageToParent, agentsToLookAt, signalPause, type RunSignal, type SignalOutcome } from './agents.ts';
export type { Incoming } from './arrive.ts';
export { pressureIn } from './drain.ts';
export { resultsToKeep, runResult, failureToReport } from './ending.ts';
export { makeHandOver, restoreRun, canHandOver, lateArrivals } from './hand-over.ts';
export { permissionOf, approvalTokens } from './may-begin.ts';
export { inputRefs, openProgress, type NodeProgress } from './nodes/progress.ts';
export { isForParts } from './parts.ts';
export { projectRules, untrustedSoFar } from './run.ts';
export { allowanceOfTask, agentBudget } from './spending/spend.ts';
export { openPlanRun, openTaskRun } from './starter.ts';
export { type PendingTask, STATE_VERSION, type CarriedState } from './state.ts';
export type { Verify } from './talk/authenticate.ts';
export { previewRefusal, replyToUpdate } from './talk/inbox.ts';
export { NO_WORDS, parseAnswer, parseControl, parseDecision, readYesNo, YES_WORDS } from './talk/read-message.ts';
export { spentText } from './spending/ledger.ts';
export { takeTurn, type Orders } from './turn.ts';
export type { Compiled, Planned, Tried, TaskEnd } from './task-traits.ts';

/** Makes all properties of a type read-only, except in lists, maps and JSON values, which are recursive. */
type Seen<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly unknown[] | ReadonlyMap<never, unknown> | ReadonlySet<unknown> | Int32Array
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: Seen<T[Key]> }
      : T;

export type ReadonlyRun = Seen<Run>;
