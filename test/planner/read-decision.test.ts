/** What a reply decides, whatever a model writes. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineCapability } from '../../src/define/index.ts';
import { roundMessages } from '../../src/loop/round/decision-request.ts';
import { NO_NOTES, withObservation, withRound } from '../../src/loop/round/notes.ts';
import { readDecision } from '../../src/loop/round/read-decision.ts';
import { toolsFor } from '../../src/loop/round/tools.ts';
import type { ModelReply } from '../../src/model/index.ts';

const search = defineCapability({
  name: 'search',
  description: 'Searches.',
  input: z.object({ query: z.string() }),
  output: 'text',
  effect: 'read',
  execute: () => 'found',
});
const tools = toolsFor({ capabilities: [search], agents: [], plans: true });
const usage = { calls: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
const reply = (over: Partial<ModelReply>): ModelReply => ({
  text: '',
  toolCalls: [],
  finish: 'stop',
  usage,
  model: 'double',
  ...over,
});
const called = (name: string, args: string) => reply({ toolCalls: [{ id: 'c', name, arguments: args }] });

describe('a reply that is no step says why', () => {
  test.each<[string, ModelReply, RegExp]>([
    ['nothing', reply({ text: ' \n' }), /^The reply is empty\. Call one of/],
    ['cut off', reply({ text: 'I would', finish: 'length' }), /cut off before it was whole/],
    ['a refusal', reply({ text: 'No.', finish: 'refusal' }), /is a refusal/],
    ['filtered', reply({ finish: 'content-filter' }), /content filter/],
    ['an unknown tool', called('serach', '{}'), /There is no tool "serach"\..*search/],
    ['arguments that are no JSON', called('search', 'what I want'), /are no JSON object/],
    ['arguments that are a list', called('search', '[1]'), /are no JSON object/],
    [
      'huge arguments',
      called('search', `{"query":"${'x'.repeat(200_000)}"}`),
      /have 200012 characters; at most 100000/,
    ],
    ['an end without an answer', called('finish', '{}'), /"answer" is missing/],
    ['an approval of its own', called('approve', '{"digest":"01234567"}'), /There is no tool "approve"/],
  ])('%s', (_, given, problem) => {
    expect(readDecision(given, tools)).toEqual({ is: 'none', problem: expect.stringMatching(problem) as string });
  });
});

test('Osprey: of several calls the first counts: how many do not is told', () => {
  const two = reply({
    toolCalls: [
      { id: 'a', name: 'search', arguments: '{"task":"find","query":"x"}' },
      { id: 'b', name: 'finish', arguments: '{"answer":"y"}' },
    ],
  });
  expect(readDecision(two, tools)).toMatchObject({
    is: 'call',
    meaning: { is: 'capability', name: 'search' },
    task: 'find',
    arguments: { query: 'x' },
    ignored: 1,
  });
});

test('prose without a call is the answer', () => {
  expect(readDecision(reply({ text: ' 42. ' }), tools)).toEqual({ is: 'finish', answer: '42.' });
});

describe('Osprey: execution history', () => {
  const notes = Array.from({ length: 300 }, (_, at) => at + 1).reduce(
    (before, round) =>
      withObservation(
        withRound(before, {
          round,
          call: { name: 'search', arguments: '{}' },
          said: `step ${round}`,
          line: 'under way',
        }),
        {
          observed: `came of ${round}`,
          line: `- Step 'step_${round}' (search): ${round % 2 === 0 ? 'SUCCESS' : 'FAILED'} - step ${round}`,
          results: { [`step_${round}`]: 'ref' },
          types: {},
        },
      ),
    NO_NOTES,
  );

  test('decision, observation, decision, ...: the last 10 whole, those before a line each, ordered by index', () => {
    const messages = roundMessages(notes);
    expect(messages.slice(1).map(({ role }) => role)).toEqual(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'assistant' : 'tool')),
    );
    const lines = messages[0]?.content.match(/'step_\d+' \(search\): (?:SUCCESS|FAILED)/g) ?? [];
    expect(lines).toHaveLength(200);
    expect(lines[0]).toBe("'step_91' (search): FAILED");
    expect(lines.at(-1)).toBe("'step_290' (search): SUCCESS");
    expect(messages[0]?.content).toContain('(90 steps before these are left out)');
  });

  test('is empty at the start of a run', () => {
    expect(roundMessages(NO_NOTES)).toEqual([]);
  });
});
