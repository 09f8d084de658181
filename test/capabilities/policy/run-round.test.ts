/** What a round of a policy does: order, origins, declared writes, faults. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exitsOf, PolicyError, type Stage, type StageKind } from '../../../src/capabilities/policy/index.ts';
import { runRound } from '../../../src/planner/index.ts';
import { on, policyWith, stages, type Around, type Decision, type State } from './market.ts';

const around: Around = { decide: () => ({ action: 'search', query: 'size' }) };
const known: State = { region: 'EU', currency: 'EUR', notes: [], rounds: 0, failed: false };
const { region: _region, ...withoutRegion } = known;
const nowhere: State = withoutRegion;
const policy = policyWith();
const begin = (state: Partial<State> = {}, over: Partial<Around> = {}) => ({
  round: 3,
  state: { ...known, ...state },
  around: { ...around, ...over },
});
const did = (visits: readonly { stage: string; did: string }[]) => visits.map((one) => `${one.stage} ${one.did}`);

test('a gate that fires ends the round before enrichment and model', async () => {
  const asked: string[] = [];
  const decide = () => {
    asked.push('model');
    return around.decide();
  };
  const { decision, origin, decider, visits, state } = await runRound(policy, {
    round: 1,
    state: nowhere,
    around: { decide },
  });
  expect({ decision, origin, decider }).toEqual({
    decision: { action: 'ask_user', field: 'region' },
    origin: 'gate',
    decider: 'g_region',
  });
  expect(did(visits)).toEqual(['tick wrote', 'g_region decided', 'c_short spared', 'c_last spared']);
  expect(asked).toEqual([]);
  expect(state.notes).toEqual([]);
});

test('a decision of the model passes every corrector in order, with the decision before and after each', async () => {
  const decide = (): Decision => ({ action: 'search', query: 'the size of the market' });
  const { decision, origin, visits } = await runRound(policy, begin({}, { decide }));
  expect(origin).toBe('model');
  expect(decision).toEqual({ action: 'search', query: 'the size o' });
  expect(did(visits)).toEqual([
    'tick wrote',
    'g_region passed',
    'g_currency passed',
    'enrich wrote',
    'acquire passed',
    'plan_llm decided',
    'c_short rewrote',
    'c_last passed',
  ]);
  expect(visits.at(-2)).toMatchObject({
    before: { action: 'search', query: 'the size of the market' },
    after: { action: 'search', query: 'the size o' },
  });
});

test('a stale decision is never dispatched again: each round decides anew', async () => {
  const first = await runRound(policy, begin());
  const { decision } = await runRound(policy, {
    round: 4,
    state: first.state,
    around: { decide: () => ({ action: 'finish', why: 'done' }) },
  });
  expect(decision.action).toBe('finish');
});

describe('what happened is taken in before the stages', () => {
  const happened = (decision: Decision, results: Record<string, string>) => ({
    round: 1,
    decision,
    status: 'succeeded',
    results,
  });
  test('an answer fills the field that was asked for', async () => {
    const { state, visits } = await runRound(policy, {
      round: 3,
      around,
      state: nowhere,
      happened: happened({ action: 'ask_user', field: 'region' }, { answer: 'EU' }),
    });
    expect(state.region).toBe('EU');
    expect(did(visits).slice(0, 3)).toEqual(['tick wrote', 'observe_user wrote', 'g_region passed']);
  });
});

describe('a stage that does what it may not', () => {
  type Bad = Stage<State, Decision, Around>;
  const enriching = (run: Extract<Bad, { kind: 'enrich' }>['run'], more: object = {}): Bad => ({
    ...{ kind: 'enrich', name: 'bad', run },
    ...more,
  });
  const gate = (when: () => boolean, decision: unknown): Bad => ({
    ...{ kind: 'gate', name: 'bad', when, decide: () => decision as Decision },
  });
  const boom = () => {
    throw new Error('boom');
  };
  const pushing = enriching((state) => void (state.notes as string[]).push('x'));

  test.each<[string, Bad, string, RegExp]>([
    ['throws', gate(boom, undefined), 'stage-threw', /stage bad threw: boom/],
    [
      'writes what it does not declare',
      enriching(() => ({ region: 'EU', notes: [] }), { writes: ['notes'] }),
      'undeclared-write',
      /stage bad wrote "region", and declares "notes"/,
    ],
    ['changes the state in place', pushing, 'stage-threw', /stage bad threw: .*not extensible/],
    [
      'never ends',
      enriching(() => new Promise<undefined>(() => undefined)),
      'stage-late',
      /stage bad has not answered within 0\.02 s/,
    ],
    [
      'decides what the policy has no action for',
      gate(() => true, { action: 'dance' }),
      'unknown-action',
      /stage bad decided "dance"; policy market has the actions/,
    ],
    [
      'decides although it only enriches',
      enriching(() => ({ decision: { action: 'finish', why: '' } }) as never),
      'undeclared-write',
      /stage bad wrote "decision"/,
    ],
  ])('%s', async (_, bad, code, message) => {
    const failing = policyWith([bad, ...stages]);
    const error = await runRound(failing, { ...begin(), stageMs: 20 }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(PolicyError);
    expect(error).toMatchObject({ code, stage: 'bad', message: expect.stringMatching(message) as string });
  });

  test('a decider that decides nothing', async () => {
    const empty = on.decide({ name: 'plan_llm', run: () => ({}) as { decision: Decision } });
    const failing = policyWith(stages.map((stage) => (stage.kind === 'decide' ? empty : stage)));
    await expect(runRound(failing, begin())).rejects.toMatchObject({ code: 'no-decision' });
  });
});

test('an error that is no fault of the stage comes out as it is', async () => {
  class StoreAway extends Error {}
  const decide = () => Promise.reject(new StoreAway('the store is away'));
  const passes = (error: unknown) => error instanceof StoreAway;
  await expect(runRound(policy, { ...begin({}, { decide }), passes })).rejects.toBeInstanceOf(StoreAway);
  await expect(runRound(policy, begin({}, { decide }))).rejects.toMatchObject({
    code: 'stage-threw',
    stage: 'plan_llm',
  });
});

const DECISION: Decision = { action: 'search', query: 'q' };
/** A stage of each kind before the decider: it decides where it may and is told to. */
const BEFORE: {
  readonly [Kind in Exclude<StageKind, 'decide' | 'correct'>]: (
    name: string,
    fires: boolean,
  ) => Stage<State, Decision, Around>;
} = {
  gate: (name, fires) => on.gate({ name, when: () => fires, decide: () => DECISION }),
  enrich: (name) => on.enrich({ name, run: () => undefined }),
  select: (name, fires) => on.select({ name, run: () => (fires ? { decision: DECISION } : undefined) }),
};

/** Stages that do what a list of booleans says, of any kinds in a valid order. */
const anyPolicy = fc
  .record({
    before: fc.array(fc.record({ build: fc.constantFrom(...Object.values(BEFORE)), fires: fc.boolean() }), {
      maxLength: 12,
    }),
    after: fc.array(fc.record({ origins: fc.subarray(['gate', 'select', 'model'] as const, { minLength: 1 }) }), {
      maxLength: 8,
    }),
  })
  .map(({ before, after }) => {
    const list = before.map(({ build, fires }, at) => build(`s_${at}`, fires));
    list.push(on.decide({ name: 'decider', run: () => ({ decision: DECISION }) }));
    after.forEach(({ origins }, at) => list.push(on.correct({ name: `c_${at}`, origins, run: () => undefined })));
    return policyWith(list);
  });

test('picture, declaration and trace name the same stages in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(anyPolicy, fc.constantFrom(undefined, 'search', 'ask_user'), async (one, action) => {
      const before = action === 'search' ? { action, query: 'q' } : { action: 'ask_user' as const, field: 'region' };
      const happened = { round: 2, decision: before, status: 'succeeded', results: { answer: 'EU' } };
      const { visits, decision } = await runRound(one, { ...begin(), ...(action && { happened }) });
      const isAround = (visit: (typeof visits)[number]) => visit.kind === 'observe' && visit.did === 'passed';
      const walked = visits.filter((visit) => visit.did !== 'spared' && !isAround(visit)).map(({ stage }) => stage);
      const declared = ['tick', 'observe', 'observe_user', ...one.stages.map(({ name }) => name)];
      expect(walked).toEqual(declared.filter((name) => walked.includes(name)));
      const exits = exitsOf(one);
      const path = ['START', ...walked, 'dispatch', decision.action];
      path.slice(1).forEach((to, at) => {
        expect(exits.some((exit) => exit.from === path[at] && exit.to === to)).toBe(true);
      });
    }),
  );
});

test('a stage that is given up is told to stop, and so is one whose round is given up', async () => {
  const told: string[] = [];
  const slow: Stage<State, Decision, Around> = {
    kind: 'enrich',
    name: 'slow',
    run: (_state, _around, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          told.push((signal.reason as Error).message);
          reject(signal.reason as Error);
        });
      }),
  };
  const one = policyWith([slow, ...stages.filter(({ kind }) => kind === 'decide')]);
  await expect(runRound(one, { ...begin(), stageMs: 1 })).rejects.toMatchObject({ code: 'stage-late', stage: 'slow' });
  const round = new AbortController();
  const given = runRound(one, { ...begin(), signal: round.signal, passes: () => true });
  round.abort(new Error('the attempt is over'));
  await expect(given).rejects.toThrow('the attempt is over');
  expect(told).toEqual(['stage slow has not answered within 0.001 s', 'the attempt is over']);
});
