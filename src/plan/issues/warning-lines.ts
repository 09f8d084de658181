/** The warnings of a plan that compiles, in lines for whoever decides about it. */

import { cutCharacters, oneLine } from '../text/index.ts';
import type { IssueCode, PlanIssue } from './issue.ts';

const MOST_LINES = 5;
const MAX_LINE = 300;
/** These change nothing that a plan does. Any other warning says that the plan may mean something else, and comes first. */
const NOTES: readonly IssueCode[] = [
  ...(['surrounding-text', 'missing-goal', 'missing-step-key'] as const),
  ...(['unread-context', 'invalid-complexity', 'invalid-estimate'] as const),
];

/**
 * Five warnings in a line each, and how many more there are: those that may change what the plan means, then notes. An
 * answer that was added is no warning: the plan shows it.
 *
 * @example warningLines(compiled.warnings); // ['$.steps[1].deps: "deps" is read as "dependencies". ...']
 */
export function warningLines(issues: readonly PlanIssue[]): readonly string[] {
  const told = issues
    .filter(({ severity, code }) => severity === 'warning' && code !== 'added-respond')
    .toSorted((a, b) => Number(NOTES.includes(a.code)) - Number(NOTES.includes(b.code)));
  const lines = told
    .slice(0, MOST_LINES)
    .map(({ path, message }) => cutCharacters(oneLine(`${path}: ${message}`), MAX_LINE));
  return told.length > MOST_LINES ? [...lines, `${told.length - MOST_LINES} more warnings`] : lines;
}
