/** Every item arrives, once after deduplication, whatever receivers, workers and clocks do. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createFileStore, type Store } from '../../../src/store/index.ts';
import type { OpenItem } from '../../../src/protocol/index.ts';
import { memoryFolder } from '../../support/memory-folder.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { approvalItem, notifierOf, openReceiver, RUN } from './receiving.ts';

afterEach(() => void vi.useRealTimers());

const item = approvalItem();
const still = (...items: readonly OpenItem[]) => Promise.resolve(items);
const TAKE_OVER_MS = 50;

/** Once `ms` have passed on the clock that nobody sets. */
async function passed(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('an item', () => {
  test('is sent once to each receiver, by one of two workers, and not again by a third that starts later', async () => {
    const { store } = createMemoryStore();
    const [one, two] = [await openReceiver(), await openReceiver()];
    const entries = [
      { name: 'one', url: one.url },
      { name: 'two', url: two.url },
    ];
    const workers = [notifierOf({ store, entries }), notifierOf({ store, entries })];
    for (let round = 0; round < 3; round += 1)
      await Promise.all(workers.map(({ notifier }) => notifier.items(RUN, [item], () => still(item))));
    await notifierOf({ store, entries }).notifier.items(RUN, [item], () => still(item));
    expect([one.arrived.length, two.arrived.length]).toEqual([1, 1]);
    expect(one.ids()).not.toEqual(two.ids());
    expect(one.arrived[0]!.message).toMatchObject({ kind: 'approval', goal: 'Pay the rent', to: ['payer'] });
  });

  test('whose worker died after its claim is sent by another, and with the same id if it was sent before', async () => {
    const { store } = createMemoryStore();
    const { url, ids } = await openReceiver();
    const entries = [{ name: 'ops', url }];
    // Its mark is lost, as that of a process that is killed behind the send.
    const dying: Store = {
      ...store,
      put: (key, bytes) => (key.endsWith('-sent') ? new Promise(() => {}) : store.put(key, bytes)),
    };
    void notifierOf({ store: dying, entries }).notifier.items(RUN, [item], () => still(item));
    await expect.poll(ids).toHaveLength(1);
    const second = notifierOf({ store, entries, takeOverMs: TAKE_OVER_MS }).notifier;
    await second.items(RUN, [item], () => still(item));
    expect(ids()).toHaveLength(1);
    await passed(TAKE_OVER_MS);
    await second.items(RUN, [item], () => still(item));
    await second.items(RUN, [item], () => still(item));
    expect(ids()).toEqual([ids()[0], ids()[0]]);
  });

  test('that was answered between the look and the send is marked, and never sent', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { store, kept } = createMemoryStore();
    const { url, arrived } = await openReceiver();
    const slow: Store = {
      ...store,
      async put(key, bytes) {
        // Longer than a look serves.
        if (key.endsWith('-1')) vi.advanceTimersByTime(2100);
        return store.put(key, bytes);
      },
    };
    const entries = [{ name: 'ops', url }];
    await notifierOf({ store: slow, entries }).notifier.items(RUN, [item], () => still());
    expect(arrived).toEqual([]);
    expect([...kept.keys()].map((key) => key.split('-').at(-1))).toEqual(['1', 'sent']);
    await notifierOf({ store, entries }).notifier.items(RUN, [item], () => still(item));
    expect(arrived).toEqual([]);
  });

  test('whose run cannot be asked again waits for the next round', async () => {
    vi.spyOn(performance, 'now').mockReturnValueOnce(-1e6);
    const { store } = createMemoryStore();
    const { url, arrived } = await openReceiver();
    const { notifier, notes } = notifierOf({ store, entries: [{ name: 'ops', url }] });
    await notifier.items(RUN, [item], () => Promise.reject(new Error('no worker')));
    vi.restoreAllMocks();
    expect(arrived).toEqual([]);
    await notifier.items(RUN, [item], () => still(item));
    expect([arrived.length, notes]).toEqual([1, []]);
  });

  test('has further messages as time passes, each once', async () => {
    const { store } = createMemoryStore();
    const { url, arrived } = await openReceiver();
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
    const old = approvalItem({ since: hours(-5), deadline: hours(1) });
    const escalate = [{ after: '4h', roles: ['lead'] }];
    const { notifier } = notifierOf({ store, entries: [{ name: 'ops', url, remind: '2h', escalate }] as never });
    for (let round = 0; round < 2; round += 1) await notifier.items(RUN, [old], () => still(old));
    const seen = arrived.map(({ message }) => `${String(message['why'])} ${String(message['to'])}`);
    expect(seen.toSorted()).toEqual(['escalation lead', 'open payer', 'reminder payer']);
    expect(arrived.every(({ message }) => String(message['roles']) === 'payer')).toBe(true);
  });
});

describe('a receiver', () => {
  test('that answers 500 loses nothing that is open, is left alone meanwhile, and is named once', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { store } = createMemoryStore();
    const items = Array.from({ length: 50 }, (_, n) => approvalItem({ id: `question-${n}`, kind: 'question' }));
    let isBroken = true;
    const { url, arrived } = await openReceiver((response) => response.writeHead(isBroken ? 500 : 200).end());
    const other = await openReceiver();
    const entries = [
      { name: 'ops', url },
      { name: 'other', url: other.url },
    ];
    const { notifier, notes } = notifierOf({ store, entries });
    const round = () => notifier.items(RUN, items, () => still(...items));
    // An hour, in rounds of five seconds.
    for (let at = 0; at < 720; at += 1) {
      await round();
      vi.advanceTimersByTime(5000);
    }
    expect(other.arrived).toHaveLength(50);
    expect(arrived.length).toBeLessThan(50 * 20);
    expect(notes).toEqual([
      expect.stringMatching(/^notify ops: it answered 500; messages wait, the next try is in 15\.0 s/),
    ]);
    const failed = arrived.length;
    isBroken = false;
    vi.advanceTimersByTime(300_000);
    await round();
    expect(new Set(arrived.slice(failed).map(({ id }) => id)).size).toBe(50);
    expect(arrived).toHaveLength(failed + 50);
    expect(notes[1]).toBe('notify ops: messages arrive again');
  });

  test('gets the same ids again, each of them until it has accepted it', async () => {
    const { store } = createMemoryStore();
    const { url, ids } = await openReceiver((response, count) => response.writeHead(count < 3 ? 503 : 200).end());
    for (let worker = 0; worker < 5; worker += 1)
      await notifierOf({ store, entries: [{ name: 'ops', url }] }).notifier.items(RUN, [item], () => still(item));
    expect(ids()).toHaveLength(3);
    expect(new Set(ids()).size).toBe(1);
  });
});

test('a receiver that is slow holds up no other one, and gets at most 20 messages at once, each once', async () => {
  const { store } = createMemoryStore();
  const answers: (() => void)[] = [];
  const slow = await openReceiver((response) => void answers.push(() => response.end()));
  const quick = await openReceiver();
  const entries = [
    { name: 'slow', url: slow.url },
    { name: 'quick', url: quick.url },
  ];
  const { notifier } = notifierOf({ store, entries });
  const items = Array.from({ length: 50 }, (_, n) => approvalItem({ id: `question-${n}`, kind: 'question' }));
  const round = () => notifier.items(RUN, items, () => still(...items));
  const first = round();
  await expect.poll(() => quick.arrived.length).toBe(50);
  await round();
  expect(slow.arrived).toHaveLength(20);
  const answering = setInterval(() => {
    for (const answer of answers.splice(0)) answer();
  }, 5);
  await first;
  clearInterval(answering);
  expect([slow.arrived.length, new Set(slow.ids()).size, quick.arrived.length]).toEqual([50, 50, 50]);
});

test('a message that its receiver refuses holds up no other one, and is tried less and less often', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { store } = createMemoryStore();
  const { url, arrived } = await openReceiver((response) => {
    const isLong = arrived.at(-1)!.message['item'] === 'question-0';
    response.writeHead(isLong ? 400 : 200).end();
  });
  const { notifier, notes } = notifierOf({ store, entries: [{ name: 'ops', url }] });
  const all = Array.from({ length: 50 }, (_, n) => approvalItem({ id: `question-${n}`, kind: 'question' }));
  // One more each five seconds.
  for (let count = 1; count <= all.length; count += 1) {
    const items = all.slice(0, count);
    await notifier.items(RUN, items, () => still(...items));
    vi.advanceTimersByTime(5000);
  }
  const refused = arrived.filter(({ message }) => message['item'] === 'question-0');
  // At 0, 15, 45, 105 and 225 s.
  expect([arrived.length - refused.length, refused.length]).toEqual([49, 5]);
  expect(notes).toEqual([expect.stringMatching(/^notify ops: it answered 400 to a message/)]);
});

test('an inbox is hashed a few times, however many messages are sent; and looked at after all that is slow', async () => {
  const { store } = createMemoryStore();
  const { url, arrived } = await openReceiver();
  let reads = 0;
  const items = Array.from({ length: 200 }, (_, n) => {
    const one = approvalItem({ kind: 'question' });
    return Object.defineProperty(one, 'id', { get: () => (reads += 1) && `question-${n}`, enumerable: true });
  });
  let isOpen = true;
  const goalOf = async () => {
    await passed(2100);
    isOpen = false;
    return 'Pay the rent';
  };
  const { notifier } = notifierOf({ store, entries: [{ name: 'ops', url }], goalOf });
  await notifier.items(RUN, items, () => still(...(isOpen ? items : items.slice(100))));
  expect(arrived).toHaveLength(100);
  expect(reads).toBeLessThan(200 * 20);
});

test.each([-30 * 86_400_000, 30 * 86_400_000])(
  'a clock that jumps by %d ms repeats and loses nothing',
  async (jump) => {
    const { store } = createMemoryStore();
    const { url, arrived } = await openReceiver();
    const entries = [{ name: 'ops', url }];
    const lasting = approvalItem({ deadline: new Date(Date.now() + 90 * 86_400_000).toISOString() });
    const workers = [notifierOf({ store, entries }), notifierOf({ store, entries })];
    const round = () =>
      Promise.all(workers.map(({ notifier }) => notifier.items(RUN, [lasting], () => still(lasting))));
    await round();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jump });
    await round();
    const later = approvalItem({ id: 'question', kind: 'question' });
    await Promise.all(workers.map(({ notifier }) => notifier.items(RUN, [later], () => still(later))));
    expect(arrived.map(({ message }) => message['item'])).toEqual(['approval', 'question']);
  },
);

test('what happens to a run is told once, after the time of the entry', async () => {
  const { store } = createMemoryStore();
  const { url, arrived } = await openReceiver();
  const { notifier } = notifierOf({ store, entries: [{ name: 'ops', url, after: '10m' }] as never });
  const failed = { kind: 'run-failed', text: 'the run failed', key: 'r1' } as const;
  await notifier.run(RUN, failed, 599_000);
  expect(arrived).toEqual([]);
  for (const key of ['r1', 'r1', 'r2']) await notifier.run(RUN, { ...failed, key }, 600_000);
  expect(arrived.map(({ message }) => message['command'])).toEqual(Array(2).fill('npx planwright status plan-1'));
});

/** The limit is 10 s. */
test.each([
  ['of 1,000 runs', (n: number) => ({ workflowId: `plan-${n}` })],
  ['of one run', (n: number) => ({ id: `question-${n}` })],
])('an inbox of 1,000 items %s is told within its time', { timeout: 200_000 }, async (_, each) => {
  const folder = await mkdtemp(join(memoryFolder(), 'planwright-notices-'));
  onTestFinished(() => rm(folder, { recursive: true }), 100_000);
  const store = createFileStore(folder);
  const { url, ids } = await openReceiver();
  const { notifier } = notifierOf({ store, entries: [{ name: 'ops', url }] });
  const runs = new Map<string, OpenItem[]>();
  for (let n = 0; n < 1000; n += 1) {
    const one = approvalItem(each(n));
    runs.set(one.workflowId, [...(runs.get(one.workflowId) ?? []), one]);
  }
  const before = performance.now();
  await Promise.all(
    [...runs].map(([workflowId, items], n) =>
      notifier.items({ workflowId, firstRunId: `run-${n}` }, items, () => still(...items)),
    ),
  );
  const ms = performance.now() - before;
  expect(new Set(ids()).size).toBe(1000);
  expect(ms).toBeLessThan(100_000);
});
