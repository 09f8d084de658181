/**
 * Any number of questions at once, and nobody else waits: the scenarios that other engines are known to fail
 * (langgraph 4028, 5952, 6208, 6542, 8579; langgraphjs 1552; mastra 24581, 24588; llama_index 18220).
 */

import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createBarrier, echo, ids, waits } from '../support/capabilities.ts';
import { planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const rig = await sharedRig({ capabilities: [ids, echo, waits(barrier)] });

const READS = { approval: 'effects' };
const asks = (question: string, over: object = {}) => task('ask', { question, ...over });
const answer = (run: WorkflowHandle, question: string, value: unknown, by = 'operator', over: object = {}) =>
  rig.say(run, 'answer', { question, value, by, ...over });
const questions = async (run: WorkflowHandle, count: number) => {
  await rig.until(run, ({ counts }) => counts.waiting === count);
  // In the order in which they were asked; their activities end in any.
  return [...(await rig.open(run))].toSorted((a, b) => (a.nodes[0] ?? '').localeCompare(b.nodes[0] ?? ''));
};
const steps = (...list: object[]) => ({ plan: { goal: 'Ask', steps: list }, options: READS });

describe('two questions and a free branch', () => {
  const plan = steps(
    { step_id: 1, capability: 'ask', arguments: { question: 'x?' }, description: 'x' },
    { step_id: 2, capability: 'ask', arguments: { question: 'y?' }, description: 'y' },
    { step_id: 3, capability: 'echo', arguments: { after: 'result_from_step_1' }, description: 'after x' },
    { step_id: 4, capability: 'echo', arguments: { after: 'result_from_step_2' }, description: 'after y' },
    { step_id: 5, capability: 'ids', arguments: { ids: ['a'] }, description: 'free' },
    { step_id: 6, capability: 'echo', arguments: { after: 'result_from_step_5' }, description: 'after free' },
  );

  test('the free branch goes on, each answer frees its own successor, and every body runs once', async () => {
    const run = await rig.start(plan);
    await rig.until(run, ({ counts }) => counts.waiting === 2 && counts.succeeded === 2);
    const [x, y] = await questions(run, 2);
    expect([x, y]).toMatchObject([
      { kind: 'question', text: 'x?', nodes: ['node_1'] },
      { kind: 'question', text: 'y?', nodes: ['node_2'] },
    ]);
    expect(x?.id).not.toBe(y?.id);
    // Out of order: the second first. Its successor runs while the first still waits.
    expect(await answer(run, y?.id ?? '', 'why')).toBe('answered');
    await rig.until(run, ({ counts }) => counts.succeeded === 4);
    expect((await rig.statuses(run)).slice(0, 4)).toEqual(['waiting', 'succeeded', 'pending', 'succeeded']);
    expect(await answer(run, x?.id ?? '', 'ex')).toBe('answered');
    const { results } = (await run.result()) as { results: Record<string, { ref: string }> };
    expect(await rig.read(results['1']?.ref)).toMatchObject({ value: 'ex' });
    expect(await rig.read(results['2']?.ref)).toMatchObject({ value: 'why' });
    expect(new Set(Object.values(rig.begun(run)))).toEqual(new Set([1]));
  });
});

test('the history says what was asked, what is waited for and whose answer it is', async () => {
  // As long as the server lets a summary be, once it is JSON.
  const quotes = '"'.repeat(80);
  const roles = ['"'.repeat(60)];
  const question = { question: 'x?', roles };
  const run = await rig.start(steps({ step_id: 1, capability: 'ask', arguments: question, description: quotes }));
  const [asked] = await questions(run, 1);
  await answer(run, asked?.id ?? '', 'ex', 'operator', { role: roles[0] });
  await run.result();
  const { events } = await run.fetchHistory();
  const summaries = (events ?? []).flatMap(({ userMetadata }) =>
    userMetadata?.summary ? [defaultPayloadConverter.fromPayload<string>(userMetadata.summary)] : [],
  );
  expect(summaries).toEqual(
    expect.arrayContaining([
      `Make the question: ${quotes}`,
      expect.stringContaining(`the answer to node_1 (${quotes}) by ${'"'.repeat(39)}`),
      `Check and store the answer to node_1 (${quotes})`,
    ]),
  );
});

test('an answer by signal is kept while no worker runs', async () => {
  const run = await rig.start(planOf(asks('Go?'), READS));
  const [open] = await questions(run, 1);
  await rig.stopWorker();
  await run.signal('answer', { question: open?.id, value: 'go', by: 'operator' });
  await rig.startWorker();
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

test('clarify asks, and a cancelled run asks no more', async () => {
  const run = await rig.start(planOf(task('clarify', { questions: ['Which?', 'When?'] }), READS));
  const [open] = await questions(run, 1);
  expect(open?.text).toContain('Which?');
  await run.cancel();
  await expect(run.result()).rejects.toThrow();
  expect((await run.describe()).status.name).toBe('CANCELLED');
  expect(await rig.open(run)).toEqual([]);
});
