/** The warnings of a plan for whoever decides about it. */

import { expect, test } from 'vitest';
import { warningLines, type PlanIssue } from '../../../src/plan/index.ts';

test('warnings that may change what a plan means come before notes, however late in the plan they are', () => {
  const issue = (code: PlanIssue['code'], path: string): PlanIssue => ({
    code,
    path,
    severity: 'warning',
    message: 'x',
  });
  const notes = Array.from({ length: 6 }, (_, at) => issue('missing-step-key', `$.steps[${at}]`));
  const lines = warningLines([
    ...notes,
    issue('ignored-key', '$.steps[7].when'),
    issue('added-respond', '$'),
    issue('inexact-number', '$.steps[8].amount'),
  ]);
  expect(lines).toEqual([
    ...['$.steps[7].when: x', '$.steps[8].amount: x'],
    ...['$.steps[0]: x', '$.steps[1]: x', '$.steps[2]: x'],
    '3 more warnings',
  ]);
});
