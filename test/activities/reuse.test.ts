/** What a plan takes over of a closed run: the table in the store, and what is told of it. */

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findFinished,
  resultAt,
  storeFinished,
  recordEffect,
  planNote,
  parentName,
  notedPlan,
  type Finished,
} from '../../src/activities/run-records.ts';
import { openStores } from '../../src/activities/stores.ts';
import { judgeReuse, type ReuseFacts } from '../../src/activities/judge-reuse.ts';
import { findPredecessor, linkPredecessor } from '../../src/activities/predecessor.ts';
import { createFileStore, refOfDigest, runScope, writeResult } from '../../src/store/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { combine, idsOf } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';
import { testFolder } from '../support/folders.ts';

const AT = '2026-01-02T03:04:05.000Z';
const PLACE = { namespace: 'default', workflowId: 'plan-1', firstRunId: 'first' };
const ref = (letter: string) => `${letter.repeat(42)}A`;
const finished = (letter: string, over: Partial<Finished> = {}): Finished => ({
  handle: { ref: ref(letter), kind: 'text', count: 1, bytes: 3 },
  executor: 'capability reads@1 read',
  inputs: [],
  retry: 0,
  at: AT,
  ...over,
});

async function openStore() {
  const dir = testFolder('reuse');
  const stores = openStores(createFileStore(dir));
  return { stores, store: stores.of(PLACE) };
}

describe('what is reused', () => {
  const read = (over: Partial<ReuseFacts> = {}): ReuseFacts => ({ effect: 'read', inputs: [], ...over });
  const pay = (over: Partial<ReuseFacts> = {}): ReuseFacts => ({ effect: 'at-most-once', inputs: [], ...over });

  const was = read({ finished: finished('a') });
  const after = (given: string) => ({ inputs: [0], finished: finished('b', { inputs: [ref(given)] }) });

  test.each<[string, sought: readonly ReuseFacts[], fresh: boolean, done: readonly number[], begun: readonly number[]]>(
    [
      ['a read that was done', [was], false, [0], []],
      ['nothing of a read that was not', [read()], false, [], []],
      ['with fresh no read', [was], true, [], []],
      ['with fresh an effect', [pay({ finished: finished('a') })], true, [0], []],
      ['no read above one that runs again', [read(), read(after('a'))], false, [], []],
      ['an effect above one that runs again', [read(), pay(after('a'))], false, [1], []],
      ['a read above one that is reused', [was, read(after('a'))], false, [0, 1], []],
      ['no read that was given another result', [was, read(after('c'))], false, [0], []],
      ['no read whose file has changed', [{ ...was, changed: 'a.bed has changed' }, read(after('a'))], false, [], []],
      [
        'an effect whose file has changed',
        [pay({ finished: finished('a'), changed: 'w.bed is gone' })],
        false,
        [0],
        [],
      ],
      ['an effect that began waits for a person', [pay({ began: 'plan-1' })], false, [], [0]],
      [
        'so does one that another version has done',
        [pay({ began: 'plan-1', reason: 'it was done by another' })],
        true,
        [],
        [0],
      ],
    ],
  )('%s', (_name, sought, fresh, done, begun) => {
    const reuse = judgeReuse(sought, { of: 'plan-1', ...(fresh && { fresh }) });
    expect(Object.keys(reuse.done).map(Number)).toEqual(done);
    expect(Object.keys(reuse.begun).map(Number)).toEqual(begun);
    expect(reuse.text).toContain(`${done.length} of ${sought.length} nodes are reused from run plan-1`);
  });

  test('whatever is known of nodes, none both is done and waits, and an effect that began is never left to start', () => {
    const sought = fc.record({
      effect: fc.constantFrom('read', 'idempotent', 'at-most-once'),
      inputs: fc.array(fc.nat(5), { maxLength: 2 }),
      finished: fc.option(fc.constant(finished('a')), { nil: undefined }),
      reason: fc.option(fc.string(), { nil: undefined }),
      began: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(sought, { maxLength: 20 }), fc.boolean(), (nodes, fresh) => {
        const { done, begun, text } = judgeReuse(nodes, { of: 'plan-1', ...(fresh && { fresh }) });
        nodes.forEach(({ effect, began }, node) => {
          expect(done[node] !== undefined && begun[node] !== undefined).toBe(false);
          if (effect !== 'read' && began !== undefined) expect(done[node] ?? begun[node]).toBeDefined();
        });
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
      }),
    );
  });
});

/** A node, what it does in two worlds, and what has become of what the closed run knew of it. */
interface WorldNode {
  readonly kind: 'operator' | 'file' | 'host' | 'effect';
  readonly inputs: readonly number[];
  readonly worlds: readonly [before: number, now: number];
  readonly known: boolean;
  readonly note: string | undefined;
}

test('whatever changes between two runs, the second gives what a run without reuse gives, or says what is older', () => {
  const node = fc.record({
    kind: fc.constantFrom('operator', 'file', 'host', 'effect'),
    inputs: fc.array(fc.nat(7), { maxLength: 2 }),
    worlds: fc.tuple(fc.nat(1), fc.nat(1)),
    // Its executor or its place in the plan has changed, or its result is lost.
    known: fc.boolean(),
    note: fc.option(fc.constant('1 line was left out'), { nil: undefined }),
  }) satisfies fc.Arbitrary<WorldNode>;
  fc.assert(
    fc.property(fc.array(node, { maxLength: 8 }), fc.boolean(), (raw, fresh) => {
      const nodes = raw.map((one, at) => ({ ...one, inputs: one.inputs.filter((input) => input < at) }));
      const refOf = (value: string) => refOfDigest(createHash('sha256').update(value).digest('hex'));
      const give = ({ kind, worlds }: WorldNode, at: number, world: 0 | 1, inputs: readonly string[]) =>
        refOf(JSON.stringify([at, kind === 'operator' ? '' : worlds[world], inputs]));
      const run = (world: 0 | 1, taken: (at: number) => string | undefined = () => undefined) =>
        nodes.reduce<string[]>((refs, one, at) => {
          const inputs = one.inputs.map((input) => refs[input]!);
          return [...refs, taken(at) ?? give(one, at, world, inputs)];
        }, []);
      const before = run(0);
      const sought = nodes.map(({ kind, inputs, worlds, known, note }, at): ReuseFacts => {
        const taken = inputs.map((input) => before[input]!);
        const handle = { ref: before[at]!, kind: 'text', count: 1, bytes: 3 } as const;
        const changed = kind === 'file' && worlds[0] !== worlds[1] ? 'x.bed has changed' : undefined;
        return {
          effect: kind === 'effect' ? 'idempotent' : 'read',
          inputs,
          ...(known
            ? { finished: finished('a', { handle, inputs: taken, ...(note && { notes: [note] }) }), changed }
            : {}),
        };
      });
      const { done, text } = judgeReuse(sought, { of: 'plan-1', ...(fresh && { fresh }) });
      const second = run(1, (at) => done[at]?.ref);
      // What a row names as reused from the closed run, and no look could tell about: hosts and effects.
      const isOlder = nodes.map(() => false);
      for (const [at, { kind, inputs, worlds, note }] of nodes.entries()) {
        const isReused = done[at] !== undefined;
        const moved = inputs.some((input) => second[input] !== before[input]);
        if (isReused && kind === 'effect' && moved) expect(done[at]?.notes?.[0]).toMatch(/not done again, though/);
        if (isReused && kind === 'effect' && moved) expect(text).toContain(`node_${at + 1}: it was done before`);
        if (isReused && note !== undefined) expect(done[at]?.notes?.at(-1)).toBe(note);
        const isBlind = isReused && (kind === 'effect' ? moved || worlds[0] !== worlds[1] : kind === 'host');
        isOlder[at] = isBlind || inputs.some((input) => isOlder[input]);
        if (fresh && kind !== 'effect') expect(isReused).toBe(false);
        if (!isOlder[at]) expect(second[at]).toBe(run(1)[at]);
      }
    }),
    { numRuns: 2000 },
  );
});

describe('the table of what finished', () => {
  test('keeps the first result of a node of these inputs, and gives the last that it had', async () => {
    const { store } = await openStore();
    const first: Finished = { ...finished('a'), handle: await writeResult(store, { kind: 'text', text: 'first' }) };
    const lost = finished('l', { inputs: [ref('l')] });
    expect(await storeFinished(store, PLACE, 'x', lost)).toEqual(lost);
    // What the first has come to was not stored when it died.
    expect(await storeFinished(store, PLACE, 'x', { ...first, inputs: [ref('l')] })).toMatchObject({
      handle: first.handle,
    });
    expect(await storeFinished(store, PLACE, 'x', first)).toEqual(first);
    // Two attempts at once came to two results.
    expect(await storeFinished(store, PLACE, 'x', finished('b', { at: '2026-01-03T00:00:00.000Z' }))).toEqual(first);
    expect(await findFinished(store, PLACE, 'x')).toEqual(first);
    const again = finished('c', { retry: 1 });
    await storeFinished(store, PLACE, 'x', again);
    await storeFinished(store, PLACE, 'x', finished('d', { inputs: [ref('e')], at: '2026-01-04T00:00:00.000Z' }));
    expect(await findFinished(store, PLACE, 'x')).toEqual(again);
    expect(await findFinished(store, PLACE, 'y')).toBeUndefined();
    expect(await findFinished(store, { ...PLACE, workflowId: 'plan-1.first.r1.node_1' }, 'x')).toBeUndefined();
  });

  test('takes nothing for a result that is none', async () => {
    const { store } = await openStore();
    for (const [at, forged] of [
      { ...finished('a'), handle: { ...finished('a').handle, ref: '../../secret' } },
      { ...finished('a'), handle: { ...finished('a').handle, bytes: -1 } },
      { ...finished('a'), handle: { ...finished('a').handle, kind: '__proto__' } },
      { ...finished('a'), inputs: ['x'] },
      { ...finished('a'), retry: 0.5 },
      { ...finished('a'), at: 'yesterday' },
      [],
    ].entries()) {
      await storeFinished(store, PLACE, `forged ${at}`, forged as Finished);
      expect(await findFinished(store, PLACE, `forged ${at}`)).toBe('malformed');
    }
    const { ref: there, ...handle } = await writeResult(store, { kind: 'text', text: 'yes' });
    expect((await resultAt(store, { ref: there, ...handle }))?.stored).toHaveLength(handle.bytes);
    expect(await resultAt(store, { ref: there, ...handle, kind: 'set' })).toBeUndefined();
    expect(await resultAt(store, { ref: there, ...handle, bytes: 1 })).toBeUndefined();
    expect(await resultAt(store, { ref: ref('z'), ...handle })).toBeUndefined();
  });

  test('whatever the ids are, two runs share no name, and a name leads nowhere', () => {
    const id = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('..', '../x', 'a/b', '\u0000', ''));
    fc.assert(
      fc.property(fc.tuple(id, id, id), fc.tuple(id, id, id), (these, those) => {
        const nameOf = ([namespace, workflowId, firstRunId]: [string, string, string]) =>
          `${runScope({ namespace, workflowId, firstRunId })}/${parentName({ namespace, workflowId, firstRunId })}`;
        const [one, other] = [nameOf(these), nameOf(those)];
        expect(one).toMatch(/^runs\/[0-9a-f]{32}\/[a-z0-9_-]{1,64}\/(root|[0-9a-f]{32})\/parent$/);
        expect(one === other).toBe(isDeepStrictEqual(these, those));
      }),
    );
  });
});

test('the plan of a run is known', async () => {
  const { stores, store } = await openStore();
  const plan = await store.put(Buffer.from('a plan'));
  await store.putAtOnce([planNote(PLACE, plan)]);
  expect(await notedPlan(store, PLACE)).toBe(plan);
  for (const other of [{ workflowId: 'none' }, { firstRunId: 'another' }])
    expect(await notedPlan(stores.of({ ...PLACE, ...other }), { ...PLACE, ...other })).toBeUndefined();
});

describe('a run that goes on from another', () => {
  const EXTRA = { workflowExecution: { workflowId: 'plan-2', runId: 'r' } };

  test('is compiled with what that has finished; a result that is not in the store any more is named', async () => {
    const rig = await openActivities([ids, writes('pays', 'at-most-once', [])], {
      standingOf: () => Promise.resolve({ is: 'closed' }),
    });
    const document = { goal: 'g', plan: combine('UNION', idsOf('a'), idsOf('b')) };
    const planShape = await rig.compiled(document);
    const handles = [];
    for (const nodeId of ['node_1', 'node_2']) {
      handles.push(await rig.call('runTask', { revision: planShape.revisionRef, nodeId, inputs: [] }));
    }
    const reuse = { of: 'plan-orchard-1' };
    const reply = await rig.call('compilePlan', { source: { document }, reuse }, { info: EXTRA });
    if (!reply.ok) throw new Error('it is no plan');
    const compiled = await rig.shapeOf(reply);
    expect(Object.values(compiled.reuse?.done ?? {}).map((one) => one.ref)).toEqual(
      handles.map((one) => 'ref' in one && one.ref),
    );
    const [lost = ''] = Object.values(compiled.reuse?.done ?? {}).map((one) => one.ref);
    await rm(rig.fileOf(lost));
    const again = await rig.call('compilePlan', { source: { document }, reuse }, { info: EXTRA });
    if (!again.ok) throw new Error('it is no plan');
    expect((await rig.shapeOf(again)).reuse?.text).toMatch(
      /^1 of 3 nodes .*not reused: node_1: its result is not in the store/,
    );
  });

  test('is refused where the store has nothing of that run', async () => {
    const rig = await openActivities([ids], { standingOf: () => Promise.resolve({ is: 'closed' }) });
    const reuse = { of: 'elsewhere' };
    const failure = await failureOf(
      rig.call('compilePlan', { source: { document: { goal: 'g', plan: idsOf('a') } }, reuse }, { info: EXTRA }),
    );
    expect([failure.type, failure.message]).toEqual([
      'InvalidInput',
      expect.stringContaining('has nothing of run "elsewhere"'),
    ]);
  });

  test('is told the whole id of the run that has gone on before it, however long', async () => {
    const { stores, store } = await openStore();
    await store.putAtOnce([planNote(PLACE, await store.put(Buffer.from('a plan')))]);
    const [first, second] = [
      'plan-active-promoters-of-upregulated-genes-that-are-not-essential-'.repeat(4),
      'second',
    ].map((workflowId) => ({ ...PLACE, workflowId })) as [typeof PLACE, typeof PLACE];
    const standing = (is: 'open' | 'closed') => () => Promise.resolve({ is, firstRunId: 'first' } as const);
    await linkPredecessor(PLACE, first, stores, standing('closed'));
    await expect(linkPredecessor(PLACE, second, stores, standing('open'))).rejects.toThrow(
      `is reused by run "${first.workflowId}@first", and by one at a time; that one is open`,
    );
    // It has closed, and nothing was done or begun in it.
    expect(await linkPredecessor(PLACE, second, stores, standing('closed'))).toEqual([first]);
    expect(await linkPredecessor(PLACE, second, stores, standing('open'))).toEqual([first]);
  });

  test('is the one that said so first, however often it says so', async () => {
    const { stores, store } = await openStore();
    await store.putAtOnce([planNote(PLACE, await store.put(Buffer.from('a plan')))]);
    const closed = () => Promise.resolve({ is: 'closed', firstRunId: 'first' } as const);
    // A run has a plan and work of its own, or it began nothing and can be passed over.
    const say = async (workflowId: string) => {
      const own = { ...PLACE, workflowId };
      const old = await findPredecessor('plan-1', own, stores, closed);
      await recordEffect(stores.of(own), own, 'an effect');
      return linkPredecessor(old, own, stores, closed);
    };
    const said = await Promise.allSettled(['a', 'b', 'c', 'd'].map(say));
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const first = ['a', 'b', 'c', 'd'][said.findIndex(({ status }) => status === 'fulfilled')]!;
    await say(first);
    await expect(say('e')).rejects.toThrow(`is reused by run "${first}@first"`);
  });
});
