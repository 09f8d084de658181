/** A node that asks a person: its question, what cannot be asked, and the key of a repetition. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { NodeEvent } from '../../src/activities/index.ts';
import { defineCapability } from '../../src/capabilities/index.ts';
import { MAX_QUESTION_TEXT } from '../../src/protocol/index.ts';
import { writes } from '../support/capabilities.ts';
import { failureOf, openActivities, WORKFLOW_ID } from './rig.ts';

/** Returns whatever its test says, as plain JavaScript may. */
const returning = (question: unknown) =>
  defineCapability({
    name: 'inquire',
    kind: 'wait',
    description: 'Asks.',
    input: z.looseObject({}),
    output: 'text',
    effect: 'read',
    execute: () => question as { text: string },
  });
const plan = { goal: 'Plan the harvest', plan: { type: 'task', task: 'Which field?', capability: 'inquire' } };

async function asked(question: unknown) {
  const rig = await openActivities([returning(question)]);
  const { revisionRef: revision } = await rig.compiled(plan);
  return rig.call('makeQuestion', { revision, nodeId: 'node_1', inputs: [] });
}

describe('a node that asks a person', () => {
  test('gives its question, and is told of as asked', async () => {
    const events: NodeEvent[] = [];
    const question = { text: 'Which field?', roles: ['grower'], deadlineMs: 60_000 };
    const rig = await openActivities([returning({ ...question, default: undefined })], {
      onNode: (e) => events.push(e),
    });
    const { revisionRef: revision } = await rig.compiled(plan);
    const reply = await rig.call('makeQuestion', { revision, nodeId: 'node_1', inputs: [] });
    expect(reply).toStrictEqual({ asks: question });
    expect(events.map(({ what }) => what)).toEqual(['started', 'asked']);
  });

  test('takes a result into its question where the plan says so', async () => {
    const north = { context_key: 'field', capability: 'name', task_objective: 'Name the field' };
    const question = {
      context_key: 'which',
      capability: 'ask',
      task_objective: 'Ask',
      parameters: { question: 'result_from_step_1' },
    };
    const name = defineCapability({
      ...returning({}),
      kind: undefined as never,
      name: 'name',
      execute: () => 'Is it the north field?',
    });
    const rig = await openActivities([name]);
    const { revisionRef: revision } = await rig.compiled({ goal: 'Plan the harvest', steps: [north, question] });
    const named = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] });
    const ref = 'ref' in named ? named.ref : '';
    expect(await rig.call('makeQuestion', { revision, nodeId: 'node_2', inputs: [ref] })).toEqual({
      asks: { text: 'Is it the north field?' },
    });
  });

  test.each<[name: string, question: unknown, says: string]>([
    ['nothing', undefined, 'expected a question { text, ... }, got nothing'],
    ['a text', 'Which field?', 'expected a question { text, ... }, got "Which field?"'],
    ['no text', {}, 'question.text: expected a text of 1 to 2000 characters that is not blank, got nothing'],
    ['a blank text', { text: ' \n' }, 'question.text: expected a text'],
    ['a long text', { text: 'x'.repeat(MAX_QUESTION_TEXT + 1) }, 'question.text: expected a text'],
    ['an unknown key', { text: 'A?', sugestions: [] }, 'question.sugestions: unknown key; known are text'],
    ['too much of it', { text: 'A?', suggestions: ['x'.repeat(8000)] }, 'bytes as JSON, at most 8000'],
    ['a wrong deadline', { text: 'A?', deadlineMs: 0 }, 'question.deadlineMs: expected milliseconds'],
    ['a deadline of two years', { text: 'A?', deadlineMs: 2 * 365 * 86_400_000 }, 'question.deadlineMs'],
    ['a deadline in words', { text: 'A?', deadlineMs: '2h' }, 'question.deadlineMs'],
    ['a blank role', { text: 'A?', roles: ['grower', ' '] }, 'question.roles: expected a list of roles'],
    ['no role at all', { text: 'A?', roles: [] }, 'question.roles'],
    [
      'a schema that is none',
      { text: 'A?', schema: { type: 'fruit' } },
      'question.schema.type: must be "array" or "boolean"',
    ],
    [
      'a remote schema',
      { text: 'A?', schema: { $ref: 'https://example.org/a' } },
      "question.schema: it cannot be read: can't resolve reference https://example.org/a",
    ],
    [
      'a default of another kind',
      { text: 'A?', schema: { type: 'number' }, default: 'x' },
      'question.default: it does not fit the schema',
    ],
    [
      'a suggestion of another kind',
      { text: 'A?', schema: { type: 'number' }, suggestions: [1, 'x'] },
      'question.suggestions.1: it does not fit',
    ],
    ['a function', { text: 'A?', default: () => 1 }, 'it is no JSON'],
    ['not a number', { text: 'A?', default: Number.NaN }, 'it is no JSON'],
    ['a circle', circle(), 'it is no JSON'],
    ['a depth without end', { text: 'A?', default: nested(100_000) }, 'it is no JSON'],
  ])('that asks what cannot be asked fails for good: %s', async (_, question, says) => {
    const failure = await failureOf(asked(question));
    expect(failure).toMatchObject({ type: 'CRITICAL', nonRetryable: true });
    expect(failure.message).toContain('capability inquire asks what cannot be asked');
    expect(failure.message).toContain(says);
  });
});

test('a repetition that a person asked for has a key of its own', async () => {
  const written: string[] = [];
  const rig = await openActivities([writes('water', 'at-most-once', written)]);
  const root = { type: 'task', task: 'Water', capability: 'water', arguments: { value: 'north' } };
  const { revisionRef: revision } = await rig.compiled({ goal: 'Water the field', plan: root });
  const request = { revision, nodeId: 'node_1', inputs: [], work: 1 };
  await rig.call('runTask', request);
  await rig.call('runTask', { ...request, retry: 1 });
  expect(written.map((key) => key.split('/').at(-1))).toEqual(['0.0.0', '0.0.1']);
  expect(new Set(written.map((key) => key.split('/')[1]))).toEqual(new Set([WORKFLOW_ID]));
});

function circle(): object {
  const question: Record<string, unknown> = { text: 'A?' };
  question['default'] = question;
  return question;
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
