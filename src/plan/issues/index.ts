/** The problems of a document, their places, and the nearest names. */

export { didYouMean, nearestName } from './did-you-mean.ts';
export { ISSUE_CODES } from './issue.ts';
export type { IssueCode, PlanIssue, Severity } from './issue.ts';
export { IssueList } from './issue-list.ts';
export type { IssueDetail } from './issue-list.ts';
export { ROOT, below, farBelow, nodeAt, pathOf, stepsTo } from './json-path.ts';
export type { Place } from './json-path.ts';
export { warningLines } from './issue.ts';
export { positionsIn } from './line-index.ts';
export type { Position } from './line-index.ts';
