/** One beyond each bound of a planner's work and of its prompts: docs/bounds.md says what happens then. */

import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import type { Capability } from '../../src/capabilities/index.ts';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { PlanIssue } from '../../src/plan/index.ts';
import { openNotes } from '../../src/planner/index.ts';
import type { PlannerNotes } from '../../src/planner/notes.ts';
import { trouble } from '../../src/planner/desk.ts';
import { offeredLines } from '../../src/planner/offered.ts';
import { NO_NOTES, withObservation, withRound, type LoopNotes } from '../../src/planner/round/notes.ts';
import { readFlatNodes } from '../../src/planner/form/flat-node.ts';
import { argumentSchema } from '../../src/planner/form/argument-schema.ts';
import { planExample, planFormat } from '../../src/planner/form/index.ts';
import { issueLines } from '../../src/planner/form/tell-issues.ts';
import { fallbackDocument } from '../../src/planner/plan-without-model.ts';
import { agentLines, capabilityGuide, capabilityGuides } from '../../src/planner/prompts/guides.ts';
import { fenced } from '../../src/planner/prompts/fence.ts';
import { selectRequest, stageRequest, writeRequest } from '../../src/planner/prompts/requests.ts';
import { signatureOf } from '../../src/planner/prompts/signature.ts';
import { reportFailure } from '../../src/planner/report.ts';
import { selectCapabilities } from '../../src/planner/select-capabilities.ts';
import { deskOf, researcher, search, USAGE } from '../support/scripted-planner.ts';

const long = (length: number) => 'x'.repeat(length);
/** What is left of a text with one character more than may be shown. */
const cut = (most: number) => `${long(most - 1)}…`;
const INSTRUCTED = { capabilities: [search], agents: [researcher] };
const notesWith = (over: Partial<PlannerNotes> = {}): PlannerNotes => ({ ...openNotes('a goal'), ...over });
const userText = ({ messages }: { messages: readonly { role: string; content: string }[] }) =>
  messages
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => content)
    .join('\n');

describe('a text in a prompt that is one character too long is cut, and said to be', () => {
  const write = (notes: PlannerNotes) => userText(writeRequest(notes, INSTRUCTED));
  const conversation = (said: Partial<PlannerNotes['conversation']>) =>
    userText(stageRequest('extract', notesWith({ conversation: said }), { format: 'task', reply: {} }, INSTRUCTED));
  const tried = { is: 'try', issues: [] } as const;

  test.each<[string, number, (text: string) => string]>([
    ['the goal', 20_000, (goal) => write(notesWith({ goal }))],
    ['the task', 20_000, (task) => write(notesWith({ task }))],
    [
      'the wish of a person',
      20_000,
      (feedback) => write(notesWith({ revise: { base: '', form: 'tree', feedback } as never })),
    ],
    ['memory', 8000, (memory) => conversation({ memory })],
    [
      'the answer of a person',
      8000,
      // Its quotes count.
      (text) =>
        write(
          notesWith({ turns: [{ is: 'question', question: { text: 'which?' }, answer: text.slice(2) }] }),
        ).replaceAll('"x', 'x'),
    ],
    [
      'what is wrong with the reply',
      4000,
      (text) => write(notesWith({ turns: [{ ...tried, reply: 'r', trouble: text }] })),
    ],
    [
      'what went wrong with the selection before',
      4000,
      (message) => userText(selectRequest(notesWith(), [search], { severity: 'REPLANNING', message }, {})),
    ],
  ])('%s: %i characters', (source, most, shown) => {
    const label = `source="${source}, ${most} of ${most + 1} characters"`;
    expect(shown(long(most + 1))).toContain(label);
    expect(shown(long(most))).not.toContain(`${most} of`);
  });

  test('of the history of a conversation 20,000 characters are kept, its end', () => {
    const text = conversation({ history: `${long(20_000)}y` });
    expect(text).toContain('the conversation, the last 20000 of 20001 characters');
    expect(text).toContain('xy\n');
  });

  test('an earlier result: 2000 characters', () => {
    const results = [{ key: 'k', objective: 'o', ref: 'r', text: long(2001) }];
    expect(write(notesWith({ conversation: { results } }))).toContain('2000 of 2004 characters');
  });

  test('a reply that is shown again: 40,000 characters', () => {
    const text = write(notesWith({ turns: [{ ...tried, reply: long(40_001), trouble: 'no' }] }));
    expect(text).toContain(`${cut(40_000)}\n`);
    expect(text).not.toContain(long(40_000));
  });

  test('of 51 earlier results the last 50 are told, and of 51 keys how many are left', () => {
    const results = Array.from({ length: 51 }, (_, at) => ({
      key: `k${at}`,
      objective: 'o',
      ref: 'r',
      text: `text ${at}`,
    }));
    const text = write(notesWith({ conversation: { results }, context: results.map(({ key }) => ({ key })) }));
    expect(text.match(/A result of an earlier run/g)).toHaveLength(50);
    expect(text).not.toContain('text 0\n');
    expect(text).toContain('and 1 more');
  });

  test('the label of a fenced text: 100 characters', () => {
    expect(fenced(long(101), 'text', 10)).toContain(`source="${cut(100)}"`);
  });
});

describe('the guide of a capability', () => {
  const guided = (over: Partial<Capability>) => capabilityGuide({ ...search, ...over } as Capability);

  test.each<[string, number, Partial<Capability>]>([
    ['its description', 300, { description: long(301) }],
    ['when it is right', 300, { guide: { when: long(301) } }],
    ['an example', 200, { guide: { when: 'w', examples: [long(201)] } }],
  ])('has of %s %i characters', (_, most, over) => {
    expect(guided(over)).toContain(cut(most));
    expect(guided(over)).not.toContain(long(most));
  });

  test('has 3 examples', () => {
    expect(guided({ guide: { when: 'w', examples: ['a', 'b', 'c', 'd'] } }).match(/example:/g)).toHaveLength(3);
  });

  test('has its arguments in 200 characters', () => {
    const line = signatureOf(z.object({ [long(300)]: z.string() }));
    expect(line).toHaveLength(200);
    expect(line.at(-1)).toBe('…');
  });

  test('has a type of 4 levels, and any for the fifth', () => {
    const nested = (levels: number): z.ZodType => (levels === 0 ? z.string() : z.array(nested(levels - 1)));
    expect(signatureOf(nested(4))).toBe('list of list of list of list of string');
    expect(signatureOf(nested(5))).toBe('list of list of list of list of list of any');
  });

  test('of all of them 16,000 characters are told, and of agents 4000', () => {
    const many = Array.from({ length: 400 }, (_, at) => ({ ...search, name: `search_${at}` }));
    expect(capabilityGuides(many).length).toBeLessThan(16_000 + 400 + 100);
    expect(capabilityGuides(many)).toContain('left out for want of room');
    const agents = Array.from({ length: 100 }, (_, at) =>
      defineAgent({ name: `agent-${at}`, description: long(300), instructions: 'i', capabilities: [] }),
    );
    expect(agentLines(agents).length).toBeLessThan(4000 + 200);
    expect(agentLines(agents)).toContain('left out for want of room');
  });
});

describe('what a loop remembers', () => {
  const round = (at: number, line = `line ${at}`) => ({ round: at, said: '', line });
  const after = (rounds: number) => {
    let notes: LoopNotes = NO_NOTES;
    for (let at = 1; at <= rounds; at++) notes = withRound(notes, round(at));
    return notes;
  };

  test('19 rounds are whole; of 20 the first 10 are lines', () => {
    expect(after(19).lines).toEqual([]);
    const { recent, lines } = after(20);
    expect([recent.length, lines.length, lines[9]]).toEqual([10, 10, 'line 10']);
  });

  test('of 220 rounds the oldest 10 lines are left out, and counted', () => {
    const { lines, left } = after(220);
    expect([lines.length, lines[0], left]).toEqual([200, 'line 11', 10]);
  });

  test('a line has 200 characters', () => {
    expect(withRound(NO_NOTES, round(1, long(201))).recent[0]?.line).toBe(cut(200));
    const seen = withObservation(after(1), {
      observed: () => ({ observed: '', line: long(201) }),
      results: {},
      types: {},
    });
    expect(seen.recent[0]?.line).toBe(cut(200));
  });

  test('of 501 results the last 500 may be taken', () => {
    const results = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`step_${at}`, `r${at}`]));
    const kept = Object.keys(withObservation(after(1), { observed: () => ({ line: '' }), results, types: {} }).results);
    expect([kept.length, kept[0]]).toEqual([500, 'step_1']);
  });
});

describe('the report of a failed run', () => {
  const FACTS = { severity: 'CRITICAL', task: 't', operation: 'o', message: 'm', done: [], failed: [] } as const;

  test('has lines of 500 characters', async () => {
    const { text } = await reportFailure({ ...FACTS, task: long(501) });
    expect(text).toContain(`Task: ${cut(500)}\n`);
  });

  test('tells a model 20,000 characters of facts, and takes 500 tokens and 4000 characters of it', async () => {
    const asked: unknown[] = [];
    const done = Array.from({ length: 50 }, () => long(500));
    const { analysis } = await reportFailure({ ...FACTS, done }, (request) => {
      asked.push(request);
      return Promise.resolve({ text: long(4001), toolCalls: [], finish: 'stop', usage: USAGE, model: 'm' });
    });
    expect(analysis).toBe(cut(4000));
    expect(asked).toMatchObject([{ maxTokens: 500 }]);
    expect(JSON.stringify(asked)).toMatch(/20000 of \d+ characters/);
  });
});

test('what went wrong with a reply: 2000 characters', () => {
  expect(trouble('REPLANNING', long(2001)).message).toBe(cut(2000));
});

test('of 21 problems of a reply 20 are told', () => {
  const issue: PlanIssue = { code: 'invalid-json', severity: 'error', path: '$', message: 'Wrong.' };
  const lines = issueLines(Array.from({ length: 21 }, () => issue)).split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([21, '- and 1 more']);
});

test('the fallback plan is told to take 5 minutes', () => {
  expect(fallbackDocument({ agents: [researcher] }, 'Find')).toMatchObject({ estimated_time: 5 });
});

test('of 17 capabilities a selection is asked for, of 16 none', async () => {
  const asked = async (length: number) => {
    const capabilities = Array.from({ length }, (_, at) => ({ ...search, name: `search_${at}` }));
    const desk = deskOf({ select: [{ json: { capabilities: [] } }] }, { capabilities });
    await selectCapabilities(desk, notesWith());
    return desk.asked.length;
  };
  expect([await asked(16), await asked(17)]).toEqual([0, 1]);
});

interface Named {
  readonly const?: string;
  readonly enum?: readonly string[];
}

test('shapes of capabilities beyond 24,000 characters share one with open arguments', () => {
  const shapesOf = (length: number) => {
    const capabilities = Array.from({ length }, (_, at) => ({ ...search, name: `search_${at}` }));
    const { properties } = planFormat(capabilities, []).schema as unknown as {
      properties: { nodes: { items: { anyOf: { properties: { capability?: Named } }[] } } };
    };
    return properties.nodes.items.anyOf;
  };
  const own = shapesOf(200).filter(({ properties }) => properties.capability?.const !== undefined);
  const shared = shapesOf(200).flatMap(({ properties }) => properties.capability?.enum ?? []);
  expect(shapesOf(10).every(({ properties }) => properties.capability?.enum === undefined)).toBe(true);
  const characters = own.reduce((sum, shape) => sum + JSON.stringify(shape).length, 0);
  expect([characters <= 24_000, own.length + shared.length]).toEqual([true, 200]);
  expect(characters).toBeGreaterThan(23_000);
});

test('a task has at most 300 characters and 32 inputs, where a server keeps to its schema; a plan that is revised as many as it has', () => {
  const task = { properties: { task: { maxLength: 300 }, hint: { maxLength: 300 }, inputs: { maxItems: 32 } } };
  expect(planFormat([search], []).schema).toMatchObject({
    properties: { nodes: { items: { anyOf: [task, {}] } } },
  });
  expect(JSON.stringify(planFormat([search], [], { isRevision: true }).schema)).not.toMatch(/300|32/);
});

test('the explanation of a plan has at most 160 characters, where a server keeps to its schema', () => {
  expect(planFormat([search], []).schema).toMatchObject({ properties: { explanation: { maxLength: 160 } } });
});

test('a count above 64 in the schema of arguments is left to the compiler', () => {
  const schema = argumentSchema(z.object({ a: z.array(z.string().max(64)).max(65) }));
  expect(schema).toMatchObject({ properties: { a: { items: { maxLength: 64 } } } });
  expect(JSON.stringify(schema)).not.toContain('65');
});

test('a line of what is offered has at most 300 characters', () => {
  const capabilities = Array.from({ length: 300 }, (_, at) => `search_${at}`);
  const [line] = offeredLines({ capabilities, agents: [], withheld: [] });
  expect([line?.length, line?.at(-1)]).toEqual([300, '…']);
});

test('the task of an example has at most 80 characters', () => {
  const example = planExample([{ ...search, description: long(81) }], []) ?? '';
  expect(JSON.parse(example).nodes[0].task).toBe(cut(80));
});

test('a node of a reply whose id has 101 characters is an issue', () => {
  const issues = (length: number) => readFlatNodes([{ id: long(length), task: 'A' }]).issues.map(({ code }) => code);
  expect([issues(100), issues(101)]).toEqual([[], ['invalid-step-key']]);
});
