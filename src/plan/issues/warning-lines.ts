/** The warnings of a plan that compiles, as lines for the person who decides. */

import { cutCharacters, oneLine } from '../text/index.ts';
import type { IssueCode, PlanIssue } from './issue.ts';

const MOST_LINES = 5;
const MAX_LINE = 300;
/** These change nothing that a plan does. Other warnings may change its meaning and come first. */
const NOTES: readonly IssueCode[] = [
  ...(['surrounding-text', 'missing-goal', 'missing-step-key'] as const),
  ...(['unread-context', 'invalid-complexity', 'invalid-estimate'] as const),
];

/**
 * At most five warnings, one per line, and the number of others: first those that may change the meaning, then notes.
 * An added answer is left out, since the plan shows it.
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
