/** What the task is, how it is run, and what a conversation gives to it. */

import { describe, expect, test } from 'vitest';
import { extractTask, routeGoal } from '../../src/planner/select-capabilities.ts';
import { openNotes, readConversation } from '../../src/planner/index.ts';
import { plannerOf, modelError, type Line } from '../support/scripted-planner.ts';

const conversation = { history: 'operator: I work on kinases', memory: 'assembly hg38' };
const notes = openNotes('Find more of them', { conversation });

describe('Osprey: task extraction', () => {
  test.each<[name: string, line: Line, task: string, uses: readonly [history: boolean, memory: boolean]]>([
    [
      'the task and its two flags',
      { json: { task: ' Find more kinases ', depends_on_chat_history: true, depends_on_user_memory: false } },
      'Find more kinases',
      [true, false],
    ],
    ['flags that are missing lose nothing', { json: { task: 'Find kinases' } }, 'Find kinases', [true, true]],
    [
      'a blank task is the goal',
      { json: { task: ' ', depends_on_chat_history: false } },
      'Find more of them',
      [false, true],
    ],
    ['prose is the goal with all that was said', 'Find kinases!', 'Find more of them', [true, true]],
    ['a refusal too', modelError('refusal', 'CRITICAL'), 'Find more of them', [true, true]],
  ])('%s', async (_name, line, task, [usesHistory, usesMemory]) => {
    const staged = await extractTask(plannerOf({ extract: [line] }), notes);
    expect(staged.outcome).toEqual({ is: 'extracted' });
    expect(staged.notes).toMatchObject({ task, usesHistory, usesMemory, goal: 'Find more of them' });
  });

  test('is given the history and the memory, as data', async () => {
    const planner = plannerOf({ extract: [{ json: { task: 't' } }] });
    await extractTask(planner, notes);
    const { content } = planner.asked[0]!.request.messages[1]!;
    expect(content).toMatch(/<data-[0-9a-f]{16} source="the conversation">\noperator: I work on kinases\n/);
    expect(content).toMatch(/<data-[0-9a-f]{16} source="memory">\nassembly hg38\n/);
  });

  test('a provider that failed for good has failed; one that failed in passing is tried again', async () => {
    const failed = await extractTask(plannerOf({ extract: [modelError('auth', 'CRITICAL')] }), notes);
    expect(failed.outcome).toMatchObject({ is: 'failed', trouble: { severity: 'CRITICAL' } });
    const passing = plannerOf({ extract: [modelError('timeout', 'RETRIABLE')] }, { isLastAttempt: false });
    await expect(extractTask(passing, notes)).rejects.toThrow('timeout happened');
  });

  test('a data source that is missing or fails is ignored', async () => {
    const failing = () => Promise.reject(new Error('no disk'));
    expect(await readConversation({ history: () => 'a', memory: failing })).toEqual({
      conversation: { history: 'a' },
      ignored: ['The memory of the conversation cannot be read, and is left out.'],
    });
    expect(await readConversation({})).toEqual({ conversation: {}, ignored: [] });
  });
});

test.each<[name: string, line: Line, route: string]>([
  ['direct', { json: { route: 'direct' } }, 'direct'],
  ['reactive', { json: { route: 'reactive' } }, 'reactive'],
  ['plan-first', { json: { route: 'plan-first' } }, 'plan-first'],
  ['another word', { json: { route: 'approved' } }, 'plan-first'],
  ['prose', 'reactive, I think', 'plan-first'],
  ['a refusal', modelError('refusal', 'CRITICAL'), 'plan-first'],
])('the route: %s', async (_name, line, route) => {
  expect((await routeGoal(plannerOf({ route: [line] }), notes)).outcome).toEqual({ is: 'routed', route });
});

test('a route that a provider failed to give for good has failed', async () => {
  const { outcome } = await routeGoal(plannerOf({ route: [modelError('quota', 'CRITICAL')] }), notes);
  expect(outcome).toMatchObject({ is: 'failed' });
});
