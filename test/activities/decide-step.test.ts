/** A loop, round by round, with a model behind HTTP: what a reply decides, and what its model is told of it. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  CapabilityError,
  defineAgent,
  defineCapability,
  type LoopPolicy,
  type RoundSurroundings,
} from '../../src/capabilities/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { definePolicy } from '../../src/capabilities/policy/index.ts';
import { openModels } from '../../src/config/own-worker/index.ts';
import type { DecideReply, Observation } from '../../src/protocol/index.ts';
import { writeResult } from '../../src/store/index.ts';
import { startLoopServer, type Said } from '../support/loop-server.ts';
import { openActivities } from './rig.ts';
import { tool } from '../support/capabilities.ts';

const find = tool(
  { name: 'find', provides: ['WORDS'] },
  'read',
  'text',
  z.strictObject({ word: z.string() }),
  ({ arguments: { word } }) => {
    if (word === 'broken') throw new CapabilityError('CRITICAL', 'broken for good');
    return `found ${word}`;
  },
);
const rank = defineCapability({
  ...find,
  name: 'rank',
  requires: ['WORDS'],
  provides: [],
  output: 'text',
  execute: () => 'ranked',
});
const erase = defineCapability({
  ...find,
  name: 'erase',
  effect: 'at-most-once',
  output: 'text',
  execute: () => 'gone',
});

async function openLoop(script: readonly Said[], policy?: LoopPolicy) {
  const { client, asked } = await startLoopServer(script);
  const rig = await openActivities([find, rank, erase], {
    models: openModels({ model: client })!,
    ...(policy !== undefined && { loopPolicy: policy }),
  });
  let before: DecideReply | undefined;
  let round = 0;
  return {
    asked,
    rig,
    /** The next round, behind this end of the step before. */
    async decide(ended: Partial<Observation> | undefined = undefined) {
      round += 1;
      const observation = ended && { round: round - 1, status: 'succeeded' as const, results: {}, ...ended };
      const call = { call: `step_${round}/decide/1`, work: round, options: {}, ...(before && { notes: before.notes }) };
      before = await rig.call('decideStep', {
        task: { goal: 'Find' },
        round,
        ...call,
        ...(observation && { observation }),
      });
      return before.decision;
    },
    async result(text: string) {
      return writeResult(rig.results, { kind: 'text', text });
    },
    /** The messages of the last request. */
    last: () => asked.at(-1)?.['messages'] as readonly { role: string; content: string; tool_call_id?: string }[],
  };
}

describe('several reads of one reply', () => {
  test('are one plan of independent nodes, each told under its own call; one that failed leaves the others', async () => {
    const loop = await openLoop([
      [
        ['find', { word: 'a', task: 'Find a' }],
        ['find', { word: 'broken' }],
        ['find', { word: 'c' }],
      ],
      [['finish', { answer: 'a and c' }]],
    ]);
    const decision = await loop.decide();
    if (decision.is !== 'step' || !('planShape' in decision)) throw new Error('no step');
    expect(decision.summary).toBe('3 reads: Find a; capability find; capability find');
    expect(decision.planShape).toMatchObject({
      inputs: [[], [], []],
      contextKeys: ['step_1_1', 'step_1_2', 'step_1_3'],
    });
    expect(decision.planShape).not.toHaveProperty('after');
    const results = { step_1_1: await loop.result('found a'), step_1_3: await loop.result('found c') };
    const failures = { step_1_2: 'failed: broken for good' };
    expect(await loop.decide({ status: 'succeeded', results, failures })).toMatchObject({ is: 'finish' });
    const told = loop.last().filter(({ role }) => role === 'tool');
    expect(told.map((one) => one.tool_call_id)).toEqual(['step_1_1', 'step_1_2', 'step_1_3']);
    expect(told.map(({ content }) => /found \w|broken for good/.exec(content)?.[0])).toEqual([
      'found a',
      'broken for good',
      'found c',
    ]);
  });

  test('one with a problem is left out and told it; the others are carried out', async () => {
    const loop = await openLoop([
      [
        ['find', { word: 'a' }],
        ['find', { wrod: 'b' }],
        ['rank', { word: 'c' }],
        ['find', '[]'],
      ],
      [['finish', { answer: 'a' }]],
    ]);
    const decision = await loop.decide();
    expect(decision).toMatchObject({ is: 'step', planShape: { contextKeys: ['step_1_1'] } });
    await loop.decide({ results: { step_1_1: await loop.result('found a') } });
    const told = loop.last().filter(({ role }) => role === 'tool');
    expect(told.map(({ content }) => content)).toEqual([
      expect.stringContaining('found a'),
      expect.stringMatching(/Not carried out: .*wrod/s),
      expect.stringMatching(/Not carried out: rank requires WORDS \(produced by "find"/),
      expect.stringMatching(/Not carried out: The arguments of find are no JSON object/),
    ]);
  });
});

describe('a reply that is no step', () => {
  test('Osprey: unclear replies: prose is told back, twice in a row it ends the loop', async () => {
    const loop = await openLoop(['I would now find it.', 'It is found.']);
    expect(await loop.decide()).toMatchObject({ is: 'none' });
    const decision = await loop.decide();
    expect(loop.last().at(-1)?.content).toMatch(/The reply calls no tool; it begins "I would now find it\."/);
    expect(decision).toMatchObject({
      is: 'failed',
      trouble: { message: expect.stringContaining('2 replies in a row') },
    });
  });

  test.each<[string, string]>([
    ['a tag', '<tool_call>{"name":"find","arguments":{"word":"a"}}</tool_call>'],
    ['JSON of a step', '{"context_key":"x","capability":"find","task_objective":"Find a","parameters":{"word":"a"}}'],
  ])('%s is read as the call that it is', async (_, text) => {
    const loop = await openLoop([text]);
    expect(await loop.decide()).toMatchObject({ is: 'step', planShape: { executors: [{ name: 'find' }] } });
  });
});

test('a refused step that is decided again is told as such, and at the third time ends the loop', async () => {
  const loop = await openLoop([[['erase', { word: 'all' }]]]);
  expect(await loop.decide()).toMatchObject({ is: 'step' });
  expect(await loop.decide({ status: 'rejected', message: 'operator refused it' })).toMatchObject({
    is: 'none',
    trouble: { message: expect.stringContaining('exactly the step that was refused in the round before') },
  });
  expect(await loop.decide()).toMatchObject({
    is: 'failed',
    trouble: { message: expect.stringContaining('3 times') },
  });
  expect(loop.last().at(-1)?.content).toContain('is not tried again');
});

describe('a read that was carried out twice in a row', () => {
  const calls: Said = [['find', { word: 'a' }]];
  const both: Said = [
    ['find', { word: 'a' }],
    ['find', { word: 'b' }],
  ];
  test.each<[string, Said, readonly string[]]>([
    ['one read', calls, ['result']],
    ['several reads', both, ['step_1_1', 'step_1_2']],
  ])('with the same result is told and not carried out again; then it ends the loop: %s', async (_, said, keys) => {
    const loop = await openLoop([said]);
    const ref = await loop.result('found');
    const done = (round: number) => ({
      results: Object.fromEntries(keys.map((key) => [key.replace('step_1', `step_${round}`), ref])),
    });
    const again = (words: string) => ({ trouble: { message: expect.stringContaining(words) as string } });
    expect(await loop.decide()).toMatchObject({ is: 'step' });
    expect(await loop.decide(done(1))).toMatchObject({ is: 'step' });
    expect(await loop.decide(done(2))).toMatchObject({ is: 'none', ...again('with the same result') });
    expect(await loop.decide()).toMatchObject({ is: 'none', ...again('refused in the round before') });
    expect(await loop.decide()).toMatchObject({ is: 'failed', ...again('3 times') });
  });

  test.each<[string, Said, (round: number) => string]>([
    ['with another result is carried out', calls, String],
    ['is carried out if it is an effect', [['erase', { word: 'a' }]], () => 'gone'],
  ])('%s', async (_, said, found) => {
    const loop = await openLoop([said]);
    expect(await loop.decide()).toMatchObject({ is: 'step' });
    for (const round of [1, 2, 3]) {
      const results = { result: await loop.result(found(round)) };
      expect(await loop.decide({ results })).toMatchObject({ is: 'step' });
    }
  });

  test('of which another step was between is carried out', async () => {
    const loop = await openLoop([calls, calls, [['rank', { word: 'a' }]], calls, calls]);
    expect(await loop.decide()).toMatchObject({ is: 'step' });
    for (let round = 1; round < 5; round++) {
      const decision = await loop.decide({ results: { result: await loop.result('found') } });
      expect(decision).toMatchObject({ is: 'step' });
    }
  });
});

describe('an agent decides with what it was given, in every form', () => {
  const reader = defineAgent({ name: 'reader', description: 'Reads.', instructions: 'Read.', capabilities: [find] });
  const writer = defineAgent({ name: 'writer', description: 'Writes.', instructions: 'Write.', capabilities: [erase] });
  const other = defineCapability({ ...find, name: 'other' });
  const args = { word: 'a' };
  const policy = (name: string): LoopPolicy =>
    definePolicy<object, { readonly action: 'act'; readonly name: string }, RoundSurroundings>({
      name: 'by_hand',
      initial: () => ({}),
      stages: [{ kind: 'decide', name: 'always', run: () => ({ decision: { action: 'act', name } }) }],
      actions: {
        act: {
          ends: true,
          dispatch: (one) => ({ is: 'capability', name: one.name, arguments: args, objective: 'Do it' }),
        },
      },
    });
  /** The round of an agent whose project has more than the agent, with this reply to its model. */
  async function decided(said: Said, own: { readonly policy?: LoopPolicy } = {}, more: object = {}) {
    const { client } = await startLoopServer([said]);
    const agent = { ...reader, ...own };
    const registry = createRegistry([find, other, erase], { agents: [agent, writer], ...more });
    const rig = await openActivities([], { models: openModels({ model: client })!, registry });
    const { revisionRef, executors } = await rig.compiled({ goal: 'Read', plan: { task: 'Read', agent: 'reader' } });
    const task = { agent: executors[0]!.label, revision: revisionRef, nodeId: 'node_1', inputs: [] };
    return (await rig.call('decideStep', { task, round: 1, call: 'step_1/decide/1', work: 1, options: {} })).decision;
  }
  const node = (capability: string) => ({ id: 'a', task: 'Do it', capability, arguments: args });
  const tree = (capability: string) => ({ task: 'Do it', capability, arguments: args });
  const step = (capability: string) => ({ step_id: 'a', task_objective: 'Do it', capability, arguments: args });
  const forms: Readonly<Record<string, (capability: string) => Said>> = {
    'a call': (name) => [[name, args]],
    'reads together': (name) => [
      [name, args],
      [name, { word: 'b' }],
    ],
    'a text that is a step': (name) =>
      JSON.stringify({ context_key: 'x', capability: name, task_objective: 'Do it', parameters: args }),
    'a plan of nodes': (name) => [['submit_plan', { task: 'Do it', nodes: [node(name)] }]],
    'a plan of nodes in "plan"': (name) => [['submit_plan', { goal: 'Do it', plan: { nodes: [node(name)] } }]],
    'a goal and a tree': (name) => [['submit_plan', { goal: 'Do it', plan: tree(name) }]],
    'a list of several steps': (name) => [
      ['submit_plan', { goal: 'Do it', steps: [step('find'), { ...step(name), step_id: 'b' }] }],
    ],
    'a list of steps': (name) => [['submit_plan', { goal: 'Do it', steps: [step(name)] }]],
    'a list of steps in "plan"': (name) => [['submit_plan', { plan: { steps: [step(name)] } }]],
  };

  test.each(Object.entries(forms))('%s', async (_, said) => {
    const own = await decided(said('find'));
    const foreign = await decided(said('other'));
    expect(own.is, JSON.stringify(own)).toBe('step');
    expect(foreign.is, JSON.stringify(foreign)).toBe('none');
    expect(JSON.stringify(foreign)).toContain('other');
  });

  test('the decision of a stage of its policy', async () => {
    expect(await decided('x', { policy: policy('find') })).toMatchObject({ is: 'step' });
    expect(await decided('x', { policy: policy('other') })).toMatchObject({ is: 'none' });
  });

  test.each(['other', 'writer'])(
    'a task that names none does not go to the default of the project: %s',
    async (name) => {
      const said: Said = [['submit_plan', { goal: 'Do it', plan: { task: 'Do it', arguments: args } }]];
      expect(await decided(said, {}, { defaultExecutor: 'find' })).toMatchObject({ is: 'step' });
      expect(await decided(said, {}, { defaultExecutor: name })).toMatchObject({ is: 'none' });
    },
  );

  test.each<[key: string, given: unknown]>([
    ['depends_on', ['a']],
    ['args', { word: 'c' }],
    ['tool', 'other'],
    ['children', [{ task: 'Below' }]],
    ['steps', ['Below']],
    ['next', { on: ['a'] }],
    ['colour', 'red'],
  ])(
    'no %s is dropped from a plan that it submits: the plan is refused, or its result says how it was read',
    async (key, given) => {
      const { arguments: _, ...bare } = step('find');
      const second = { ...bare, ...(key !== 'args' && { arguments: args }), step_id: 'b', [key]: given };
      const { client, asked } = await startLoopServer([
        [['submit_plan', { goal: 'Do it', steps: [step('find'), second] }]],
        [['finish', { answer: 'done' }]],
      ]);
      const registry = createRegistry([find, other], { agents: [reader] });
      const rig = await openActivities([], { models: openModels({ model: client })!, registry });
      const { revisionRef, executors } = await rig.compiled({ goal: 'Read', plan: { task: 'Read', agent: 'reader' } });
      const task = { agent: executors[0]!.label, revision: revisionRef, nodeId: 'node_1', inputs: [] };
      const request = { task, work: 1, options: {} };
      const first = await rig.call('decideStep', { ...request, round: 1, call: 'step_1/decide/1' });
      if (first.decision.is !== 'step') expect(JSON.stringify(first.decision)).toContain(key);
      else {
        const observation = { round: 1, status: 'succeeded', results: {} } as const;
        const again = { ...request, round: 2, call: 'step_2/decide/1', notes: first.notes, observation };
        await rig.call('decideStep', again);
        const messages = asked.at(-1)?.['messages'] as readonly { role: string; content: string }[];
        const told = messages.findLast(({ role }) => role === 'tool');
        expect(told?.content).toContain(key);
      }
    },
  );
});
