/** What a person is told of a failure. */

import { describe, expect, test } from 'vitest';
import { ERROR_CLASSES } from '../../src/protocol/index.ts';
import { messageFor, reportFailure } from '../../src/planner/index.ts';
import { scripted } from '../support/scripted-planner.ts';

const facts = {
  severity: 'REPLANNING',
  task: 'Find targets',
  operation: 'write',
  message: 'There is no node "b".',
  done: ['Reading the goal', 'Selecting capabilities'],
  failed: ['Writing the plan'],
} as const;

describe('Osprey: error node', () => {
  const told = [
    'Class: REPLANNING',
    'Task: Find targets',
    'Failed: write: There is no node "b".',
    'Done: 2, failed: 1',
    '- done: Reading the goal',
    '- done: Selecting capabilities',
    '- failed: Writing the plan',
    messageFor('REPLANNING'),
  ].join('\n');

  test('tells the class, the task, what failed, the steps in order, and what a model makes of it', async () => {
    const { ask, asked } = scripted({ report: ['The plan took a node that is not there.'] });
    const report = await reportFailure(facts, ask);
    expect(report.text).toBe(`${told}\nThe plan took a node that is not there.`);
    expect(report.isAnalysed).toBe(true);
    expect(asked[0]?.request.maxTokens).toBe(500);
  });

  test.each<[name: string, ask: Parameters<typeof reportFailure>[1]]>([
    ['without a model', undefined],
    ['when the model fails', () => Promise.reject(new Error('no'))],
    [
      'when the model throws at once',
      () => {
        throw new Error('no');
      },
    ],
    ['when the model says nothing', scripted({ report: [' '] }).ask],
  ])('says so in a fixed text %s, and never throws', async (_name, ask) => {
    const { text, isAnalysed } = await reportFailure(facts, ask);
    expect(text).toBe(`${told}\nNo analysis by a model could be made. What is known is above.`);
    expect(isAnalysed).toBe(false);
  });
});

test('where a step has refused the plan, nobody is told that no plan came of the goal', async () => {
  const { text } = await reportFailure({ ...facts, operation: 'Align', failed: ['Align'] });
  expect(text).not.toContain(messageFor('REPLANNING'));
  expect(text).toContain('A step says that the plan does not fit');
});

test('of steps that are not named the report counts all', async () => {
  const { text } = await reportFailure({ ...facts, counts: { done: 6, failed: 54 } });
  expect(text).toContain('Done: 6, failed: 54');
});

test('Osprey: user messages: each class of errors has its own', () => {
  const messages = ERROR_CLASSES.map(messageFor);
  expect(new Set(messages).size).toBe(ERROR_CLASSES.length);
  for (const message of messages) expect(message).toMatch(/^[A-Z].*\.$/);
});
