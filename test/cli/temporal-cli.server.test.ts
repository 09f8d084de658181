/** The Temporal CLI alone is enough: nobody needs our program to start, see, decide and read a run. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { sharedProject, question, steps } from './project.ts';

const project = sharedProject();

async function temporal<T>(...args: string[]): Promise<T> {
  const flags = ['--address', inject('address'), '-o', 'json'];
  const { stdout } = await promisify(execFile)(inject('cliPath'), ['workflow', ...args, ...flags]);
  return JSON.parse(stdout === '' ? 'null' : stdout) as T;
}

async function queried<T>(id: string, name: string): Promise<T> {
  return (await temporal<{ queryResult: readonly [T] }>('query', '-w', id, '--type', name)).queryResult[0];
}

test('questions are answered and a node is settled, by what the query tells to send', async () => {
  const asks = { ...question('How many?', { schema: { type: 'number' }, default: 3 }) };
  const plan = steps(asks, { capability: 'broken' }, question('Which?'));
  const id = await project.detach(plan, '--approval', 'effects', '--on-failure', 'ask');
  await project.until(id, ({ waitingFor }) => waitingFor === 3);
  type Item = { kind: string; text: string; send: { name: string; input: Record<string, unknown> } };
  const open = await queried<readonly Item[]>(id, 'questions');
  const sendOf = (text: string) => open.find((item) => item.text.includes(text))?.send ?? { name: '', input: {} };

  const { name, input } = sendOf('How many?');
  expect({ name, value: input['value'] }).toEqual({ name: 'answer', value: 'ANSWER' });
  await temporal('signal', '-w', id, '--name', name, '--input', JSON.stringify({ ...input, value: 3, by: 'operator' }));
  const which = sendOf('Which?');
  const answer = JSON.stringify({ ...which.input, value: 'this one', by: 'operator' });
  type Update = { result: { ok: boolean; reply: string } };
  const update = (called: string, sent: string) =>
    temporal<Update>('update', 'execute', '-w', id, '--name', called, '--input', sent);
  expect((await update('answer', answer)).result).toEqual({ ok: true, reply: 'answered' });

  const settle = sendOf('failed');
  expect(settle).toMatchObject({ name: 'control', input: { action: 'retry-node', node: 'node_2' } });
  const stop = update('control', '{"action":"stop","by":"operator"}');
  await expect(stop).rejects.toMatchObject({ stderr: expect.stringContaining('action: expected pause or resume') });
  const skip = JSON.stringify({ action: 'skip-node', node: 'node_2', by: 'operator' });
  expect((await update('control', skip)).result).toMatchObject({ ok: true, reply: expect.stringContaining('skipped') });

  const { entries } = await queried<{ entries: readonly { what: string; said?: { by?: string } }[] }>(id, 'trace');
  const said = entries.filter(({ what }) => what === 'answer' || what === 'control');
  expect(said.map((entry) => `${entry.what} ${entry.said?.by}`)).toEqual([
    'answer operator',
    'answer operator',
    'control operator',
  ]);
});
