/** The messages to a run and its questions: heard, judged, applied and replied to. */

export { applyStored, takeEdit } from './apply.ts';
export { authenticate, forgetTokens, type Verify } from './authenticate.ts';
export { answer, hear, listen, preview, receive } from './mailbox.ts';
export { takeErrands } from './take-errands.ts';
export { ask, askAsPlanner, askedAbout, dropQuestion, giveUp } from './questions.ts';
export { takePlan } from './take-plan.ts';
export { parseAnswer, parseControl, parseDecision } from './read-message.ts';
export { NO_WORDS, readYesNo, YES_WORDS } from './words.ts';
