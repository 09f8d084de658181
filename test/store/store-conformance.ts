/** The duties of every result store, whatever it keeps results in: many writers, processes that are killed or stopped, any order of calls. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StoreError, type ResultStore } from '../../src/store/index.ts';
import type { Item } from '../../src/store/inventory.ts';
import { keyOf } from '../../src/store/grouped-store.ts';
import { refOfBytes } from '../../src/store/refs.ts';
import { pairOf, type Order, type Told } from './store-pairs.ts';
import type { StoreKind } from './stores.ts';

const SCRIPT = fileURLToPath(new URL('store-process.ts', import.meta.url));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const texts = async (store: ResultStore, name: string) => (await store.kept(name)).map(text).toSorted();

const HOUR_MS = 3_600_000;
const numbers = (many: number) => Array.from({ length: many }, (_, n) => n);
const thing = (n: number) => Buffer.from(`thing ${n} `.repeat(1 + (n % 9)));
const listed = async (items: AsyncIterable<Item>) => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};
/** How much of what takes time is tried: processes that are killed, orders of calls, and rounds of taking away. */
export interface Thoroughness {
  readonly kills: readonly number[];
  readonly orders: number;
  readonly rounds: number;
}
export const WHOLE: Thoroughness = { kills: [3, 60, 250], orders: 40, rounds: 5 };
export const SHORT: Thoroughness = { kills: [60], orders: 4, rounds: 1 };

/** @param missing why such a store cannot be had here; empty where it can */
export function conforms(
  title: string,
  start: () => Promise<StoreKind>,
  { kills, orders, rounds }: Thoroughness,
  missing = '',
): void {
  let kind: StoreKind;
  beforeAll(async () => {
    if (missing === '') kind = await start();
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    if (missing === '') await kind.close();
  });
  const make = () => kind.make();
  const open = (at: string) => kind.open(at);

  async function place(): Promise<string> {
    const made = await make();
    onTestFinished(() => made.remove());
    return made.place;
  }

  async function hire(at: string): Promise<ChildProcess> {
    const child = fork(SCRIPT, { execArgv: ['--import', 'tsx'], env: { ...process.env, ...kind.env, PLACE: at } });
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await once(child, 'message');
    return child;
  }

  const order = async (child: ChildProcess, what: Order): Promise<readonly string[]> => {
    child.send(what);
    const [told] = (await once(child, 'message')) as [Told];
    return 'bound' in told ? told.bound : [];
  };

  /** Pours until `most` pairs are told, and gives all that were told until it ended. */
  async function poured(child: ChildProcess, what: Order & { pour: number }, most: number, end: () => void) {
    const told: number[] = [];
    const isOver = new Promise<void>((resolve) => {
      child.on('message', (one: Told) => {
        if ('poured' in one && told.push(one.poured) === most) resolve();
      });
    });
    child.send(what);
    await isOver;
    end();
    return told;
  }

  describe(`a store of ${title}`, () => {
    test('gives back what it was given, alone and in a crowd, in another process too', async () => {
      const at = await place();
      const [store, other] = [open(at), open(at)];
      const sizes = [0, 1, 4043, 4044, 4045, 65_536, 65_537, 1_000_000];
      const crowd = [...sizes, ...Array.from({ length: 30 }, (_, n) => n + 2)].map((size) =>
        Buffer.alloc(size, size % 251),
      );
      const refs = [await store.put(crowd[3]!), ...(await Promise.all(crowd.map((bytes) => store.put(bytes))))];
      expect(refs).toEqual([crowd[3]!, ...crowd].map(refOfBytes));
      for (const one of [store, other, open(at)]) {
        const read = await Promise.all(refs.map((ref) => one.get(ref)));
        expect(read.map(refOfBytes)).toEqual(refs);
      }
    });

    test('has an object for its own process as soon as it is put, and for none where there is none', async () => {
      const store = open(await place());
      const bytes = Buffer.from('at once');
      const stored = store.put(bytes);
      expect(text(await store.get(refOfBytes(bytes)))).toBe('at once');
      await stored;
      await expect(store.get(refOfBytes(Buffer.from('never')))).rejects.toMatchObject({ code: 'not-found' });
      expect(await store.kept('never')).toEqual([]);
    });

    test('keeps what it was given when that is changed afterwards', async () => {
      const store = open(await place());
      const bytes = Buffer.from('before');
      const [stored, kept] = [store.put(bytes), store.keep('name', bytes)];
      bytes.write('behind');
      await Promise.all([kept, stored]);
      expect(text(await store.get(await stored))).toBe('before');
      expect(await texts(store, 'name')).toEqual(['before']);
    });

    test('keeps every value under a name, and equal ones once', async () => {
      const at = await place();
      const stores = [open(at), open(at)];
      for (const store of stores) await store.keep('one', Buffer.from('same'));
      await Promise.all(
        stores.flatMap((store, n) => Array.from({ length: 10 }, () => store.keep('one', Buffer.from(`of ${n}`)))),
      );
      await stores[0]!.keep('other', Buffer.alloc(100_000, 'x'));
      for (const store of [...stores, open(at)]) {
        expect(await texts(store, 'one')).toEqual(['of 0', 'of 1', 'same']);
        expect((await texts(store, 'other')).map(({ length }) => length)).toEqual([100_000]);
      }
    });

    test('reads at most 100 values of a name', async () => {
      const store = open(await place());
      const values = Array.from({ length: 100 + 1 }, (_, n) => `value ${n}`);
      await Promise.all(values.map((value) => store.keep('name', Buffer.from(value))));
      expect(await texts(store, 'name')).toHaveLength(100);
    });

    test('lets one of many processes have a name, and all values be kept under one', async () => {
      const at = await place();
      const children = await Promise.all([hire(at), hire(at), hire(at)]);
      const names = Array.from({ length: 60 }, (_, n) => `race ${n}`);
      const own = children.map((_, n) => refOfBytes(Buffer.from(`racer ${n}`)));
      const bound = await Promise.all(children.map((child, n) => order(child, { bind: names, to: own[n]! })));
      expect(bound[1]).toEqual(bound[0]);
      expect(bound[2]).toEqual(bound[0]);
      expect(own).toEqual(expect.arrayContaining([...new Set(bound[0])]));
      const valuesOf = (n: number) => ['shared', ...Array.from({ length: 20 }, (_, value) => `${n} ${value}`)];
      await Promise.all(children.map((child, n) => order(child, { keep: 'name', values: valuesOf(n) })));
      const all = children.flatMap((_, n) => valuesOf(n));
      expect(await texts(open(at), 'name')).toEqual([...new Set(all)].toSorted());
    });

    test.each(kills.length === 1 ? [40] : [1, 40])(
      'has all that a killed process was told is stored, %i at a time',
      async (atOnce) => {
        const at = await place();
        for (const [round, most] of kills.entries()) {
          const child = await hire(at);
          const marked = `round ${round}`;
          const told = await poured(child, { pour: atOnce, marked }, most, () => child.kill('SIGKILL'));
          if (child.signalCode === null) await once(child, 'exit');
          const store = open(at);
          for (const n of told) {
            const { bytes, name, value } = pairOf(marked, n);
            expect(text(await store.get(refOfBytes(bytes)))).toBe(text(bytes));
            expect(await texts(store, name)).toEqual([text(value)]);
          }
        }
      },
    );

    test('goes on beside a process that is stopped inside a commit', async () => {
      const at = await place();
      const child = await hire(at);
      await poured(child, { pour: 40, marked: 'stopped' }, 100, () => child.kill('SIGSTOP'));
      if (process.platform === 'linux') {
        while (!/\) T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8'))) await setImmediate();
      }
      const store = open(at);
      const pairs = Array.from({ length: 50 }, (_, n) => pairOf('beside', n));
      await Promise.all(
        pairs.map(({ bytes, name, value }) => Promise.all([store.put(bytes), store.keep(name, value)])),
      );
      const ref = await store.put(Buffer.from('alone'));
      expect(await store.bind('name', ref)).toBe(ref);
      for (const { bytes, name, value } of [pairOf('stopped', 0), ...pairs]) {
        expect(text(await open(at).get(refOfBytes(bytes)))).toBe(text(bytes));
        expect(await texts(store, name)).toEqual([text(value)]);
      }
      child.kill('SIGCONT');
    });

    test('lists what it has, by keys', async () => {
      const at = await place();
      const store = open(at);
      const crowd = numbers(20).map((n) => Buffer.from(`listed ${n}`));
      const refs = await Promise.all([...crowd, Buffer.alloc(100_000, 'x')].map((bytes) => store.put(bytes)));
      await Promise.all(numbers(12).map((n) => store.keep(`name ${n % 6}`, crowd[n]!)));
      await store.bind('name', refs[0]!);
      const { items, nameAt, keptAt } = open(at).inventory;
      const found = await listed(items());
      const keysOf = (which: string) => found.filter((one) => one.kind === which).map(({ key }) => key);
      expect(keysOf('object')).toEqual(expect.arrayContaining(refs));
      expect(await nameAt(keyOf('name'))).toBe(refs[0]);
      expect(keysOf('name')).toEqual([keyOf('name')]);
      expect(keysOf('kept').toSorted()).toEqual(
        numbers(12)
          .map((n) => keyOf(`name ${n % 6}`))
          .toSorted(),
      );
      const values = found.filter(({ key }) => key === keyOf('name 3')).map(({ value }) => value);
      expect(values.toSorted()).toEqual([crowd[3]!, crowd[9]!].map(refOfBytes).toSorted());
      expect((await keptAt(keyOf('name 3'))).map(text).toSorted()).toEqual(['listed 3', 'listed 9']);
      const now = Date.now();
      for (const { usedAt } of found) expect(Math.abs(now - usedAt)).toBeLessThan(HOUR_MS);
      expect(found.find(({ key }) => key === refs.at(-1))?.bytes).toBe(100_000);
    });

    test('takes away what is old, and nothing that was stored since', async () => {
      const at = await place();
      const store = open(at);
      const write = (from: number, by = store) =>
        Promise.all(
          numbers(10).flatMap((n) => [by.put(thing(from + n)), by.keep(`kept ${from + n}`, thing(from + n))]),
        );
      await write(0);
      await store.put(thing(20));
      await store.bind('bound', refOfBytes(thing(20)));
      const before = await kind.age(at);
      const other = open(at);
      const found = await listed(other.inventory.items());
      await write(10, other);
      await other.put(thing(3));
      await other.put(thing(20));
      const names = found.map((one) => (one.kind === 'name' ? { ...one, value: refOfBytes(thing(20)) } : one));
      const wrong = names.filter((one) => one.kind === 'name').map((one) => ({ ...one, value: refOfBytes(thing(1)) }));
      expect(await other.inventory.remove(wrong, before)).toEqual({ count: 0, bytes: 0 });
      const { count } = await other.inventory.remove(names, before);
      expect(count).toBeGreaterThan(0);
      for (const by of [store, other, open(at)]) {
        for (const n of [3, 20, ...numbers(10).map((one) => 10 + one)]) {
          expect(text(await by.get(refOfBytes(thing(n))))).toBe(text(thing(n)));
        }
        for (const n of [0, 5]) await expect(by.get(refOfBytes(thing(n)))).rejects.toMatchObject({ code: 'not-found' });
        expect(await texts(by, 'kept 0')).toEqual([]);
        expect(await texts(by, 'kept 12')).toEqual([text(thing(12))]);
        expect(await by.bound('bound')).toBeUndefined();
      }
    });

    test('has what was put while it was taken away', async () => {
      const at = await place();
      const writer = open(at);
      const things = numbers(60).map(thing);
      for (let round = 0; round < rounds; round += 1) {
        // By themselves, and together.
        for (const bytes of things.slice(0, 30)) await writer.put(bytes);
        await Promise.all(things.slice(30).map((bytes) => writer.put(bytes)));
        const before = await kind.age(at);
        const [remover, other] = [open(at), open(at)];
        const found = await listed(remover.inventory.items());
        const removing = remover.inventory.remove(found, before);
        const put = async (bytes: Buffer) => text(await open(at).get(await other.put(bytes)));
        const seen = await Promise.all(things.map(async (bytes, n) => (n % 2 === 0 ? put(bytes) : undefined)));
        await removing;
        for (const [n, bytes] of things.entries()) {
          if (n % 2 !== 0) continue;
          expect(seen[n]).toBe(text(bytes));
          expect(text(await open(at).get(refOfBytes(bytes)))).toBe(text(bytes));
        }
      }
    });

    test('whatever the order of calls and whoever makes them, each reads what was written before', async () => {
      const which = { store: fc.nat(2), at: fc.nat(5) };
      const call = fc.oneof(
        fc.record({ call: fc.constant('put' as const), ...which, many: fc.constantFrom(1, 3, 12) }),
        fc.record({ call: fc.constant('keep' as const), ...which, many: fc.constantFrom(1, 3, 12) }),
        fc.record({ call: fc.constantFrom('bind', 'get', 'kept', 'turn'), ...which }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
          const made = await make();
          try {
            await holdsToOracle(
              calls,
              Array.from({ length: 3 }, () => open(made.place)),
            );
          } finally {
            await made.remove();
          }
        }),
        { numRuns: orders },
      );
    });
  });
}

interface Call {
  readonly call: string;
  readonly store: number;
  readonly at: number;
  readonly many?: number;
}

/** A write is begun and left to go on; what it says counts from when it has resolved, and may be there from when it began. */
async function holdsToOracle(calls: readonly Call[], stores: readonly ResultStore[]): Promise<void> {
  const begun = { objects: new Set<string>(), kept: new Map<string, Set<string>>() };
  const done = { objects: new Set<string>(), kept: new Map<string, Set<string>>(), names: new Map<string, string>() };
  const under: Promise<unknown>[] = [];
  const add = (to: Map<string, Set<string>>, name: string, value: string) =>
    to.set(name, (to.get(name) ?? new Set()).add(value));

  const carryOut = async ({ call, store: which, at, many = 1 }: Call): Promise<void> => {
    const store = stores[which]!;
    const name = `name ${at}`;
    if (call === 'turn') return setImmediate();
    if (call === 'put') {
      for (let n = 0; n < many; n += 1) {
        const said = `object ${at} ${n}`;
        begun.objects.add(said);
        under.push(store.put(Buffer.from(said)).then(() => done.objects.add(said)));
      }
    } else if (call === 'keep') {
      for (let n = 0; n < many; n += 1) {
        const said = `value ${which} ${n}`;
        add(begun.kept, name, said);
        under.push(store.keep(name, Buffer.from(said)).then(() => add(done.kept, name, said)));
      }
    } else if (call === 'bind') {
      const own = refOfBytes(Buffer.from(`${which}`));
      const before = done.names.get(name);
      const bound = await store.bind(name, own);
      expect(bound).toBe(before ?? bound);
      done.names.set(name, bound);
      for (const one of stores) expect(await one.bound(name)).toBe(bound);
    } else if (call === 'get') {
      const said = `object ${at} 0`;
      const [isDone, mayBe] = [done.objects.has(said), begun.objects.has(said)];
      const got = await store.get(refOfBytes(Buffer.from(said))).then(text, (error: unknown) => {
        if (error instanceof StoreError && error.code === 'not-found') return undefined;
        throw error;
      });
      if (isDone || got !== undefined) expect(got).toBe(said);
      if (!mayBe) expect(got).toBeUndefined();
    } else {
      const must = [...(done.kept.get(name) ?? [])];
      const got = await texts(store, name);
      expect(got).toEqual(expect.arrayContaining(must));
      expect([...(begun.kept.get(name) ?? [])]).toEqual(expect.arrayContaining(got));
      expect(new Set(got).size).toBe(got.length);
    }
  };

  for (const one of calls) await carryOut(one);
  await Promise.all(under);
  for (const store of stores) {
    for (const said of done.objects) expect(text(await store.get(refOfBytes(Buffer.from(said))))).toBe(said);
    for (const [name, values] of done.kept) expect(await texts(store, name)).toEqual([...values].toSorted());
  }
}
