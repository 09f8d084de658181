/** At a prompt a wrong answer is told and asked for again; what else goes wrong ends the command. */

import { describe, expect, test } from 'vitest';
import type { OpenItem } from '../../src/protocol/index.ts';
import { askEach, sayUntilTaken } from '../../src/cli/commands/answer.ts';
import { OperationError } from '../../src/operations/index.ts';
import { ClientError } from '../../src/client/index.ts';

const wrong = new ClientError('refused', 'the answer does not fit: $: expected a number', { refusal: 'wrong-answer' });

test('until it is taken', async () => {
  const typed = ['four', 'five', 6];
  const notes: string[] = [];
  const taken = await sayUntilTaken(
    () => Promise.resolve(typed.shift()),
    (value) => (typeof value === 'number' ? Promise.resolve(value) : Promise.reject(wrong)),
    { note: (line) => void notes.push(line) },
  );
  expect(taken).toBe(6);
  expect(notes).toEqual([wrong.message, wrong.message]);
});

test('until the person leaves it', async () => {
  expect(
    await sayUntilTaken(
      () => Promise.resolve(undefined),
      () => Promise.reject(wrong),
      { note: () => {} },
    ),
  ).toBe(undefined);
});

test('a word that is neither yes nor no is asked for again, a run that has closed is not', async () => {
  const asked: string[] = [];
  const unclear = () => Promise.reject(new OperationError('UNCLEAR', 'perhaps is neither yes nor no'));
  const closed = () => Promise.resolve('yes');
  const ways = [unclear, closed];
  const saying = sayUntilTaken(
    () => ways.shift()?.() ?? Promise.resolve(undefined),
    () => Promise.reject(new ClientError('run-closed', 'run plan-1 is closed')),
    { note: (line) => void asked.push(line) },
  );
  await expect(saying).rejects.toMatchObject({ code: 'RUN_CLOSED' });
  expect(asked).toEqual(['perhaps is neither yes nor no']);
});

describe('several open questions', () => {
  const questions = ['a', 'b', 'c'].map((id) => ({ id }) as OpenItem);
  const taken = (item: OpenItem) => Promise.resolve({ workflowId: 'plan-1', reply: `taken ${item.id}` } as never);
  const notes: string[] = [];
  const output = { note: (line: string) => void notes.push(line) };

  test('are asked one after the other, and each reply is told', async () => {
    notes.length = 0;
    expect(await askEach(questions, taken, output)).toMatchObject({ reply: 'taken c' });
    expect(notes).toEqual(['plan-1: taken a', 'plan-1: taken b']);
  });

  test('one that is left open, or that somebody else has answered, does not end the others', async () => {
    notes.length = 0;
    const ask = (item: OpenItem) => {
      if (item.id === 'a') return Promise.resolve(undefined);
      return item.id === 'b' ? Promise.reject(new OperationError('STALE', 'answered by another')) : taken(item);
    };
    expect(await askEach(questions, ask, output)).toMatchObject({ reply: 'taken c' });
    expect(notes).toEqual(['answered by another']);
    await expect(askEach(questions, () => Promise.reject(new Error('away')), output)).rejects.toThrow('away');
  });
});
