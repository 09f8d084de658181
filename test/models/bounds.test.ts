/** One beyond each bound of a call to a model: docs/bounds.md says what happens then. */

import { expect, test } from 'vitest';
import { callQueue } from '../../src/models/streaming-client.ts';
import { readReply } from '../../src/models/judge.ts';
import { USAGE } from '../support/scripted-planner.ts';

test('of 9 calls 8 are under way at once', async () => {
  const line = callQueue();
  let begun = 0;
  for (let at = 0; at < 9; at++) void line(() => new Promise(() => void (begun += 1)));
  await new Promise(setImmediate);
  expect(begun).toBe(8);
});

test('a reply with a value of 201 levels is none', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  const reply = (levels: number) => () =>
    readReply({ text: '', value: nested(levels), toolCalls: [], finish: 'stop', usage: USAGE, model: 'm' }, 'tiny');
  expect(reply(200)).not.toThrow();
  expect(reply(201)).toThrow('more than 200 levels');
});
