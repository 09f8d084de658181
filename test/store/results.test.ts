/** The part of a store that belongs to one owner: what is damaged is told, and mended by who has the bytes. */

import { describe, expect, test } from 'vitest';
import { damageOf, openResults, resultsIn, runScope, selfIn, rootIdOf } from '../../src/store/index.ts';
import { refOfBytes } from '../../src/store/owners.ts';
import { createMemoryStore } from '../support/memory-store.ts';

const bytes = Buffer.from('a result');
const ref = refOfBytes(bytes);
const text = (read: Uint8Array | undefined) => read && Buffer.from(read).toString();

describe.each([
  ['flipped', Buffer.from('a resulT')],
  ['cut', bytes.subarray(0, 3)],
  ['emptied', Buffer.alloc(0)],
])('bytes that somebody has %s', (_how, damaged) => {
  test('of a content are told, and mended by who has them', async () => {
    const { store, kept } = createMemoryStore();
    const results = resultsIn(store, 'runs/o/c');
    await results.put(bytes);
    const [key = ''] = kept.keys();
    kept.set(key, damaged);
    await expect(results.get(ref)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(key) as string,
    });
    expect(damageOf(key, damaged, store.place)).toContain(key);
    await results.put(bytes);
    expect(text(await results.get(ref))).toBe('a result');
    expect(damageOf(key, kept.get(key)!, store.place)).toBeUndefined();
  });

  test('of an entry are told, by who reads it and by who would enter it', async () => {
    const { store, kept } = createMemoryStore();
    const results = resultsIn(store, 'runs/o/c');
    await results.enter('root/done', bytes);
    const [key = ''] = kept.keys();
    kept.set(key, Buffer.concat([kept.get(key)!.subarray(0, 8), damaged]));
    await expect(results.entry('root/done')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(results.enter('root/done', bytes)).rejects.toMatchObject({ code: 'corrupt' });
    expect(damageOf(key, kept.get(key)!, store.place)).toContain(key);
  });

  test('of a part are told by who reads them, and take nothing else with them', async () => {
    const { store, kept } = createMemoryStore();
    await resultsIn(store, 'runs/o/c').putTogether([[bytes], [bytes, 'root/done']]);
    const [key = ''] = kept.keys();
    expect(damageOf(key, kept.get(key)!, store.place)).toBeUndefined();
    kept.set(key, Buffer.concat([kept.get(key)!.subarray(0, -bytes.length), damaged]));
    expect(damageOf(key, kept.get(key)!, store.place)).toContain(key);
    expect(text(await resultsIn(store, 'runs/o/c').get(ref))).toBe('a result');
    await expect(resultsIn(store, 'runs/o/c').entry('root/done')).rejects.toMatchObject({ code: 'corrupt' });
  });
});

test.each(['a result', 'an entry'])(
  'a changed byte of %s that was put with others at once is told, and takes nothing with it',
  async (written) => {
    const { store, kept } = createMemoryStore();
    store.putUnder = (keys, whole) => Promise.all(keys.map((key) => store.put(key, whole)));
    const results = resultsIn(store, 'runs/o/c');
    await results.putAtOnce([[bytes], [Buffer.from('an entry'), 'root/done']]);
    const isOk = (key: string) => damageOf(key, kept.get(key)!, store.place) === undefined;
    expect([...kept.keys()].map(isOk)).toEqual([true, true]);
    for (const key of kept.keys()) {
      const whole = Buffer.from(kept.get(key)!);
      whole[whole.indexOf(written)]! ^= 1;
      kept.set(key, whole);
    }
    expect([...kept.keys()].filter((key) => !isOk(key))).toHaveLength(1);
    const read = { content: results.get(ref), entry: results.entry('root/done') };
    const said = await Promise.allSettled([read.content, read.entry]);
    expect(said.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    // Who has the bytes of the content mends it.
    await results.putAtOnce([[bytes], [Buffer.from('other'), 'root/other']]);
    expect(text(await results.get(ref))).toBe('a result');
  },
);

test('a part whose first line was changed is told each time, and read when somebody has restored it', async () => {
  const { store, kept } = createMemoryStore();
  await resultsIn(store, 'runs/o/c').putTogether([[bytes], [bytes, 'root/done']]);
  const [[key, whole] = ['', bytes]] = kept;
  const damaged = Buffer.from(whole);
  damaged[0]! ^= 1;
  kept.set(key, damaged);
  const results = resultsIn(store, 'runs/o/c');
  for (const _ of [1, 2]) await expect(results.entry('root/done')).rejects.toMatchObject({ code: 'corrupt' });
  await expect(results.names('root/')).rejects.toMatchObject({ code: 'corrupt' });
  kept.set(key, whole);
  expect(text(await results.entry('root/done'))).toBe('a result');
  expect(text(await results.get(ref))).toBe('a result');
});

test('what belongs to one run is nothing to another', async () => {
  const { store } = createMemoryStore();
  const [one, other] = [resultsIn(store, 'runs/o/c'), resultsIn(store, 'runs/o/d')];
  await one.put(bytes);
  await one.putTogether([[Buffer.from('small')], [bytes, 'root/done']]);
  await expect(other.get(ref)).rejects.toMatchObject({ code: 'not-found' });
  await expect(other.get(refOfBytes(Buffer.from('small')))).rejects.toMatchObject({ code: 'not-found' });
  expect(await other.entry('root/done')).toBeUndefined();
  expect(await other.names('root/')).toEqual([]);
});

test('a content that was put together is read without a look at the store again', async () => {
  const { store, calls } = createMemoryStore();
  const of = openResults(store);
  const many = Array.from({ length: 200 }, (_, n) => Buffer.from(`small ${n}`));
  await of('runs/o/c').putTogether(many.map((one) => [one] as const));
  const before = calls.length;
  for (const one of many) expect(text(await of('runs/o/c').get(refOfBytes(one)))).toBe(one.toString());
  expect(calls.length - before).toBeLessThan(3);
});

test('an agent has the part of its root, and a self of its own that is the same in each run of the id', () => {
  const firstRunId = '0196a5c1-0000-7000-8000-00003fa9c1d2';
  const later = '0196a5c1-0000-7000-8000-0000ffff0000';
  const root = { namespace: 'default', workflowId: 'plan-1', firstRunId };
  const agent = { ...root, workflowId: 'plan-1.3fa9c1d2.r1.node_3' };
  expect(rootIdOf(agent)).toBe('plan-1');
  expect(runScope(agent)).toBe(runScope(root));
  expect(runScope({ ...root, firstRunId: later })).not.toBe(runScope(root));
  expect(runScope({ ...root, namespace: 'other' })).not.toBe(runScope(root));
  expect(selfIn(root)).toBe('root');
  expect(selfIn({ ...agent, workflowId: 'plan-1.ffff0000.r1.node_3', firstRunId: later })).toBe(selfIn(agent));
  // Ids are data, and so is what a stranger says is a chain.
  for (const workflowId of ['../../x', 'A', 'x'.repeat(1000)])
    expect(runScope({ ...root, workflowId, firstRunId: '../..' })).toMatch(/^runs\/[0-9a-f]{32}\/[0-9a-f]{32}$/);
});
