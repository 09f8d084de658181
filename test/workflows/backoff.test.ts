/** What has not begun is held, told, and begins again: beside workers of another version, and while the store is away or damaged; in parts too. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { StoreError, type Store } from '../../src/store/index.ts';
import type { NodesPage, RunResult } from '../../src/protocol/index.ts';
import { ids, writes, tool, createBarrier, waits } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task, treeOver } from '../support/plans.ts';
import { ownRig } from '../support/rig.ts';
import { anywhere } from '../support/anywhere.ts';

/** Open while the workers are replaced. */
const RUNS = 4;
/** On a busy machine. */
vi.setConfig({ testTimeout: 300_000 });

/** A double of a disk: while it is full nothing can be written. `refused` resolves when something was refused. */
function disk() {
  const state = { isFull: false };
  let refuse: () => void = () => undefined;
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  const full = () => {
    refuse();
    return Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  };
  const storeOf = (store: Store): Store => ({
    ...store,
    put: (key, bytes) => (state.isFull ? full() : store.put(key, bytes)),
    putUnder: (keys, bytes) => (state.isFull ? full() : store.putUnder!(keys, bytes)),
  });
  return { state, storeOf, refused };
}

test('a rolling upgrade ends every open run whose at-most-once steps land on workers of another version', async () => {
  const paid: string[] = [];
  const pay = writes('pay', 'at-most-once', paid);
  const rig = await ownRig({ capabilities: [pay] });
  const runs = await Promise.all(
    Array.from({ length: RUNS }, async (_, i) => {
      const run = await rig.start(planOf(task('pay', { value: `${i}` })));
      await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
      return run;
    }),
  );
  // The upgrade has begun: two of three workers have the next version already.
  const upgraded = createRegistry([{ ...pay, version: '2' }]);
  await rig.startWorker(upgraded);
  await rig.startWorker(upgraded);
  await Promise.all(runs.map((run) => rig.approve(run)));
  const ends = await Promise.all(runs.map(async (run) => ((await run.result()) as RunResult).outcome));
  expect(ends).toEqual(Array<string>(RUNS).fill('done'));
  expect(new Set(paid).size).toBe(RUNS);
  expect(paid).toHaveLength(RUNS);
});

describe('a full disk under the store', () => {
  test('is waited out and told, where it is met by a read; what has finished is kept', async () => {
    const { state, storeOf } = disk();
    const rig = await ownRig({ capabilities: [ids], storeOf });
    const run = await rig.start(planOf(combine('UNION', idsOf('a'), idsOf('b'))));
    await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
    state.isFull = true;
    await rig.approve(run);
    const { waits: why, phase } = await rig.until(run, (status) => status.waits !== undefined);
    expect([phase, why]).toEqual(['running', expect.stringMatching(/^waits for the store: ENOSPC/)]);
    // What it met is tried again.
    await rig.until(run, () => Object.values(rig.begun(run)).reduce((sum, one) => sum + one, 0) >= 4);
    state.isFull = false;
    expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 2 } });
    const held = await rig.trace(run, 'held');
    expect(held.map(({ text }) => text.split('.')[0])).toEqual(expect.arrayContaining(['waits for the store: ENOSPC']));
  });

  test('repeats no effect that has happened: its result is stored when there is room', async () => {
    const { state, storeOf } = disk();
    const paid: string[] = [];
    const write = writes('pay', 'at-most-once', paid);
    const pay = {
      ...write,
      execute: (given: never) => {
        state.isFull = true;
        return (write.execute as (given: never) => unknown)(given);
      },
    };
    const rig = await ownRig({ capabilities: [pay as typeof write], storeOf });
    const run = await rig.startApproved(planOf(task('pay', { value: 'north' })));
    await rig.until(run, () => state.isFull && paid.length === 1);
    expect((await rig.statuses(run))[0]).toBe('running');
    state.isFull = false;
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(paid).toHaveLength(1);
  });

  test('takes an answer when there is room, and forgets nobody who gave it', async () => {
    const { state, storeOf } = disk();
    const pay = writes('pay', 'at-most-once', []);
    const failing = {
      ...pay,
      execute: () => Promise.reject(new StoreError('corrupt', 'what it stands on was changed')),
    };
    const rig = await ownRig({ capabilities: [failing], storeOf });
    const run = await rig.startApproved({ ...planOf(task('pay', { value: 'north' })) });
    await rig.opened(run, ({ kind }) => kind === 'uncertain');
    state.isFull = true;
    const resolve = { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: ['paid'], by: 'operator' };
    const said = rig.say(run, 'control', resolve);
    await rig.until(run, (status) => status.waits !== undefined);
    state.isFull = false;
    expect(await said).toMatch(/it counts as succeeded/);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });
});

const PARTS = { lane: 'parts', approval: 'effects' };

const leaves = (count: number, from = 'i') => Array.from({ length: count }, (_, n) => idsOf(`${from}${n}`));

test('a full disk under a part is waited out and told; what was kept is not carried out again', async () => {
  const barrier = createBarrier();
  const { state, refused, storeOf } = disk();
  const rig = await ownRig({ capabilities: [ids, waits(barrier)], storeOf });
  const plan = combine(
    'UNION',
    treeOver(leaves(20, 'before')),
    task('ids', { ids: ['after'] }, { input: task('waits', { at: 'full' }) }),
  );
  const run = await rig.start(planOf(combine('UNION', plan, treeOver(leaves(4, 'later'))), PARTS));
  await barrier.reached('full');
  await rig.until(run, ({ counts }) => counts.succeeded === 46);
  const kept = new Set(
    (await rig.statuses(run)).flatMap((status, at) => (status === 'succeeded' ? [`node_${at + 1}`] : [])),
  );
  state.isFull = true;
  barrier.open('full');
  await refused;
  const { waits: why, phase } = await rig.until(run, (status) => status.waits !== undefined);
  expect([phase, why]).toEqual(['running', expect.stringMatching(/^waits for the store: ENOSPC/)]);
  state.isFull = false;
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 25 } });
  const begun = rig.begun(run);
  expect(kept.size).toBe(46);
  expect([...kept].filter((id) => begun[id] !== 1)).toEqual([]);
});

test('a result from outside that was damaged fails the nodes that read it, and no others', async () => {
  const rig = await ownRig({ capabilities: [ids] });
  const asked = (name: string) => task('ids', { ids: [name] }, { input: task('ask', { question: `${name}?` }) });
  const plan = combine(
    'UNION',
    combine('UNION', idsOf('damaged'), asked('late')),
    combine('UNION', treeOver(leaves(9)), asked('other')),
  );
  const run = await rig.start(planOf(plan, { ...PARTS, onFailure: 'partial' }));
  await rig.until(run, ({ counts }) => counts.waiting === 2 && counts.succeeded === 18);
  const { nodes } = await run.query<NodesPage>('nodes');
  const { result: damaged } = nodes.find(({ summary }) => summary === 'the ids damaged') ?? {};
  await spoil(rig.store.place, await anywhere(rig.store).get(damaged?.ref ?? ''));
  // A worker that has it in memory would not read it again.
  await rig.stopWorker();
  await rig.startWorker();
  for (const { id } of await rig.open(run)) await rig.say(run, 'answer', { question: id, value: 'go', by: 'operator' });
  const { outcome, missing } = (await run.result()) as RunResult;
  expect(outcome).toBe('partial');
  expect(missing).toMatchObject([{ status: 'failed', failure: { type: 'ResultCorrupt' } }, { status: 'skipped' }]);
  expect((await rig.statuses(run)).filter((status) => status === 'succeeded')).toHaveLength(nodes.length - 2);
});

/** Changes a byte of these bytes, whichever file of the store has them. */
async function spoil(place: string, bytes: Uint8Array): Promise<void> {
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const whole = await readFile(path);
    const at = whole.indexOf(bytes);
    if (at === -1) continue;
    whole[at] = (whole[at] ?? 0) ^ 1;
    await writeFile(path, whole);
  }
}

/** Says how many are at work at once, at most. */
function counting(atOnce: { most: number; now: number }) {
  return tool('counted', 'read', 'set', z.object({ id: z.string() }), async ({ arguments: { id } }) => {
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    atOnce.now -= 1;
    return createSet([{ id }]);
  });
}

test(
  'parts of several runs at two workers keep to the bound of nodes at work of each',
  { tags: ['slow'] },
  async () => {
    const [first, second] = [
      { most: 0, now: 0 },
      { most: 0, now: 0 },
    ];
    const concurrentNodes = 3;
    const rig = await ownRig({ capabilities: [counting(first)], concurrentNodes });
    await rig.startWorker(createRegistry([counting(second)]));
    const runs = await Promise.all(
      Array.from({ length: 6 }, (_, run) => {
        const counted = Array.from({ length: 40 }, (__, n) => task('counted', { id: `r${run}n${n}` }));
        return rig.start(planOf(treeOver(counted), PARTS));
      }),
    );
    for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 40 } });
    for (const run of runs) expect(new Set(Object.values(rig.begun(run)))).toEqual(new Set([1]));
    for (const { most } of [first, second]) expect(most).toBeLessThanOrEqual(concurrentNodes);
    expect(Math.max(first.most, second.most)).toBe(concurrentNodes);
  },
);
