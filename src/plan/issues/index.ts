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
  didYouMean,
  nearestName,
} from './issue-list.ts';
export { ISSUE_CODES } from './issue.ts';
export type { IssueCode, PlanIssue, Severity } from './issue.ts';
export { warningLines } from './issue.ts';
