/** What a loop decides by that declares no policy. */

import { expect, test } from 'vitest';
import { modelPolicy } from '../../src/planner/index.ts';
import type { RoundSurroundings, ToolDecision } from '../../src/capabilities/index.ts';
import { type Policy } from '../../src/capabilities/policy/index.ts';
import { runRound } from '../../src/planner/index.ts';

const policy = modelPolicy as Policy<{ readonly active?: readonly string[] }, ToolDecision, RoundSurroundings>;
const call = (name: string, inputs: readonly string[] = []): ToolDecision => ({
  action: 'capability',
  is: 'capability',
  name,
  arguments: {},
  objective: 'do it',
  inputs,
});

function around(decision: ToolDecision, keys: Readonly<Record<string, readonly string[]>>): RoundSurroundings {
  return {
    round: 2,
    task: { goal: 'g', inputs: [] },
    messages: [],
    capabilities: ['find', 'rank'],
    requiresOf: (name) => (name === 'rank' ? ['GENES'] : []),
    providersOf: (type) => (type === 'GENES' ? ['find', 'load'] : []),
    keysOf: (type) => keys[type] ?? [],
    ask: () => Promise.reject(new Error('nobody is asked')),
    select: () => Promise.resolve(['rank']),
    decide: () => Promise.resolve(decision),
    read: () => Promise.resolve(undefined),
  };
}

test.each<[string, ToolDecision, Record<string, readonly string[]>, readonly string[]]>([
  ['the latest of its type', call('rank'), { GENES: ['a', 'step_1'] }, ['step_1']],
  ['what it names itself stays', call('rank', ['a']), { GENES: ['a', 'step_1'] }, ['a']],
  ['beside what it names of another type', call('rank', ['b']), { GENES: ['a'] }, ['b', 'a']],
  ['nothing where it requires nothing', call('find'), { GENES: ['a'] }, []],
])('Osprey: auto-inputs: %s', async (_, decision, keys, inputs) => {
  const round = await runRound(policy, { round: 2, around: around(decision, keys) });
  expect(round.decision).toMatchObject({ action: 'capability', inputs });
});

test('Osprey: missing requirement: the step is held back, and what provides it is named', async () => {
  const { decision, visits } = await runRound(policy, { round: 2, around: around(call('rank'), {}) });
  expect(decision).toEqual({
    action: 'none',
    is: 'none',
    problem: 'rank requires GENES (produced by "find" or "load". Call find first).',
  });
  expect(visits.map(({ stage, did }) => `${stage} ${did}`)).toEqual([
    'select_capabilities passed',
    'decide decided',
    'c_auto_inputs passed',
    'c_missing_requirement rewrote',
  ]);
});

test('Osprey: extraction and selection: of many capabilities those are offered that the task takes, and a provider when it is named', async () => {
  const offered: (readonly string[] | undefined)[] = [];
  const many = Array.from({ length: 17 }, (_, at) => `tool_${at}`);
  const surroundings = (keys: Readonly<Record<string, readonly string[]>>): RoundSurroundings => ({
    ...around(call('rank'), keys),
    capabilities: many,
    decide: (among) => {
      offered.push(among);
      return Promise.resolve(call('rank'));
    },
  });
  const first = await runRound(policy, { round: 1, around: surroundings({}) });
  expect(first.visits[0]).toMatchObject({ stage: 'select_capabilities', did: 'wrote', wrote: ['active'] });
  expect(first.state).toEqual({ active: ['rank', 'find', 'load'] });
  await runRound(policy, { round: 2, state: first.state, around: surroundings({ GENES: ['a'] }) });
  expect(offered).toEqual([['rank'], ['rank', 'find', 'load']]);
  const agent = { ...surroundings({ GENES: ['a'] }), task: { goal: 'g', task: 'a part of it', inputs: [] } };
  expect((await runRound(policy, { round: 1, around: agent })).state).toEqual({});
});
