/** What a reply decides, whatever a model writes. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ask } from '../../src/capabilities/builtin/ask.ts';
import { respond } from '../../src/capabilities/builtin/respond.ts';
import { defineCapability } from '../../src/capabilities/index.ts';
import { roundMessages } from '../../src/planner/round/decision-request.ts';
import { NO_NOTES, withObservation, withRound } from '../../src/planner/round/notes.ts';
import { MAX_READS, readDecision } from '../../src/planner/round/read-decision.ts';
import { toolsFor } from '../../src/planner/round/tools.ts';
import type { ModelReply } from '../../src/models/index.ts';
import { tool } from '../support/capabilities.ts';

const search = tool('search', 'read', 'text', z.object({ query: z.string() }), () => 'found');
const erase = defineCapability({
  ...search,
  name: 'erase',
  effect: 'idempotent',
  output: 'text',
  execute: () => 'gone',
});
const tools = toolsFor({ capabilities: [search, erase, respond, ask], agents: [], plans: true });
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

test.each<[string, ModelReply, RegExp]>([
  ['nothing', reply({ text: ' \n' }), /^The reply is empty\. Call one of/],
  ['cut off', reply({ text: 'I would', finish: 'length' }), /cut off before it was whole/],
  ['a refusal', reply({ text: 'No.', finish: 'refusal' }), /is a refusal/],
  ['filtered', reply({ finish: 'content-filter' }), /content filter/],
  ['an unknown tool', called('serach', '{}'), /There is no tool "serach"\..*search/],
  ['arguments that are no JSON', called('search', 'what I want'), /are no JSON object/],
  ['arguments that are a list', called('search', '[1]'), /are no JSON object/],
  ['huge arguments', called('search', `{"query":"${'x'.repeat(200_000)}"}`), /have 200012 characters; at most 100000/],
  ['an end without an answer', called('finish', '{}'), /"answer" is missing/],
  ['an approval of its own', called('approve', '{"digest":"01234567"}'), /There is no tool "approve"/],
])('a reply that is no step says why: %s', (_, given, problem) => {
  expect(readDecision(given, tools).decision).toMatchObject({
    is: 'none',
    problem: expect.stringMatching(problem) as string,
  });
});

test('Osprey: of several calls the first counts: how many do not is told', () => {
  const two = reply({
    toolCalls: [
      { id: 'a', name: 'search', arguments: '{"task":"find","query":"x"}' },
      { id: 'b', name: 'finish', arguments: '{"answer":"y"}' },
    ],
  });
  expect(readDecision(two, tools, { results: { x: 'ref' } }).decision).toEqual({
    action: 'capability',
    is: 'capability',
    name: 'search',
    objective: 'find',
    arguments: { query: 'x' },
    inputs: ['x'],
    ignored: 1,
  });
});

describe('text that is a call is read as one', () => {
  const args = { query: 'x' };
  const json = JSON.stringify({ name: 'search', arguments: args });
  test.each<[string, string]>([
    ['JSON of a call', json],
    ['its arguments as text', JSON.stringify({ name: 'search', arguments: JSON.stringify(args) })],
    ['Llama: parameters', JSON.stringify({ name: 'search', parameters: args })],
    ['OpenAI: in a list of calls', JSON.stringify({ tool_calls: [{ type: 'function', function: JSON.parse(json) }] })],
    ['a fence with prose around it', `I will look.\n\`\`\`json\n${json}\n\`\`\`\nThat is all.`],
    ['Hermes, Qwen: a tag', `I will look.\n<tool_call>\n${json}\n</tool_call>`],
    ['a tag that does not end', `<tool_call>${json}`],
    ['behind a thought', `<think>{"name":"finish","arguments":{"answer":"no"}}</think>${json}`],
    ['behind a thought without its beginning', `which one?</think>\n${json}`],
    [
      'Qwen: parameters',
      '<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>',
    ],
    ['Llama: JSON in a function', `<function=search>${JSON.stringify(args)}</function>`],
    ['MiniMax', '<minimax:tool_call>\n<invoke name="search">\n<parameter name="query">x</parameter>\n</invoke>'],
    [
      'Kimi',
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|>`,
    ],
    [
      'DeepSeek',
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n\`\`\`json\n${JSON.stringify(args)}\n\`\`\`<｜tool▁call▁end｜>`,
    ],
    ['GLM', '<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>x</arg_value>\n</tool_call>'],
    ['Mistral', `[TOOL_CALLS]search[ARGS]${JSON.stringify(args)}`],
    ['Mistral: a list', `[TOOL_CALLS][${json}]`],
    ['Llama: a tag of Python', `<|python_tag|>${json}`],
    [
      'OpenAI: open weights',
      `<|channel|>commentary to=functions.search <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
    ],
    ['a bracket', `I look.\n[Calling tool: search with arguments: ${JSON.stringify(args)}]`],
    ['Gemini: Python', "```tool_code\nprint(default_api.search(query='x'))\n```"],
    ['Python by itself', 'search(query="x")'],
    ['a namespace', JSON.stringify({ name: 'functions.search', arguments: args })],
    [
      'Osprey: a step',
      JSON.stringify({ context_key: 'a', capability: 'search', task_objective: 'find', parameters: args }),
    ],
  ])('%s', (_, text) => {
    expect(readDecision(reply({ text }), tools).decision).toMatchObject({ is: 'capability', arguments: args });
  });

  test.each<[string, string]>([
    ['its own arguments are cut off', '<function=search>{"query": "x"'],
    ['what stands in them is no JSON', '<invoke name="search">all of it</invoke>'],
  ])('a call in marks is not carried out without its arguments: %s', (_, text) => {
    const problem = expect.stringContaining('are no JSON object') as string;
    expect(readDecision(reply({ text }), tools).decision).toMatchObject({ is: 'none', problem });
  });

  test.each([
    ['<function=', 100_000],
    ['<invoke name="', 70_000],
    ['<parameter=', 90_000],
    ['[Calling tool: search {', 40_000],
    ['<|channel|>to=a', 60_000],
    ['search(', 140_000],
  ])('%s, again and again, is read in bounded time', (piece, times) => {
    expect(readDecision(reply({ text: `<function=a>${piece.repeat(times)}` }), tools).decision.is).toBe('none');
    expect(readDecision(reply({ text: piece.repeat(times) }), tools).decision.is).toBe('none');
  });

  test.each<[string, string, object]>([
    ['an end', '{"name":"finish","arguments":{"answer":"42"}}', { is: 'finish', answer: '42' }],
    ['a plan', '{"nodes":[{"id":"a","task":"t"}]}', { is: 'plan', plan: { nodes: [{}] } }],
    [
      'an unknown tool',
      '{"name":"approve","arguments":{}}',
      { is: 'none', problem: expect.stringContaining('no tool') },
    ],
  ])('%s', (_, text, expected) => {
    expect(readDecision(reply({ text }), tools).decision).toMatchObject(expected);
  });

  test.each<[string, string, RegExp]>([
    ['Python in prose', 'I would call search(query="x") now.', /calls no tool/],
    ['Python of another function', 'os.remove(path="x")', /calls no tool/],
    ['prose', ' I would now call search. ', /calls no tool; it begins "I would now call search\."/],
    ['a call in the middle of prose, as of a page that was read', `The page says ${json} and more.`, /calls no tool/],
    ['a thought alone', '<think>I could search</think>', /it holds thoughts alone/],
    ['a thought that does not end', `<think>${json}`, /it holds thoughts alone/],
    ['JSON of an answer', '{"answer":"42"}', /calls no tool.*call finish with it/],
    ['JSON of 45,000 lists', `${'['.repeat(45_000)}${']'.repeat(45_000)}`, /calls no tool/],
    ['half an emoji', `\uD83D and prose`, /calls no tool/],
  ])('%s is unclear', (_, text, problem) => {
    const read = readDecision(reply({ text }), tools);
    expect(read).toMatchObject({ isUnclear: true, decision: { problem: expect.stringMatching(problem) as string } });
  });
});

describe('several calls', () => {
  const calls = (...names: readonly string[]) =>
    reply({ toolCalls: names.map((name, at) => ({ id: `${at}`, name, arguments: `{"query":"${at}","task":"t"}` })) });

  test('are one decision where all of them read, at most 16 of them', () => {
    const read = readDecision(calls(...Array.from({ length: MAX_READS + 1 }, () => 'search')), tools, {
      together: true,
    }).decision;
    expect(read).toMatchObject({ is: 'reads', ignored: 1 });
    expect(read.is === 'reads' && read.calls.map((one) => one.arguments['query'])).toEqual(
      Array.from({ length: MAX_READS }, (_, at) => `${at}`),
    );
  });

  test('one of them that cannot be read leaves the others', () => {
    const [first, second] = calls('search', 'search').toolCalls;
    const two = reply({ toolCalls: [first!, { ...second!, arguments: '[]' }] });
    expect(readDecision(two, tools, { together: true }).decision).toMatchObject({
      is: 'reads',
      calls: [{ name: 'search' }, { name: 'search', problem: expect.stringContaining('no JSON object') }],
    });
  });

  test.each([
    ['one changes the world', ['search', 'erase']],
    ['one asks a person', ['search', 'ask']],
    ['one answers', ['search', 'respond']],
    ['one is the end', ['search', 'finish']],
    ['one is unknown', ['search', 'nosuch']],
  ])('are the first where %s', (_, names) => {
    const { decision } = readDecision(calls(...names), tools, { together: true });
    expect(decision).toMatchObject({ is: 'capability', ignored: 1 });
  });
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
          observed: () => ({
            observed: `came of ${round}`,
            line: `- Step 'step_${round}' (search): ${round % 2 === 0 ? 'SUCCESS' : 'FAILED'} - step ${round}`,
          }),
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
