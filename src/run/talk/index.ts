/** What is said to a run and what it asks: heard, judged, applied and replied to. */

export { applyStored, takeEdit } from './apply.ts';
export { authenticate, forgetTokens, type Verify } from './authenticate.ts';
export { answer, hear, listen, preview, receive, takeErrands } from './mailbox.ts';
export { ask, giveUp } from './questions.ts';
export { parseAnswer } from './read-answer.ts';
export { parseControl } from './read-control.ts';
export { parseDecision } from './read-decision.ts';
export { NO_WORDS, readYesNo, YES_WORDS } from './words.ts';
