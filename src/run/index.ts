/** A run as a state machine: what is said to it, the carrying out of its plan, and one turn after the other. Pure. */

export { mayRun, parsePolicy, parseRules, type Permission, type StartRequest } from './approval/index.ts';
export { DEFAULT_BUDGET, pressureOf, putOff, type HistoryLength, type Pressure } from './budget.ts';
export { land, type Compiled, type Landing } from './land.ts';
export { endingOf, resultOf, type Ending } from './nodes/ending.ts';
export { inputRefs } from './nodes/progress.ts';
export { parsePlanInput, type ParsedInput } from './read-input.ts';
export { closeRun, note, openRun, type Run } from './run.ts';
export { detailsOf } from './show/details.ts';
export { questionsOf, rolesWaitedFor } from './show/open-items.ts';
export { noteStored, pagesToStore, traceOf } from './show/trace.ts';
export { nodesOf, planOf, statusOf } from './show/views.ts';
export { resumeRun, snapshotOf, SNAPSHOT_VERSION } from './snapshot.ts';
export { forgetTokens, type TokenFacts, type Verified, type Verify } from './talk/authenticate.ts';
export { preview, receive } from './talk/mailbox.ts';
export type { Message } from './talk/message.ts';
export { parseAnswer } from './talk/read-answer.ts';
export { parseControl } from './talk/read-control.ts';
export { parseDecision } from './talk/read-decision.ts';
export { NO_WORDS, readYesNo, YES_WORDS } from './talk/words.ts';
export { takeTurn, type Orders } from './turn.ts';
export type { Work } from './work.ts';
