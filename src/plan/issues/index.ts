export { didYouMean, nearestName } from './did-you-mean.ts';
export { ISSUE_CODES } from './issue.ts';
export type { IssueCode, PlanIssue, Severity } from './issue.ts';
export {
  IssueList,
  type IssueDetail,
  ROOT,
  below,
  farBelow,
  nodeAt,
  pathOf,
  stepsTo,
  type Place,
  positionsIn,
  type Position,
} from './issue-list.ts';
export { warningLines } from './issue.ts';
