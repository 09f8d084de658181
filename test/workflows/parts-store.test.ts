/** Parts over a store that fails or was damaged, and several of them at several workers. */

import { anywhere } from '../support/anywhere.ts';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import type { NodesPage, RunResult } from '../../src/protocol/index.ts';
import type { Store } from '../../src/store/index.ts';
import { createBarrier, ids, waits, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task, treeOver } from '../support/plans.ts';
import { ownRig, type Rig } from '../support/rig.ts';

const PARTS = { lane: 'parts', approval: 'effects' };

async function opened(...[options]: Parameters<typeof ownRig>): Promise<Rig> {
  const rig = await ownRig(options);
  return rig;
}

const leaves = (count: number, from = 'i') => Array.from({ length: count }, (_, n) => idsOf(`${from}${n}`));

/** A double of a disk: while it is full nothing can be written. `refused` resolves when something was refused. */
function disk() {
  let isFull = false;
  let refuse: () => void = () => undefined;
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  const full = () => {
    refuse();
    return Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  };
  const storeOf = (store: Store): Store => ({
    ...store,
    put: (key, bytes) => (isFull ? full() : store.put(key, bytes)),
  });
  return { refused, storeOf, fill: () => (isFull = true), free: () => (isFull = false) };
}

test('a full disk under a part is waited out and told; what was kept is not carried out again', async () => {
  const barrier = createBarrier();
  const { refused, storeOf, fill, free } = disk();
  const rig = await opened({ capabilities: [ids, waits(barrier)], storeOf });
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
  fill();
  barrier.open('full');
  await refused;
  const { waits: why, phase } = await rig.until(run, (status) => status.waits !== undefined);
  expect([phase, why]).toEqual(['running', expect.stringMatching(/^waits for the store: ENOSPC/)]);
  free();
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 25 } });
  const begun = rig.begun(run);
  expect(kept.size).toBe(46);
  expect([...kept].filter((id) => begun[id] !== 1)).toEqual([]);
}, 300_000);

test('a result from outside that was damaged fails the nodes that read it, and no others', async () => {
  const rig = await opened({ capabilities: [ids] });
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
}, 300_000);

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
  { tags: ['slow'], timeout: 300_000 },
  async () => {
    const [first, second] = [
      { most: 0, now: 0 },
      { most: 0, now: 0 },
    ];
    const concurrentNodes = 3;
    const rig = await opened({ capabilities: [counting(first)], concurrentNodes });
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
