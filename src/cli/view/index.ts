/** Lines and tables for people. Loads neither the compiler nor the SDK. */

export { answerText } from './answer.ts';
export { changeText, createChanges, type Change } from './changes.ts';
export { entryTable, roundTable, type TraceLine, headLines, noteIssues, timesText, nodeLines } from './words.ts';
export { createLive, hasPictureRoom, type Live, type Picture } from './live.ts';
export { commandFor, inboxText, missingOfInbox, openLines, silentText, waitLine } from './open-items.ts';
