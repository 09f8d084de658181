/**
 * A run as a state machine: its messages, the execution of its plan, and its turns. Pure. The type `Run` exported here
 * is read-only; of its functions only `takeTurn` changes a run.
 */

import type { JsonValue } from '../../plan/index.ts';
import { pressureIn } from './drain.ts';
import { resultsToKeep, runResult, failureToReport } from './ending.ts';
import { lastMessageToParent, agentsToLookAt } from './agents.ts';
import { makeHandOver, restoreRun } from './hand-over.ts';
import { permissionOf, approvalTokens } from './may-begin.ts';
import type { Run } from './in-memory.ts';
import { allowanceOfWork, agentBudget } from './spending/spend.ts';
import { timerText } from '../views/openings.ts';
import { runDetails } from '../views/details.ts';
import { renderView } from '../views/views.ts';
import { openPlanRun, openTaskRun } from './starter.ts';
import { previewRefusal, replyToUpdate } from './talk/inbox.ts';
import { runTurn } from './turn.ts';

export type { Consent } from '../approval/state.ts';
export type { Work } from './state.ts';
export { closureOf, hindranceAt, isCovered } from '../approval/coverage.ts';
export { matches, unmeetable, type Claim, type Speaker } from '../approval/rules.ts';
export { mayRun } from '../approval/coverage.ts';
export { personOf } from '../approval/rules.ts';
export type { Incoming } from './arrive.ts';
export { signalPause, type RunSignal, type SignalOutcome } from './agents.ts';
export type { Compiled, Planned, Tried, WorkEnd } from './work-traits.ts';
export { isForParts } from './parts.ts';
export type { Decided } from '../loop/rounds.ts';
export { inputRefs } from './nodes/progress.ts';
export { openProgress, type NodeProgress } from './nodes/progress.ts';
export { projectRules } from './run.ts';
export { canGoAlong, lateOf } from './hand-over.ts';
export { waitText } from '../views/openings.ts';
export { STATE_VERSION, type RunState } from './state.ts';
export { spentText } from './spending/spend.ts';
export { NO_WORDS, parseAnswer, parseControl, parseDecision, readYesNo, YES_WORDS } from './talk/read-message.ts';
export type { Verify } from './talk/authenticate.ts';
export type { Orders } from './turn.ts';

/** Stops at JSON values: they are read-only already, and recursive without end. */
type Seen<T> = [JsonValue] extends [T]
  ? T
  : T extends ReadonlyMap<infer Key, infer Value>
    ? ReadonlyMap<Key, Seen<Value>>
    : T extends object
      ? { readonly [Key in keyof T]: Seen<T[Key]> }
      : T;

export type ReadonlyRun = Seen<Run>;

/**
 * Returns the same function with a read-only run. A test checks that none of them but `takeTurn` changes its arguments.
 */
const reading = <Rest extends unknown[], Read>(read: (run: Run, ...rest: Rest) => Read) =>
  read as (run: ReadonlyRun, ...rest: Rest) => Read;

export const allowanceFor = reading(allowanceOfWork);
export const awaited = reading(timerText);
export const detailsOf = reading(runDetails);
export const handOver = reading(makeHandOver);
export const keepRequest = reading(resultsToKeep);
export const lastWord = reading(lastMessageToParent);
export const lookRequest = reading(agentsToLookAt);
export const shareOfAgent = reading(agentBudget);
export const mayBegin = reading(permissionOf);
export const pressureOf = reading(pressureIn);
export const preview = reading(previewRefusal);
export const proofOf = reading(approvalTokens);
export const replyTo = reading(replyToUpdate);
export const reportRequest = reading(failureToReport);
export const resultOf = reading(runResult);
export const viewOf = reading(renderView);

/** These functions make a run; `takeTurn` changes one. */
export const openPlan: (...given: Parameters<typeof openPlanRun>) => ReadonlyRun = openPlanRun;
export const openTask: typeof openPlan = openTaskRun;
export const resumeRun: (...given: Parameters<typeof restoreRun>) => ReadonlyRun = restoreRun;
export const takeTurn = reading(runTurn);
