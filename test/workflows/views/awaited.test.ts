/** What a run waits for until its next deadline, as the summary of the timer says it. */

import { expect, test } from 'vitest';
import type { ApprovalRule, Question } from '../../../src/protocol/index.ts';
import { nextDeadline } from '../../../src/workflows/run/deadlines.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { timerText } from '../../../src/workflows/views/openings.ts';
import { bring, BROKE, executor, openedRun, shapeOf, turn } from '../run/make-run.ts';

/** Three nodes that may run, the last of which asks `fire`'s people first. */
function opened(rules: readonly ApprovalRule[], summaries?: readonly string[]): Run {
  const executors = [executor('read'), executor('at-most-once'), executor('at-most-once', 'fire')];
  const planShape = shapeOf([[], [], []], { executors, executorOf: [0, 1, 2], ...(summaries && { summaries }) });
  const options = { approval: { rules }, onFailure: 'ask', answerDeadlineMs: 1000, approvalDeadlineMs: 2000 } as const;
  const run = openedRun(planShape, options);
  turn(run);
  return run;
}

const NOBODY: readonly ApprovalRule[] = [{ capability: 'another' }];
const PEOPLE: readonly ApprovalRule[] = [{ capability: 'fire', roles: ['operator', 'safety'] }];
const asks = (run: Run, question: Question = { text: 'which?' }) => bring(run, 0, { asks: question });

function said(run: Run): string {
  return timerText(run, nextDeadline(run) ?? '');
}

test('a decision, and who may make it', () => {
  expect(said(opened(PEOPLE))).toBe('a decision on the plan by operator or safety, until 2026-01-02 03:04:07Z');
  expect(said(opened([{ capability: 'fire' }]))).toBe('a decision on the plan, until 2026-01-02 03:04:07Z');
});

test('the nearest of several, with how many more there are', () => {
  const run = opened(PEOPLE);
  asks(run, { text: 'which?', roles: ['operator'] });
  expect(said(run)).toBe('the answer to node_1 (node 0) by operator (and 1 more), until 2026-01-02 03:04:06Z');
});

test('what became of an effect, and what becomes of a node that failed', () => {
  const uncertain = opened(NOBODY);
  bring(uncertain, 1, { ...BROKE, status: 'uncertain' });
  expect(said(uncertain)).toBe('whether this happened: node_2 (node 1), until 2026-01-02 03:04:06Z');
  const failed = opened(NOBODY);
  bring(failed, 0, { ...BROKE, status: 'failed' });
  expect(said(failed)).toBe('what becomes of: node_1 (node 0), until 2026-01-02 03:04:06Z');
});

test('what is under way, where nobody is waited for', () => {
  expect(timerText(opened(NOBODY), '2026-01-02T03:04:06.000Z')).toBe('what is under way, until 2026-01-02 03:04:06Z');
});

test.each([
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['control characters', '\u0007'],
  ['characters of four bytes', '😀'],
])('%s never make it as long as the server refuses', (_, character) => {
  const run = opened(NOBODY, [character.repeat(80), '', '']);
  asks(run, { text: 'which?', roles: [character.repeat(60)] });
  // The payload's encoding is counted as well.
  expect(Buffer.byteLength(JSON.stringify(said(run)))).toBeLessThan(400 - 30);
});
