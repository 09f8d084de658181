/** Compiling: what an edit keeps, which approval rules are known, what the project demands, and plans of any length. */

import { describe, expect, test } from 'vitest';
import { CapabilityError, defineCapability } from '../../src/capabilities/index.ts';
import type { ApprovalRule, HistoryBudget, PublicKeys } from '../../src/protocol/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { combine, task } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';

const water = defineCapability({ ...writes('water', 'idempotent', []), cost: 2.5 });
const read = (...list: string[]) => task('ids', { ids: list });
const document = (plan: object) => ({ goal: 'Keep the orchard', plan });
const before = document(combine('UNION', read('a'), combine('INTERSECT', read('b'), read('c'))));

describe('an edit', () => {
  test('says which of its nodes were there before', async () => {
    const rig = await openActivities([ids]);
    const { revisionRef: base } = await rig.compiled(before);
    // Before: a, b, c, b AND c, all. After: c, a, c MINUS a, b, (c MINUS a) OR b.
    const edited = document(combine('UNION', combine('MINUS', read('c'), read('a')), read('b')));
    const reply = await rig.call('compilePlan', { source: { document: edited }, base });
    expect(reply).toMatchObject({ ok: true, sameAs: [2, 0, -1, 1, -1] });
    expect(await rig.call('compilePlan', { source: { document: before }, base })).toMatchObject({
      sameAs: [0, 1, 2, 3, 4],
    });
  });

  test.each(['inline', 'by reference'])('keeps the goal where it is only a root node, %s', async (way) => {
    const rig = await openActivities([ids]);
    const { revisionRef: base } = await rig.compiled(before);
    const root = combine('UNION', read('a'), read('d'));
    const source =
      way === 'inline'
        ? { document: root }
        : { ref: await rig.stores.documents.put(Buffer.from(JSON.stringify(root))) };
    expect(await rig.call('compilePlan', { source, base })).toMatchObject({
      ok: true,
      planShape: { goal: 'Keep the orchard' },
      sameAs: [0, -1, -1],
    });
    expect(await rig.call('compilePlan', { source })).toMatchObject({ ok: false });
  });

  test('a node is another one where its external context is another one, and so is what takes its result', async () => {
    const rig = await openActivities([ids]);
    const step = (context_key: string, inputs: string[]) => ({
      context_key,
      inputs,
      capability: 'ids',
      task_objective: context_key,
      parameters: { ids: [] },
    });
    const source = {
      document: {
        goal: 'g',
        steps: [step('one', ['soil']), step('two', []), step('three', ['one']), step('four', ['two'])],
      },
    };
    const first = await rig.call('compilePlan', { source, context: { soil: 'clay' } });
    if (!first.ok) throw new Error(JSON.stringify(first.issues));
    const { revisionRef: base } = await rig.shapeOf(first);
    const sameAs = async (soil: string) => {
      const reply = await rig.call('compilePlan', { source, base, context: { soil } });
      return reply.ok ? reply.sameAs : reply.issues;
    };
    expect(await sameAs('clay')).toEqual([0, 1, 2, 3, 4]);
    expect(await sameAs('sand')).toEqual([-1, 1, -1, 3, -1]);
  });
});

test('a document that is not in the store is told at once, and not looked for again', async () => {
  const rig = await openActivities([ids]);
  const failure = await failureOf(rig.call('compilePlan', { source: { ref: 'A'.repeat(43) } }));
  expect(failure).toMatchObject({
    type: 'InvalidInput',
    nonRetryable: true,
    message: expect.stringContaining('$.ref: There is no result') as string,
  });
});

describe('approval rules', () => {
  test('about a capability that is not there are no input of a run', async () => {
    const rig = await openActivities([ids, water]);
    const source = { document: before };
    const ruleCapabilities = ['water', 'watr', 'watr'];
    expect(await failureOf(rig.call('compilePlan', { source, ruleCapabilities }))).toMatchObject({
      type: 'InvalidInput',
      nonRetryable: true,
      message: expect.stringMatching(/^\$\.options\.approval: .*"watr".* Did you mean "water"\?/) as string,
    });
    expect(await rig.call('compilePlan', { source, ruleCapabilities: ['water'] })).toMatchObject({ ok: true });
  });

  test('look at the name and the cost of what carries a node out', async () => {
    const rig = await openActivities([ids, water]);
    const { executors } = await rig.compiled(document(combine('UNION', read('a'), task('water', { value: 'x' }))));
    expect(executors.map(({ name, cost }) => [name, cost])).toEqual([
      ['ids', undefined],
      ['water', 2.5],
      [undefined, undefined],
    ]);
    expect(executors[2]).not.toHaveProperty('name');
  });
});

test('an effect at most once is given up after a minute without a heartbeat, all else after 3 s, unless its capability says it', async () => {
  const timeout = { heartbeatMs: 5000 };
  const [once, soon] = [writes('once', 'at-most-once', []), writes('soon', 'at-most-once', [])];
  const rig = await openActivities([ids, water, once, defineCapability({ ...soon, timeout })]);
  const plan = combine(
    'UNION',
    read('a'),
    combine('UNION', task('water', { value: 'x' }), task('once', { value: 'x' })),
  );
  const { executors } = await rig.compiled(document(combine('UNION', plan, task('soon', { value: 'x' }))));
  expect(executors.flatMap(({ name, heartbeatMs }) => (name === undefined ? [] : [[name, heartbeatMs]]))).toEqual(
    expect.arrayContaining([
      ['ids', 3000],
      ['water', 3000],
      ['once', 60_000],
      ['soon', 5000],
    ]),
  );
});

test('the complexity of a plan stretches the time of its nodes', async () => {
  const rig = await openActivities([ids]);
  const steps = [{ context_key: 'a', capability: 'ids', task_objective: 'Find', parameters: { ids: [] } }];
  const { executors } = await rig.compiled({ goal: 'g', complexity: 'high', steps });
  expect(executors.map(({ startToCloseMs }) => startToCloseMs)).toEqual([600_000, 600_000]);
});

test('what the project demands comes with the plan', async () => {
  const rules: readonly ApprovalRule[] = [{ effect: 'idempotent', roles: ['grower'] }];
  const keys: PublicKeys = { ops: { x: 'AAAA', subject: 'operator' } };
  const budget: HistoryBudget = { soft: { events: 1, bytes: 2 }, hard: { events: 3, bytes: 4 } };
  const plain = await openActivities([ids]);
  const strict = await openActivities([ids], { policy: { rules }, keys, inbox: true, budget });
  const source = { document: before };
  expect((await plain.call('compilePlan', { source })) as object).toHaveProperty('project', { inbox: false });
  const reply = await strict.call('compilePlan', { source });
  expect(reply).toHaveProperty('project', { inbox: true, rules, keys, budget });
  expect(await strict.call('readKeys', undefined)).toEqual({ keys });
  expect(await strict.call('readInbox', undefined)).toEqual({ inbox: true });
  expect(await plain.call('readKeys', undefined)).toEqual({ keys: {}, unsigned: true });
});

describe('a bare root node', () => {
  const root = combine('UNION', read('a'), read('b'));

  test('takes the goal of the plan whose place it takes, whatever its length', async () => {
    const rig = await openActivities([ids]);
    const { revisionRef: base } = await rig.compiled(before);
    const long = combine('UNION', read('a'), read('b', 'x'.repeat(20_000)));
    for (const plan of [root, long]) {
      const reply = await rig.call('compilePlan', { source: { document: plan }, base });
      if (!reply.ok) throw new Error(JSON.stringify(reply.issues));
      expect((await rig.shapeOf(reply)).goal).toBe('Keep the orchard');
      expect(reply.sameAs?.[0]).toBe(0);
    }
  });
});

describe('a capability that looks', () => {
  const FULL = 'the place is full';
  const reach = (said: { problem?: string; warning?: string }) =>
    defineCapability({
      ...writes('reach', 'idempotent', []),
      look: () =>
        said.problem === undefined
          ? Promise.resolve(said.warning === undefined ? [] : [said.warning])
          : Promise.reject(new CapabilityError('REPLANNING', said.problem)),
    });
  const source = { document: document(combine('UNION', read('a'), task('reach', { value: 'x' }))) };

  test('refuses the plan with an issue at the arguments, before anything is asked', async () => {
    const rig = await openActivities([ids, reach({ problem: FULL })]);
    expect(await rig.call('compilePlan', { source })).toMatchObject({
      ok: false,
      issues: [{ code: 'invalid-arguments', severity: 'error', path: '$.plan.right.arguments' }],
    });
  });

  test('warns, by node', async () => {
    const rig = await openActivities([ids, reach({ warning: FULL })]);
    expect((await rig.compiled(source.document)).warnings).toEqual({ 1: FULL });
  });

  test('looks again at an edit that finds another version, and not at what stays the same', async () => {
    let looks = 0;
    const steered = (version: string) =>
      defineCapability({
        ...writes('reach', 'idempotent', []),
        version,
        look: () => Promise.resolve({ shows: [], state: ++looks > 0 }),
      });
    const old = await openActivities([ids, steered('1')]);
    const { revisionRef: base, previews = {} } = await old.compiled(source.document);
    const { store } = old.dependencies;
    const previewsBy = async (version: string) => {
      looks = 0;
      const { call, shapeOf } = await openActivities([ids, steered(version)], { store });
      const reply = await call('compilePlan', { source, base });
      return reply.ok ? [looks, (await shapeOf(reply)).previews] : reply.issues;
    };
    expect(Object.keys(previews)).toEqual(['1']);
    expect(await previewsBy('1')).toEqual([0, undefined]);
    expect(await previewsBy('2')).toEqual([2, previews]);
  });

  test('goes with the warnings of the document, which are told of the whole plan', async () => {
    const rig = await openActivities([ids, reach({})]);
    const remarked = { ...task('ids', { ids: ['a'] }), remark: 'odd' };
    const { documentWarnings } = await rig.compiled(document(remarked));
    expect(documentWarnings).toEqual([expect.stringMatching(/^\$\.plan\.remark: /)]);
  });
});

test('a run begins with one write, and each of its nodes with its result is one more', async () => {
  const { store, calls } = createMemoryStore();
  store.putUnder = (keys, bytes) => {
    calls.push('write');
    return Promise.all(keys.map((key) => store.put(key, bytes)));
  };
  const rig = await openActivities([ids], { store });
  const written = () => calls.splice(0).filter((call) => call === 'write').length;
  const { revisionRef: revision } = await rig.compiled(before);
  expect(written()).toBe(1);
  await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [], work: 1 });
  expect(written()).toBe(1);
});
