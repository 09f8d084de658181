/** A plan from an objective, without a run. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createPlan, type CreatePlanOptions, type Feedback } from '../../src/planner/index.ts';
import type { ModelClient } from '../../src/models/index.ts';
import {
  catalogueOf,
  manyMore,
  modelError,
  researcher,
  scriptedModel,
  search,
  USAGE,
  writer,
  type Line,
  type Script,
} from '../support/scripted-planner.ts';

const agents = [researcher, writer];
const EXTRACTED: Line = {
  json: { task: 'Compare two markets', depends_on_chat_history: false, depends_on_user_memory: false },
};
const PLAN: Line = {
  json: {
    explanation: 'First the figures, then the text.',
    nodes: [
      { id: 'figures', task: 'Find figures', agent: 'researcher' },
      { id: 'text', task: 'Write it up', agent: 'writer', inputs: ['figures'] },
      { id: 'answer', task: 'Answer', capability: 'respond', inputs: ['text'] },
    ],
  },
};
const UNKNOWN: Line = { json: { nodes: [{ id: 'a', task: 'Find', agent: 'stranger' }] } };

async function make(script: Script, more: Partial<CreatePlanOptions> = {}) {
  const model = scriptedModel(script);
  const pauses: number[] = [];
  const sleep = async (ms: number) => void pauses.push(ms);
  const conversation = { history: () => 'operator: hello' };
  const made = await createPlan('Compare two markets', agents, { model, sleep, conversation, ...more });
  return { ...made, asked: model.asked.map(({ purpose }) => purpose), pauses };
}

describe('Calute: create_plan', () => {
  test('makes a plan, tells it while it is made, and counts what it used', async () => {
    const heard: Feedback[] = [];
    const made = await make({ extract: [EXTRACTED], write: [PLAN] }, { onFeedback: (one) => heard.push(one) });
    expect(made).toMatchObject({ fallback: false, usage: { ...USAGE, calls: 2, inputTokens: 20, outputTokens: 10 } });
    expect(made.trouble).toBeUndefined();
    expect(made.plan.tasks.map(({ contextKey }) => contextKey)).toEqual(['figures', 'text', 'answer']);
    expect(heard.map(({ text }) => text)).toEqual([
      'Reading the goal',
      'Selecting capabilities',
      'Offered: agent researcher, agent writer.',
      'Writing the plan',
      'First the figures, then the text.',
      'figures: Find figures (researcher)',
      'text: Write it up (writer)',
      'answer: Answer (respond)',
    ]);
    expect(made.feedback).toEqual(heard);
  });

  test('an invalid plan is corrected', async () => {
    const { fallback, asked, feedback } = await make({ extract: [EXTRACTED], write: [UNKNOWN, PLAN] });
    expect(fallback).toBe(false);
    expect(asked).toEqual(['extract', 'write', 'write']);
    expect(feedback.find(({ is }) => is === 'trouble')?.text).toContain('There is no agent "stranger"');
  });

  test.each<[name: string, script: Script, calls: number]>([
    ['prose', { extract: [EXTRACTED], write: Array.from({ length: 6 }, () => 'I would look for figures.') }, 7],
    ['names that do not exist', { extract: [EXTRACTED], write: Array.from({ length: 6 }, () => UNKNOWN) }, 7],
    ['no credit', { extract: [modelError('quota', 'CRITICAL')] }, 1],
    ['no credit, later', { extract: [EXTRACTED], write: [modelError('quota', 'CRITICAL')] }, 2],
    ['an error of another make', { extract: [new TypeError('cannot read properties of undefined')] }, 1],
    ['a call that was stopped on the other side', { extract: [modelError('cancelled', 'RETRIABLE')] }, 1],
  ])('never rejects for what a model or its provider did: %s', async (_name, script, calls) => {
    const { fallback, plan, trouble, asked, document } = await make(script);
    expect(fallback).toBe(true);
    expect(trouble?.message).not.toBe('');
    expect(plan.tasks[0]).toMatchObject({ contextKey: '1', agent: 'researcher', action: 'execute_objective' });
    expect(document).toMatchObject({ complexity: 'low', estimated_time: 5 });
    expect(asked).toHaveLength(calls);
  });

  test('never rejects, whatever a model replies', async () => {
    const line = fc.oneof(fc.string(), fc.json(), fc.constantFrom('', '{"nodes":[{}]}', '{"question":{"text":"?"}}'));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 20, maxLength: 20 }), fc.boolean(), async (lines, isXml) => {
        let at = 0;
        const model: ModelClient = {
          name: 'random',
          complete: async () => ({
            text: lines[at++ % 20]!,
            toolCalls: [],
            finish: 'stop',
            usage: USAGE,
            model: 'random',
          }),
        };
        const format = isXml ? 'xml' : 'nodes';
        const { plan, usage } = await createPlan('Compare', agents, { model, format, sleep: async () => {} });
        expect(plan.tasks.length).toBeGreaterThan(0);
        expect(usage.calls).toBeLessThanOrEqual(11);
      }),
      { numRuns: 100 },
    );
  });

  test('what a callback throws, and what the caller stops, ends it', async () => {
    const script = { extract: [EXTRACTED], write: [PLAN] };
    const onFeedback = ({ is }: Feedback) => {
      if (is === 'node') throw new Error('the terminal is gone');
    };
    await expect(make(script, { onFeedback })).rejects.toThrow('the terminal is gone');
    await expect(make(script, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  test('rejects what is a mistake of the program', async () => {
    const model = scriptedModel({});
    await expect(createPlan('Compare', [], { model })).rejects.toThrow(/^There are no agents configured.*defineAgent/);
    for (const sent of [undefined, researcher, [search], [undefined], 'researcher'])
      await expect(createPlan('Compare', sent as never, { model })).rejects.toThrow(
        /^createPlan\(objective, agents, options\): agents is a list of agents; capabilities go in options$/,
      );
    await expect(createPlan('Compare', agents, undefined as never)).rejects.toThrow('give options, with a model');
    await expect(createPlan(' ', agents, { model })).rejects.toThrow('The objective is blank');
    await expect(createPlan('x', agents, { model, prompts: { wirte: 'x' } as never })).rejects.toThrow('prompts.wirte');
    expect(model.asked).toEqual([]);
  });
});

test('without an agent and a default, what is left is an answer, marked as a fallback', async () => {
  const { all } = createRegistry([search]);
  const model = scriptedModel({ write: [modelError('auth', 'CRITICAL')] });
  const made = await createPlan('Find genes', [], { model, capabilities: all, catalogue: catalogueOf([search], []) });
  expect(made).toMatchObject({ fallback: true, plan: { tasks: [{ capability: 'respond' }] } });
  expect(made.trouble?.message).toContain('no agents configured');
});

describe('Osprey: planning retry policies', () => {
  test('a server that says when to come again is heard, within a minute', async () => {
    const soon = modelError('rate-limit', 'RETRIABLE', { retryAfterMs: 7000 });
    const late = modelError('rate-limit', 'RETRIABLE', { retryAfterMs: 3_600_000 });
    const { pauses, fallback, feedback } = await make({ extract: [soon, late, EXTRACTED], write: [PLAN] });
    expect({ pauses, fallback }).toEqual({ pauses: [7000, 60_000], fallback: false });
    expect(feedback.filter(({ is }) => is === 'trouble').map(({ text }) => text.split('; ').at(-1))).toEqual([
      'it is asked again in 7.0 s',
      'it is asked again in 1 min',
    ]);
  });

  test('what no other attempt may cure is not tried again', async () => {
    expect((await make({ extract: [modelError('auth', 'CRITICAL')] })).pauses).toEqual([]);
  });
});

test('what a failed reply has cost is counted', async () => {
  const refused = modelError('refusal', 'CRITICAL', { usage: USAGE });
  expect((await make({ extract: [EXTRACTED], write: [refused, PLAN] })).usage.calls).toBe(3);
});

test('a question is asked where somebody answers, and else assumed', async () => {
  const asks: Line = { json: { question: { text: 'Which markets?', suggestions: ['a', 'b'] } } };
  const script = { extract: [EXTRACTED], write: [asks, PLAN] };
  const questions: string[] = [];
  const onQuestion = ({ text }: { text: string }) => (questions.push(text), 'a');
  expect((await make(script, { onQuestion })).fallback).toBe(false);
  expect(questions).toEqual(['Which markets?']);
  expect((await make(script)).fallback).toBe(false);
});

test('Osprey: context reuse: keys from outside are offered, and a source that fails is told and left out', async () => {
  const nodes = [{ id: 'a', task: 'Write up', agent: 'writer', inputs: ['figures'] }];
  const { plan, feedback } = await make(
    { extract: [EXTRACTED], write: [{ json: { nodes } }] },
    {
      context: { figures: [1, 2] },
      conversation: {
        history: () => {
          throw new Error('no disk');
        },
      },
    },
  );
  expect(plan.external).toEqual(['figures']);
  expect(feedback[0]).toMatchObject({ is: 'trouble', text: expect.stringContaining('history') });
});

test('a selection of capabilities goes into the plan', async () => {
  const nodes = [{ id: 'a', task: 'Find', capability: 'search', arguments: { text: 'x' } }];
  const script = {
    extract: [EXTRACTED],
    select: [{ json: { capabilities: ['search'] } }],
    write: [{ json: { nodes } }],
  };
  const all = [search, ...manyMore];
  const { plan } = await make(script, { capabilities: createRegistry(all).all, catalogue: catalogueOf(all) });
  expect(plan.tasks).toMatchObject([{ capability: 'search' }, { capability: 'respond' }]);
});

test('what was offered is told, what not and why, and stands in the result', async () => {
  const all = [search, ...manyMore];
  const script = { select: [{ json: { capabilities: ['search'] } }], write: [PLAN] };
  const withheld = [{ name: 'records.file', why: 'no folders are named' }];
  const { offered, feedback } = await make(script, { capabilities: all, withheld, conversation: {} });
  expect(feedback.filter(({ is }) => is === 'note').map(({ text }) => text)).toEqual([
    'Offered: search, agent researcher, agent writer.',
    'Not offered, since no folders are named: records.file.',
    `Not offered, since the task was said not to need it: ${manyMore.map(({ name }) => name).join(', ')}.`,
  ]);
  expect(offered).toMatchObject({ capabilities: ['search'], agents: ['researcher', 'writer'] });
  expect(offered?.withheld).toHaveLength(17);
});

test('a common goal without a conversation costs one call', async () => {
  const nodes = [{ id: 'a', task: 'Find', capability: 'search', arguments: { text: 'x' } }];
  const model = scriptedModel({ write: [{ json: { nodes } }] });
  const all = [search, ...manyMore.slice(1)];
  const made = await createPlan('Find genes', [], { model, capabilities: all, catalogue: catalogueOf(all, []) });
  expect(made).toMatchObject({ fallback: false, usage: { calls: 1 } });
});
