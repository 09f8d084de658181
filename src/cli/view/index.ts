/** Lines and tables for a person, for all commands. No part of it loads the compiler or the SDK. */

export { begunText, missingText } from './attempts.ts';
export { entryTable, roundLines, roundTable, type Happened } from './entries.ts';
export { createLive, hasPictureRoom, type Picture } from './live.ts';
export { attemptText, entryOfNode, gaveOf, inputLine, nodeLines, timeLines } from './nodes.ts';
export { commandFor, inboxText, missingOfInbox, openLines, wordsOf } from './open-items.ts';
export { createVoice, lineView, showViews, type ProgressView } from './progress.ts';
export {
  budgetText,
  headLines,
  noteIssues,
  planningLine,
  receiptText,
  replannedLine,
  stepLine,
  usageText,
  workLines,
} from './words.ts';
