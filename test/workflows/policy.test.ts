/** Loops that decide by a declared policy, on the real server: order, caps, traces, faults, and a policy that changes. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { given, type RoundRecord, type RunStatus } from '../../src/protocol/index.ts';
import type { LoopPolicy, RoundSurroundings } from '../../src/capabilities/index.ts';
import { definePolicy, stagesOf, type Stage } from '../../src/capabilities/policy/index.ts';
import { plansOf, sharedRig, ownRig } from '../support/rig.ts';
import { tool } from '../support/capabilities.ts';

interface State {
  readonly region?: string;
  readonly hits: readonly string[];
  readonly iterations: number;
}
type Decision =
  | { readonly action: 'ask_user'; readonly question: string }
  | { readonly action: 'search'; readonly query: string }
  | { readonly action: 'fail' }
  | { readonly action: 'finish'; readonly answer: string; readonly aborted?: true };

const on = stagesOf<State, Decision, RoundSurroundings>();
const region = on.gate({
  name: 'g_region',
  when: (state) => state.region === undefined,
  decide: () => ({ action: 'ask_user', question: 'Which region?' }),
});
const decide = on.decide({
  name: 'decide',
  run: ({ hits }, { task, round }) => {
    if (task.goal === 'fails for ever') return { decision: { action: 'fail' } };
    if (task.goal.startsWith('count to ') && round < Number(task.goal.slice(9))) {
      return { decision: { action: 'search', query: `round ${round}` } };
    }
    if (task.goal === 'throws') throw new Error('this stage is broken');
    return hits.length < 2
      ? { decision: { action: 'search', query: `part ${hits.length + 1}` } }
      : { decision: { action: 'finish', answer: hits.join(', ') } };
  },
});
const loud = on.correct({
  name: 'c_loud',
  run: (_, decision) =>
    decision.action === 'search' ? { decision: { ...decision, query: decision.query.toUpperCase() } } : undefined,
});

function policyWith(stages: readonly Stage<State, Decision, RoundSurroundings>[]): LoopPolicy {
  const policy = definePolicy<State, Decision, RoundSurroundings>({
    name: 'sizing',
    initial: ({ task }) => ({ hits: [], iterations: 0, ...(task.goal === 'size it' ? {} : { region: 'EU' }) }),
    tick: { writes: ['iterations'], run: (_, round) => ({ iterations: round }) },
    observers: [
      {
        name: 'observe',
        after: ['search'],
        writes: ['hits'],
        when: ({ status }) => status === 'succeeded',
        run: ({ hits }, { results }) => ({ hits: [...hits, ...Object.values(results).map(String)] }),
      },
      {
        name: 'observe_user',
        after: ['ask_user'],
        writes: ['region'],
        run: (_, { results }) => ({ region: JSON.stringify(Object.values(results)) }),
      },
    ],
    stages,
    actions: {
      ask_user: {
        dispatch: ({ question }) => ({ is: 'capability', name: 'ask', arguments: { question }, objective: question }),
      },
      search: {
        dispatch: ({ query }) => ({ is: 'capability', name: 'echo', arguments: { text: query }, objective: query }),
      },
      fail: { dispatch: () => ({ is: 'capability', name: 'breaks', arguments: {}, objective: 'try' }) },
      finish: {
        ends: true,
        dispatch: ({ answer, aborted }) => ({ is: 'finish', answer, ...(aborted && { outcome: 'aborted' }) }),
      },
    },
  });
  return policy;
}

const echo = tool('echo', 'read', 'text', z.object({ text: z.string() }), ({ arguments: { text } }) => text);
const breaks = tool({ name: 'breaks', retry: { attempts: 1 } }, 'read', 'text', z.object({}), () => {
  throw new Error('it is broken');
});
const capabilities = [echo, breaks];
const policy = policyWith([region, decide, loud]);

const rig = await sharedRig({ capabilities, policy });
const plans = plansOf(rig);

const start = (goal: string, options: object = {}) => rig.start({ goal, options: { mode: 'reactive', ...options } });
const roundsOf = async ({ workflowId }: WorkflowHandle, last?: number) =>
  (await plans.run(workflowId).view(['rounds'], given({ last }))).rounds;
const walked = ({ visits = [] }: RoundRecord) => visits.map(({ stage, did }) => `${stage} ${did}`);

describe('a loop with a policy', () => {
  test('Osprey: per-step approval: under required a step that acts asks, one that asks a person does not', async () => {
    const run = await start('size it', { approval: 'required' });
    const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
    await rig.say(run, 'answer', { question: id, value: 'EU', by: 'operator' });
    await rig.opened(run, ({ kind }) => kind === 'approval');
    expect((await run.query<RunStatus>('status')).loop).toMatchObject({ round: 2, step: 'PART 1' });
    await run.cancel();
  });

  test('asks before it thinks, corrects, observes, and every round says who decided', async () => {
    const run = await start('size it');
    const { id, text } = await rig.opened(run, ({ kind }) => kind === 'question');
    expect(text).toContain('Which region?');
    await rig.say(run, 'answer', { question: id, value: 'EU', by: 'operator' });
    const result = (await run.result()) as { outcome: string; result: { ref: string } };
    expect(result.outcome).toBe('done');
    expect(await rig.read(result.result.ref)).toMatchObject({ text: 'PART 1, PART 2' });
    const rounds = await roundsOf(run);
    expect(rounds.map(({ round, origin, decider }) => [round, origin, decider])).toEqual([
      [1, 'gate', 'g_region'],
      [2, 'decide', 'decide'],
      [3, 'decide', 'decide'],
      [4, 'decide', 'decide'],
    ]);
    expect(rounds.map(walked)).toEqual([
      ['tick wrote', 'g_region decided', 'c_loud spared'],
      ['tick wrote', 'observe_user wrote', 'g_region passed', 'decide decided', 'c_loud rewrote'],
      ['tick wrote', 'observe wrote', 'g_region passed', 'decide decided', 'c_loud rewrote'],
      ['tick wrote', 'observe wrote', 'g_region passed', 'decide decided', 'c_loud passed'],
    ]);
    expect(rounds[1]?.visits?.at(-1)).toMatchObject({
      before: { action: 'search', query: 'part 1' },
      after: { action: 'search', query: 'PART 1' },
    });
    const told = (await rig.trace(run, 'compiled')).map(({ text: line }) => line);
    expect(told[0]).toMatch(/^step_1: Which region\? \(gate g_region\), digest [0-9a-f]{8}$/);
    expect(told[1]).toMatch(/^step_2: PART 1 \(decide decide\), digest/);
    expect((await roundsOf(run)).slice(-1)).toEqual(await roundsOf(run, 1));
  });

  test.each([
    [2, 3, 'done'],
    [3, 3, 'done'],
    [4, 3, 'IterationLimit'],
  ])('that ends in round %i of at most %i: %s', async (ends, maxRounds, outcome) => {
    // The round that finishes is one of them.
    const finishing = policyWith([
      on.gate({
        name: 'g_end',
        when: ({ iterations }, { task }) => `${iterations}` === task.goal.replace('end in ', ''),
        decide: () => ({ action: 'finish', answer: 'ended' }),
      }),
      on.decide({ name: 'go_on', run: () => ({ decision: { action: 'fail' } }) }),
    ]);
    const own = await ownRig({ capabilities, policy: finishing });
    const run = await own.start({ goal: `end in ${ends}`, options: { mode: 'reactive', maxRounds } });
    const ended = await run.result().catch((error: unknown) => error);
    if (outcome === 'done') expect(ended).toMatchObject({ outcome });
    else expect(ended).toMatchObject({ cause: { type: outcome } });
    const kept = plansOf(own);
    expect((await kept.run(run.workflowId).view(['rounds'])).rounds).toHaveLength(Math.min(ends, maxRounds));
  });
});

test('a policy that changes between two deployments takes effect at the next round, and the old history replays', async () => {
  const industry = on.gate({
    name: 'g_industry',
    when: ({ iterations }) => iterations === 2,
    decide: () => ({ action: 'ask_user', question: 'Which industry?' }),
  });
  const first = await ownRig({ capabilities, policy });
  const run = await first.start({ goal: 'size it', options: { mode: 'reactive' } });
  const { id } = await first.opened(run, ({ kind }) => kind === 'question');
  await first.stopWorker();
  // The same project with one line more: its picture and its trace follow.
  await first.startWorker(undefined, policyWith([industry, region, decide, loud]));
  await first.say(run, 'answer', { question: id, value: 'EU', by: 'operator' });
  const asked = await first.opened(run, ({ text }) => text.includes('Which industry?'));
  await first.say(run, 'answer', { question: asked.id, value: 'bicycles', by: 'operator' });
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  const kept = plansOf(first);
  const rounds = (await kept.run(run.workflowId).view(['rounds'])).rounds;
  expect(rounds.slice(0, 2).map(({ decider }) => decider)).toEqual(['g_region', 'g_industry']);
  expect(walked(rounds[1]!).slice(0, 3)).toEqual(['tick wrote', 'observe_user wrote', 'g_industry decided']);
});

test('25 rounds are counted across histories, each decided once', { tags: ['slow'] }, async () => {
  const run = await start('count to 25', { maxRounds: 40 });
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  const rounds = await roundsOf(run);
  expect(rounds.map(({ round }) => round)).toEqual(rounds.map((_, at) => at + 1));
  if (inject('hostile')) {
    const { status } = await run.describe();
    expect(status.name).toBe('COMPLETED');
  }
});
