/** The warnings of a plan that compiles, in lines for whoever decides about it. */

import { cutCharacters, oneLine } from '../text/index.ts';
import type { PlanIssue } from './issue.ts';

const MOST_LINES = 5;
const MAX_LINE = 300;

/**
 * The first five warnings in a line each, and how many more there are. An answer that was added is none of them: it
 * stands in the plan for all to see.
 *
 * @example warningLines(compiled.warnings); // ['$.steps[1].deps: "deps" is read as "dependencies". ...']
 */
export function warningLines(issues: readonly PlanIssue[]): readonly string[] {
  const told = issues.filter(({ severity, code }) => severity === 'warning' && code !== 'added-respond');
  const lines = told
    .slice(0, MOST_LINES)
    .map(({ path, message }) => cutCharacters(oneLine(`${path}: ${message}`), MAX_LINE));
  return told.length > MOST_LINES ? [...lines, `${told.length - MOST_LINES} more warnings`] : lines;
}
