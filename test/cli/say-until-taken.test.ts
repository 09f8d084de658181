/** At a prompt a wrong answer is told and asked for again; what else goes wrong ends the command. */

import { expect, test } from 'vitest';
import { sayUntilTaken } from '../../src/cli/commands/answer.ts';
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
