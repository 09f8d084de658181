/** What has not begun is held, told, and begins again: beside workers of another version, and while the store is away. */

import { describe, expect, test, vi } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { StoreError, type Store } from '../../src/store/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { ownRig, type Rig } from '../support/rig.ts';

/** Open while the workers are replaced. */
const RUNS = 4;
/** On a busy machine. */
vi.setConfig({ testTimeout: 300_000 });

async function opened(...given: Parameters<typeof ownRig>): Promise<Rig> {
  const rig = await ownRig(given[0]);
  return rig;
}

/** A double of a disk: while it is full nothing can be written. */
function disk() {
  const state = { isFull: false };
  const full = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  const storeOf = (store: Store): Store => ({
    ...store,
    put: (key, bytes) => (state.isFull ? full() : store.put(key, bytes)),
  });
  return { state, storeOf };
}

test('a rolling upgrade ends every open run whose at-most-once steps land on workers of another version', async () => {
  const paid: string[] = [];
  const pay = writes('pay', 'at-most-once', paid);
  const rig = await opened({ capabilities: [pay] });
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
    const rig = await opened({ capabilities: [ids], storeOf });
    const run = await rig.start(planOf(combine('UNION', idsOf('a'), idsOf('b'))));
    await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
    state.isFull = true;
    await rig.approve(run);
    const { waits, phase } = await rig.until(run, (status) => status.waits !== undefined);
    expect([phase, waits]).toEqual(['running', expect.stringMatching(/^waits for the store: ENOSPC/)]);
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
    const rig = await opened({ capabilities: [pay as typeof write], storeOf });
    const run = await rig.start(planOf(task('pay', { value: 'north' })));
    await rig.approve(run);
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
    const rig = await opened({ capabilities: [failing], storeOf });
    const run = await rig.start({ ...planOf(task('pay', { value: 'north' })) });
    await rig.approve(run);
    await rig.opened(run, ({ kind }) => kind === 'uncertain');
    state.isFull = true;
    const resolve = { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: ['paid'], by: 'operator' };
    const said = rig.say(run, 'control', resolve);
    await rig.until(run, ({ waits }) => waits !== undefined);
    state.isFull = false;
    expect(await said).toMatch(/it counts as succeeded/);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });
});
