/**
 * A run as a state machine: its messages, the execution of its plan, and its turns. Pure. The type `Run` exported here
 * is read-only; of its functions only `takeTurn` changes a run.
 */

import type { JsonValue } from '../../plan/index.ts';
import { pressureOf as pressure } from './budget.ts';
import { keepRequest as kept, resultOf as result } from './ending.ts';
import { lastWord as word } from './agents.ts';
import { lookRequest as look } from './agent-ends.ts';
import { handOver as over, resumeRun as resume } from './hand-over.ts';
import { mayBegin as may, proofOf as proof } from './may-begin.ts';
import { reportRequest as report } from './report.ts';
import type { Run as OwnRun } from './in-memory.ts';
import { allowanceFor as allowance, shareOfAgent as agentShare } from './spending/spend.ts';
import { awaited as waits } from '../views/openings.ts';
import { detailsOf as details } from '../views/details.ts';
import { viewOf as view } from '../views/views.ts';
import { openPlan as plan, openTask as task } from './start.ts';
import { preview as foresee } from './talk/inbox.ts';
import { replyTo as replied } from './talk/past-replies.ts';
import { takeTurn as turn } from './turn.ts';

export type { Consent } from '../approval/state.ts';
export type { Work } from './work-state.ts';
export { closureOf, hindranceAt, isCovered } from '../approval/coverage.ts';
export { matches, unmeetable, type Speaker } from '../approval/rules.ts';
export { mayRun } from '../approval/may-run.ts';
export { personOf } from '../approval/rules.ts';
export type { Incoming } from './arrive.ts';
export { signalPause, type RunSignal, type SignalOutcome } from './agents.ts';
export type { Compiled, Planned, Tried, WorkEnd } from './work-end.ts';
export { isForParts } from './parts.ts';
export type { Decided } from '../loop/rounds.ts';
export { inputRefs } from './nodes/progress.ts';
export { openProgress, type NodeProgress } from './nodes/open-progress.ts';
export { projectRules } from './run.ts';
export { canGoAlong, lateOf } from './hand-over.ts';
export { waitText } from '../views/waiting.ts';
export { STATE_VERSION, type RunState } from './state.ts';
export { spentText } from './spending/end.ts';
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

export type Run = Seen<OwnRun>;

/**
 * Returns the same function with a read-only run. A test checks that none of them but `takeTurn` changes its arguments.
 */
const reading = <Rest extends unknown[], Read>(read: (run: OwnRun, ...rest: Rest) => Read) =>
  read as (run: Run, ...rest: Rest) => Read;

export const allowanceFor = reading(allowance);
export const awaited = reading(waits);
export const detailsOf = reading(details);
export const handOver = reading(over);
export const keepRequest = reading(kept);
export const lastWord = reading(word);
export const lookRequest = reading(look);
export const shareOfAgent = reading(agentShare);
export const mayBegin = reading(may);
export const pressureOf = reading(pressure);
export const preview = reading(foresee);
export const proofOf = reading(proof);
export const replyTo = reading(replied);
export const reportRequest = reading(report);
export const resultOf = reading(result);
export const viewOf = reading(view);

/** These functions make a run; `takeTurn` changes one. */
export const openPlan: (...given: Parameters<typeof plan>) => Run = plan;
export const openTask: typeof openPlan = task;
export const resumeRun: (...given: Parameters<typeof resume>) => Run = resume;
export const takeTurn = reading(turn);
