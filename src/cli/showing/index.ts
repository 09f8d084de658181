/** What commands show: lines and tables for a person. No part of it loads the compiler or the SDK. */

export { entryTable, type Happened } from './entry-table.ts';
export { inboxText, missingOfInbox } from './inbox-text.ts';
export { createVoice, lineView } from './line-view.ts';
export { createLive, hasPictureRoom, type Picture } from './live.ts';
export { attemptText, entryOfNode, gaveOf, nodeLines } from './node-lines.ts';
export { commandFor, openLines, shellWord, wordsOf } from './open-lines.ts';
export { noteIssues } from './plan-issues.ts';
export { showViews, type ProgressView } from './progress-view.ts';
export { receiptText } from './receipt.ts';
export { roundLines, roundTable } from './round-lines.ts';
export { stepLine } from './step-line.ts';
export { begunText, byText, missingText, workText } from './work-of-node.ts';
export { usageText } from './usage-text.ts';
export { planningLine, workLines } from './work-lines.ts';
export { inputLine, timeLines } from './why-times.ts';
