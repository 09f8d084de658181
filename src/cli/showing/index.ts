/** What commands show: lines, tables and trees for a person, records for a program. */

export { errorOfEnd, exitOfEnd, outcomeOf } from './end-report.ts';
export { entryTable, type Happened } from './entry-table.ts';
export { entryName, printEntries } from './entries.ts';
export { createLive } from './live.ts';
export { attemptText, nodeLines } from './node-lines.ts';
export { commandFor, connectionFlags, openLines, shellWord, wordsOf } from './open-lines.ts';
export { noteIssues } from './plan-issues.ts';
export { planText } from './plan-lines.ts';
export { printEnd } from './print-end.ts';
export { checkShape, setFile, type FileShape } from './set-file.ts';
export { showViews, type ProgressView } from './progress-view.ts';
export { progressView } from './progress-views.ts';
export { openPlanText, readPlan } from './stored-plan.ts';
export { approversIn } from './receipt.ts';
export { roundLines, roundTable } from './round-lines.ts';
export { readStored, readWritten, resultLines, resultRecord, resultText } from './stored-result.ts';
export { table } from './table.ts';
export { stepLine } from './step-line.ts';
export { begunText, byText, missingText, ofAttempt, readWork, workBy, workText, type Work } from './work-of-node.ts';
export { usageReport, type UsageReport } from './usage-report.ts';
export { usageText } from './usage-text.ts';
export { planningLine, workLines } from './work-lines.ts';
