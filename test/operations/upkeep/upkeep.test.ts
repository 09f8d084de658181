/** `store du`, `check`, `copy` and `gc` against a store that a test fills, and a server that it makes up. */

import { WorkflowNotFoundError } from '@temporalio/client';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { claimName, storeFinished, planNote } from '../../../src/activities/run-records.ts';
import { listGrants, storeGrant, takeUse, withdrawGrant } from '../../../src/activities/grants/stored-grants.ts';
import { enterJson, runNotes, openStores, type Stores } from '../../../src/activities/stores.ts';
import { collect, type CollectOptions } from '../../../src/operations/upkeep/collect.ts';
import { sharesOf } from '../../../src/operations/upkeep/keys.ts';
import { checkStore, copyItems, largestOf } from '../../../src/operations/upkeep/read-store.ts';
import type { Owner } from '../../../src/protocol/index.ts';
import { putReceipt, receiptsIn, runScope } from '../../../src/store/index.ts';
import { encrypted, FILES } from '../../store/stores.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';

const DAY_MS = 86_400_000;
let memory: MemoryStore;
let stores: Stores;
/** The workflow ids that the server knows. */
let known: Set<string>;

beforeEach(() => {
  memory = createMemoryStore();
  stores = openStores(memory.store);
  known = new Set();
});

const placeOf = (workflowId: string, firstRunId = 'c1'): Owner => ({ namespace: 'default', workflowId, firstRunId });
const server = (namespace = 'default', id = `id of ${namespace}`, retentionDays = 3) => ({
  namespace,
  address: 'here',
  client: {
    workflowService: {
      describeNamespace: () =>
        Promise.resolve({
          namespaceInfo: { id },
          config: { workflowExecutionRetentionTtl: { seconds: retentionDays * 86_400 } },
        }),
    },
    workflow: {
      getHandle: (workflowId: string) => ({
        describe: () =>
          known.has(workflowId)
            ? Promise.resolve({})
            : Promise.reject(new WorkflowNotFoundError('not found', workflowId, undefined)),
      }),
    },
  } as never,
});

/** A run that has a plan, a result and a claim, as its worker leaves them. */
async function leave(place: Owner, namespaceId = `id of ${place.namespace}`): Promise<string> {
  const store = stores.of(place);
  await store.putAtOnce(runNotes(place, namespaceId));
  await store.putAtOnce([planNote(place, await store.put(Buffer.from(`plan of ${place.workflowId}`)))]);
  const ref = await store.put(Buffer.from(`result of ${place.workflowId} ${place.firstRunId}`));
  const handle = { ref, kind: 'text' as const, count: 1, bytes: 1 };
  await storeFinished(store, place, 'node', { handle, executor: 'ids@1', retry: 0, at: '2026-01-01T00:00:00.000Z' });
  await enterJson(store, claimName(place, 'key'), { attempt: 'x' });
  await stores.bindStart(place, `signature of ${place.workflowId}`);
  return runScope(place);
}
const age = (days: number, prefix = '') => {
  for (const key of memory.kept.keys()) if (key.startsWith(prefix)) memory.at.set(key, Date.now() - days * DAY_MS);
};
const clear = (options: Partial<CollectOptions> = {}, servers = [server()]) =>
  collect(memory.store, servers, { remove: true, ...options });
const below = (prefix: string) => [...memory.kept.keys()].filter((key) => key.startsWith(prefix)).length;

describe('gc', () => {
  test('takes away all of a run that no server knows, and nothing of one that it knows', async () => {
    const gone = await leave(placeOf('gone'));
    const there = await leave(placeOf('there'));
    known.add('there');
    age(10);
    const told = await clear({ remove: false });
    expect(told).toMatchObject({ runs: 1, goneRuns: 1, removable: { runs: { count: below(gone) } } });
    expect(told.removed).toBeUndefined();
    const before = below(there);
    expect((await clear()).removed?.count).toBe(told.removable.runs.count);
    // Its signed start goes with the last of it.
    expect([below(gone), below(gone.split('/', 2).join('/')), below(there)]).toEqual([0, 0, before]);
    expect(await clear()).toMatchObject({ goneRuns: 0, removed: { count: 0 } });
  });

  test('grants, their uses and receipts stay, however old, and a copy has them', async () => {
    await leave(placeOf('gone'));
    const run = { ...placeOf('gone'), digest: 'd1' };
    const id = await storeGrant(memory.store, 'frame', 'a.b.signature');
    const grant = () => listGrants(memory.store).then(([only]) => only!);
    expect(await takeUse(memory.store, await grant(), 2, run)).toBe(1);
    await withdrawGrant(memory.store, await grant(), 'operator');
    await putReceipt(memory.store, run, '2026-01-31T00:00:00Z', Buffer.from('receipt'));
    age(1000);
    await clear({ deleted: true, olderThan: 1, gone: ['id of default'] });
    const kept = [...memory.kept.keys()].toSorted();
    expect(kept.map((key) => key.split('/').at(-1)?.split('-')[0])).toEqual(['by', 'grant', 'use', 'withdrawn', 'c1']);
    const other = createMemoryStore();
    const to = { ...other.store, place: 'other' };
    expect(await copyItems(memory.store, to)).toMatchObject({ problems: [], amounts: { other: { count: 5 } } });
    expect(await listGrants(to)).toMatchObject([{ id, isWithdrawn: true, uses: new Map([[1, expect.any(Number)]]) }]);
    expect(await receiptsIn(to, '2026-01-31', run)).toMatchObject([{ text: 'receipt' }]);
  });

  test('takes away one run of an id and not another, by their ages, only where the id is not known at all', async () => {
    const [old, young] = [await leave(placeOf('twice', 'c1')), await leave(placeOf('twice', 'c2'))];
    age(10, old);
    await clear();
    expect([below(old), below(young) > 0]).toEqual([0, true]);
    const again = await leave(placeOf('twice', 'c1'));
    age(10);
    known.add('twice');
    await clear();
    expect([below(again) > 0, below(young) > 0]).toEqual([true, true]);
  });

  test('keeps a run whose agent goes on', async () => {
    const root = { namespace: 'default', workflowId: 'root', firstRunId: '0196a5c1-0000-7000-8000-00003fa9c1d2' };
    const scope = await leave(root);
    const agent = { ...root, workflowId: 'root.3fa9c1d2.r1.node_3' };
    await stores.of(agent).putAtOnce(runNotes(agent, 'id of default'));
    age(10);
    known.add(agent.workflowId);
    await clear();
    expect(below(scope)).toBeGreaterThan(0);
    known.clear();
    await clear();
    expect(below(scope)).toBe(0);
  });

  test('keeps what is younger than a day, what nobody has noted, and runs of namespaces that are not asked', async () => {
    const young = await leave(placeOf('young'));
    const other = await leave({ ...placeOf('other'), namespace: 'night' });
    const unknown = 'runs/o/c';
    await memory.store.put(`${unknown}/objects/x`, Buffer.from('x'));
    age(10, other);
    age(10, unknown);
    expect(await clear()).toMatchObject({
      goneRuns: 0,
      notAsked: { 'night (id of night)': 1, unknown: 1 },
      removed: { count: 0 },
    });
    expect([below(young) > 0, below(other) > 0, below(unknown)]).toEqual([true, true, 1]);
    // A namespace of the same name of another server is another one.
    await clear({}, [server(), server('night', 'another id')]);
    expect(below(other)).toBeGreaterThan(0);
    await clear({ gone: ['id of night'] });
    expect(below(other)).toBe(0);
  });

  test('refuses where the server should still know the run: it was restored, or somebody deleted it', async () => {
    const scope = await leave(placeOf('early'));
    age(2);
    await expect(clear()).rejects.toThrow(/something of "early" that is younger than the retention.*Give --deleted/s);
    expect(below(scope)).toBeGreaterThan(0);
    await clear({ deleted: true });
    expect(below(scope)).toBe(0);
  });

  test('keeps conversations, unless their age is given; documents go after a month', async () => {
    await stores.conversation('reef').enter('entries/1', Buffer.from('x'));
    await stores.conversation('bay').enter('entries/1', Buffer.from('x'));
    age(100);
    await stores.conversation('bay').enter('entries/2', Buffer.from('x'));
    await stores.documents.put(Buffer.from('old'));
    age(31, 'documents/');
    await stores.documents.put(Buffer.from('young'));
    await clear();
    expect([below('conversations/'), below('documents/')]).toEqual([3, 1]);
    await clear({ olderThan: 90 });
    expect(below('conversations/')).toBe(2);
  });

  test('an error of the server ends it, and nothing is removed', async () => {
    const scope = await leave(placeOf('gone'));
    age(10);
    const broken = server();
    (broken.client as { workflow: object }).workflow = {
      getHandle: () => ({ describe: () => Promise.reject(new Error('unavailable')) }),
    };
    await expect(clear({}, [broken])).rejects.toThrow('unavailable');
    expect(below(scope)).toBeGreaterThan(0);
  });

  test('the plan goes first, and the ids of the run last', async () => {
    const scope = await leave(placeOf('gone'));
    age(10);
    const removed: string[] = [];
    const { remove } = memory.store;
    Object.assign(memory.store, {
      remove(keys: readonly string[]) {
        removed.push(...keys.filter((key) => key.startsWith(scope)));
        return remove(keys);
      },
    });
    await clear();
    expect([removed[0], removed.at(-1)]).toEqual([`${scope}/root/plan`, `${scope}/run`]);
  });
});

describe('amounts and the check of everything', () => {
  test('tell how much there is, and whose the most is', async () => {
    await leave(placeOf('small'));
    const large = await leave(placeOf('large'));
    await stores.of(placeOf('large')).put(Buffer.alloc(10_000));
    await stores.conversation('reef').enter('entries/1', Buffer.from('x'));
    const { amounts, shares } = await sharesOf(memory.store, {});
    const largest = await largestOf(memory.store, shares);
    expect(largest[0]).toMatchObject({ scope: large, workflowId: 'large', count: below(large) });
    expect(largest.filter(({ workflowId }) => workflowId !== undefined)).toHaveLength(2);
    expect(amounts.conversations.count).toBe(1);
    const checked = await checkStore(memory.store);
    expect(checked).toMatchObject({ problems: [], problemCount: 0, amounts });
  });

  test.each([
    ['in a folder', FILES],
    ['encrypted', encrypted(FILES)],
  ])('tell each key once, wherever it stands in a store %s', async (_, kind) => {
    const { place, remove } = await kind.make();
    onTestFinished(remove);
    const store = kind.open(place);
    const owners = ['0', '7', 'a', 'f', 'g', 'z', '_', '-', 'ab'.repeat(16), 'f0'.repeat(16), '0c'.repeat(16)];
    const keys = [
      'a/b',
      'documents/d',
      'runs-x/y',
      'runs/lone',
      'runsx/y',
      'z',
      ...owners.map((one) => `runs/${one}/c/k`),
    ];
    for (const key of keys) await store.put(key, Buffer.from(key));
    const { amounts } = await sharesOf(store, {});
    expect(Object.values(amounts).reduce((sum, { count }) => sum + count, 0)).toBe(keys.length);
  });

  test('check names what is changed, at most 100 of it, and reads the rest', async () => {
    await leave(placeOf('good'));
    const store = stores.of(placeOf('bad'));
    for (let n = 0; n < 101; n += 1) await store.put(Buffer.from(`damaged ${n}`));
    for (const key of memory.kept.keys())
      if (key.startsWith(runScope(placeOf('bad')))) memory.kept.set(key, Buffer.from('x'));
    const { problems, problemCount } = await checkStore(memory.store);
    expect([problems.length, problemCount]).toEqual([100, 101]);
    expect(problems[0]).toContain(`${runScope(placeOf('bad'))}/objects/`);
  });
});

describe('copy', () => {
  test('has everything in the second store, and can be made again', async () => {
    await leave(placeOf('one'));
    const other = createMemoryStore('/other');
    for (let time = 0; time < 2; time += 1)
      expect(await copyItems(memory.store, { ...other.store, place: 'other' })).toMatchObject({ problems: [] });
    expect(other.kept).toEqual(memory.kept);
    await expect(copyItems(memory.store, memory.store)).rejects.toThrow('is both; name another store');
  });

  test('leaves what is damaged, or is another thing there, and tells it', async () => {
    await leave(placeOf('one'));
    const other = createMemoryStore('/other');
    const [first = '', second = ''] = memory.kept.keys();
    other.kept.set(first, Buffer.from('another'));
    memory.kept.set(second, Buffer.from('damaged'));
    const { problems } = await copyItems(memory.store, other.store);
    expect(problems.join('\n')).toContain(`${first} is another thing in /other than in /memory`);
    expect(problems.join('\n')).toContain(`${second} in the store at /memory does not hold its bytes`);
    expect([problems.length, other.kept.has(second)]).toEqual([2, false]);
  });
});
