/** Loops that a scripted model decides, in a world that the case gives: the steps, their order, and how they end. */

import { expect, test } from 'vitest';
import { LIMITS, readCases, runCases, type EvalCase } from '../../../src/operations/evaluation/index.ts';
import { createRegistry } from '../../../src/capabilities/builtin/index.ts';
import { definePolicy, stagesOf } from '../../../src/capabilities/policy/index.ts';
import type { LoopPolicy, RoundSurroundings } from '../../../src/capabilities/index.ts';
import { createFileStore, resultsIn } from '../../../src/store/index.ts';
import type { ModelClient, ModelRequest, ToolCall } from '../../../src/models/index.ts';
import { catalogueOf, erase, modelError, rank, search, USAGE } from '../../support/scripted-planner.ts';
import { fileFolder } from '../../support/folders.ts';

const dir = fileFolder('evaluation-loop');

type Reply = readonly Omit<ToolCall, 'id'>[] | string | Error;

function modelOf(replies: readonly Reply[]): ModelClient & { readonly asked: ModelRequest[] } {
  const left = [...replies];
  const asked: ModelRequest[] = [];
  return {
    name: 'scripted',
    asked,
    async complete(request) {
      asked.push(request);
      const reply = left.shift();
      if (reply === undefined) throw new Error('the script has no more replies');
      if (reply instanceof Error) throw reply;
      const [text, calls] = typeof reply === 'string' ? [reply, []] : ['', reply];
      const toolCalls = calls.map((call, at) => ({ ...call, id: `call_${at}` }));
      return { text, toolCalls, finish: calls.length > 0 ? 'tool-calls' : 'stop', usage: USAGE, model: 'scripted' };
    },
  };
}

const call = (name: string, args: object = {}) => ({ name, arguments: JSON.stringify(args) });
const found = (text: string) => call('search', { text });
const end = [call('finish', { answer: 'Two kinases.' })];
const LOOP = { gives: { search: [{ ids: ['abl1', 'src'] }] } };

type Rule = { readonly action: 'look' } | { readonly action: 'end' };

let runs = 0;
async function attempt(replies: readonly Reply[], given: object, policy?: LoopPolicy) {
  const { cases, problems } = readCases(
    JSON.stringify([{ name: `loop-${++runs}`, goal: 'Find kinases', loop: LOOP, ...given }]),
    'cases.json',
  );
  expect(problems).toEqual([]);
  const model = modelOf(replies);
  const registry = createRegistry([search, rank, erase]);
  const report = await runCases(cases, {
    ...{ model, agents: [], capabilities: registry.offered, catalogue: registry, policy },
    ...{ store: resultsIn(createFileStore(dir), 'runs/o/c'), sleep: async () => {} },
  });
  return { ...report.cases[0]!.attempts[0]!, told: model.asked.map((one) => JSON.stringify(one.messages)) };
}

test('steps are graded in their order, and the model is told what the case gives', async () => {
  const expected = { steps: [{ name: 'search', arguments: { text: 'kinase' } }], size: { max: 1 }, effects: 'read' };
  const seen = await attempt([[found('kinase')], end], { expect: expected });
  expect(seen).toMatchObject({ passed: true, way: 'at-once', steps: ['search'], usage: { calls: 2 }, bought: 2 });
  expect(seen).not.toHaveProperty('digest');
  expect(seen.told[1]).toContain('abl1');
});

test('several reads of one reply are a step each, and the results of a capability come in their order', async () => {
  const gives = { search: [{ text: 'first' }, { fails: 'the index is away' }, { text: 'third' }] };
  const seen = await attempt([[found('a'), found('b')], [found('c')], end], {
    loop: { gives },
    expect: { steps: ['search', 'search', 'search'] },
  });
  expect(seen).toMatchObject({ passed: true, steps: ['search', 'search', 'search'] });
  expect(seen.told[1]).toContain('first');
  expect(seen.told[1]).toContain('the index is away');
  expect(seen.told[2]).toContain('third');
});

test('an effect is seen, and is not carried out', async () => {
  const seen = await attempt([[call('erase')], end], {
    loop: { gives: { erase: [{ value: { erased: 3 } }] } },
    expect: { avoids: ['erase'] },
  });
  expect(seen).toMatchObject({ passed: false, way: 'at-once' });
  expect(seen.grades[1]).toEqual({ grader: 'avoids', why: 'the plan uses erase' });
});

test('a step whose result the case does not give is told so', async () => {
  const seen = await attempt([[found('kinase')], end], { loop: { gives: {} }, expect: {} });
  expect(seen.told[1]).toContain('the case gives no result of search');
});

test('a submitted plan is one step, and its tasks count for what is used', async () => {
  const nodes = [
    { id: 'a', task: 'Find kinases', capability: 'search', arguments: { text: 'kinase' } },
    { id: 'b', task: 'Find receptors', capability: 'search', arguments: { text: 'receptor' } },
    { id: 'c', operator: 'UNION', inputs: ['a', 'b'] },
  ];
  const seen = await attempt([[call('submit_plan', { task: 'Both', nodes })], end], {
    loop: { gives: { submit_plan: [{ ids: ['abl1'] }] } },
    expect: { steps: ['submit_plan'], uses: ['search'] },
  });
  expect(seen).toMatchObject({ passed: true, steps: ['submit_plan'] });
});

test.each<[replies: readonly Reply[], loop: object, seen: object]>([
  [[[call('seek')], [found('a')], end], LOOP, { way: 'repaired', steps: ['search'] }],
  [['I would look for kinases.', 'Then I would rank them.'], LOOP, { way: 'fallback' }],
  [
    Array.from({ length: LIMITS.usualRounds }, (_, at) => [found(`${at}`)]),
    LOOP,
    { way: 'fallback', trouble: 'no end within 20 rounds' },
  ],
  [[[found('a')], [found('b')]], { ...LOOP, rounds: 2 }, { way: 'fallback', trouble: 'no end within 2 rounds' }],
  [[modelError('auth', 'CRITICAL')], LOOP, { way: 'fallback', trouble: 'auth happened' }],
])('%j', async (replies, loop, seen) => {
  const attempted = await attempt(replies, { loop, expect: {} });
  expect(attempted).toMatchObject(seen);
  expect(attempted.passed).toBe(attempted.way !== 'fallback');
});

test('a policy of the project decides', async () => {
  const on = stagesOf<object, Rule, RoundSurroundings>();
  const policy: LoopPolicy = definePolicy<object, Rule, RoundSurroundings>({
    name: 'rules',
    initial: () => ({}),
    stages: [
      on.gate({ name: 'g_first', when: (_, { round }) => round === 1, decide: () => ({ action: 'look' }) }),
      on.decide({ name: 'd_end', run: () => ({ decision: { action: 'end' } }) }),
    ],
    actions: {
      look: {
        about: 'looks',
        dispatch: () => ({ is: 'capability', name: 'search', arguments: { text: 'rules' }, objective: 'Look' }),
      },
      end: { about: 'ends', ends: true, dispatch: () => ({ is: 'finish', answer: 'done' }) },
    },
  });
  const seen = await attempt([], { expect: { steps: ['search'] } }, policy);
  expect(seen).toMatchObject({ passed: true, steps: ['search'], usage: { calls: 0 } });
});

test('a question has the answers of the case, and then none', async () => {
  const asking = [call('ask', { question: 'Which genome?' })];
  const seen = await attempt([asking, asking, end], { answers: ['hg38'], expect: { asks: 2, steps: ['ask', 'ask'] } });
  expect(seen).toMatchObject({ passed: true, asked: 2 });
  expect(seen.told[1]).toContain('hg38');
  expect(seen.told[2]).toContain('nobody has answered');
});

test('what was bought of a loop is not bought again', async () => {
  const one = { name: 'kept', goal: 'Find kinases', loop: { ...LOOP, rounds: 5 }, expect: {} } as EvalCase;
  const surroundings = {
    ...{ agents: [], capabilities: [search], catalogue: catalogueOf([search], []) },
    store: resultsIn(createFileStore(dir), 'runs/o/c'),
  };
  const first = await runCases([one], { ...surroundings, model: modelOf([[found('a')], end]) });
  const second = await runCases([one], { ...surroundings, model: modelOf([]) });
  expect(first).toMatchObject({ bought: 2, pass1: 1 });
  expect(second).toMatchObject({ bought: 0, reused: 2, pass1: 1, usage: first.usage });
});
