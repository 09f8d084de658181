/** Lines and tables for people. Does not import the compiler or the SDK, which take long to load. */

export { answerText, replyText } from './answer.ts';
export { changeLine, changeText, createChanges, type Change } from './changes.ts';
export { entryTable, roundTable, type TraceLine, headLines, noteIssues, timesText, nodeLines } from './words.ts';
export { createLive, type Live } from './live.ts';
export { commandFor, commandLines, inboxText, openLines, waitLine } from './open-items.ts';
