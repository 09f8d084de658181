/** Approvals: the people, the rules they follow, and the one gate that reckons from both which nodes may run. */

export { askAgain, close, decide, expire, openRevision, record } from './approval.ts';
export {
  closureOf,
  hindranceAt,
  includes,
  isCovered,
  missingIn,
  needsSeveral,
  rolesFor,
  rolesNeeded,
  uncoveredOf,
  type Consent,
  type Gate,
} from './coverage.ts';
export { mayRun, type Permission } from './may-run.ts';
export { hinderedWords, personOf, spokenAs } from './person.ts';
export { matches, rulesOf, unmeetable, type Speaker } from './rules.ts';
export { DRAFTING, type Approval, type Signed } from './state.ts';
