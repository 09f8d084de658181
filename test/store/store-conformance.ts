/** The duties of every store, whatever it keeps bytes in: many writers, processes that are killed or stopped, any order of calls. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { childrenOf, resultsIn, type Found, type Store } from '../../src/store/index.ts';
import { refOfBytes } from '../../src/store/owners.ts';
import { pouredAs, type Order, type Told } from './store-pairs.ts';
import { processOf } from '../support/processes.ts';
import type { StoreKind } from './stores.ts';

const SCRIPT = processOf('store/store-process');
const bytesOf = (content: string) => Buffer.from(content);
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const listed = async (keys: AsyncIterable<Found>) => {
  const list: Found[] = [];
  for await (const one of keys) list.push(one);
  return list;
};
const keysIn = async (keys: AsyncIterable<Found>) => (await listed(keys)).map(({ key }) => key).toSorted();

/** How much of what takes time is tried: processes that are killed, and orders of calls. */
export interface Thoroughness {
  readonly kills: readonly number[];
  readonly orders: number;
}
export const WHOLE: Thoroughness = { kills: [3, 60, 250], orders: 40 };
export const SHORT: Thoroughness = { kills: [60], orders: 8 };

/** A database, or a bucket, that begins beside everything else. */
const START_MS = 60_000;

/** @param missing why such a store cannot be had here; empty where it can */
export function conforms(
  title: string,
  start: () => Promise<StoreKind>,
  { kills, orders }: Thoroughness = SHORT,
  missing = '',
): void {
  let kind: StoreKind;
  beforeAll(async () => {
    if (missing === '') kind = await start();
  }, START_MS);
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    if (missing === '') await kind.close();
  });
  const open = (at: string) => kind.open(at);

  async function place(): Promise<string> {
    const made = await kind.make();
    onTestFinished(() => made.remove());
    return made.place;
  }

  async function hire(at: string): Promise<ChildProcess> {
    const child = fork(SCRIPT, { execArgv: [], env: { ...process.env, ...kind.env, PLACE: at } });
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await once(child, 'message');
    return child;
  }

  /** Pours until `most` are told, and gives all that were told until it ended. */
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
    test('gives back what was put, in another process too, and nothing where nothing was', async () => {
      const at = await place();
      const sizes = [0, 1, 65_537, 5_000_000];
      const store = open(at);
      for (const size of sizes) expect(await store.put(`runs/size/${size}`, Buffer.alloc(size, size % 251))).toBe(true);
      for (const one of [store, open(at)]) {
        for (const size of sizes) {
          const read = await one.get(`runs/size/${size}`);
          expect(refOfBytes(read!)).toBe(refOfBytes(Buffer.alloc(size, size % 251)));
        }
        expect(await one.get('runs/size')).toBeUndefined();
        expect(await one.get('runs/nothing/at/all')).toBeUndefined();
      }
      await store.probe?.();
    });

    test('a key that is taken stays as it is; of many processes that put one, one has it', async () => {
      const at = await place();
      const children = await Promise.all([hire(at), hire(at), hire(at)]);
      const keys = Array.from({ length: 40 }, (_, n) => `runs/race/${n}`);
      const free = await Promise.all(
        children.map(async (child, n) => {
          child.send({ put: keys, bytes: `of ${n}` } satisfies Order);
          const [told] = (await once(child, 'message')) as [Told];
          return 'free' in told ? told.free : [];
        }),
      );
      expect(free.flat().toSorted()).toEqual(keys.toSorted());
      const store = open(at);
      for (const [n, won] of free.entries())
        for (const key of won) {
          expect(await store.put(key, Buffer.from('later'))).toBe(false);
          expect(text(await store.get(key))).toBe(`of ${n}`);
        }
    });

    test.each(['../x', '/x', 'x/', 'A', 'x//y', 'x.y', '', 'x/..', '.unfinished/x'])('%o is no key', async (key) => {
      const store = open(await place());
      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(TypeError);
      await expect(store.get(key)).rejects.toThrow(TypeError);
    });

    test('lists by the beginning of keys, from a place on, and by what is right below', async () => {
      const at = await place();
      const store = open(at);
      const [a, b] = ['a'.repeat(32), 'b'.repeat(64)];
      const keys = [
        `runs/${a}/c1/x`,
        `runs/${a}/c1/y/z`,
        `runs/${a}/c1-2/x`,
        `runs/${a}/c2/x`,
        `runs/${b}/c1/x`,
        'other/x',
      ];
      for (const key of keys) await store.put(key, Buffer.from(key));
      const found = await listed(open(at).list(''));
      expect(found.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
      for (const { key, bytes, at: when } of found) {
        expect(bytes).toBe(key.length);
        expect(Math.abs(Date.now() - when)).toBeLessThan(60_000);
      }
      expect(await keysIn(store.list(`runs/${a}/c1/`))).toEqual(keys.slice(0, 2));
      expect(await keysIn(store.list('runs/nothing/'))).toEqual([]);
      const order = (await listed(store.list('runs/'))).map(({ key }) => key);
      for (const [n, key] of order.entries())
        expect((await listed(store.list('runs/', key))).map((one) => one.key)).toEqual(order.slice(n + 1));
      const children: string[] = [];
      for await (const name of childrenOf(store, `runs/${a}/`)) children.push(name);
      expect(children.toSorted()).toEqual(['c1', 'c1-2', 'c2']);
      await store.remove([keys[0]!, 'runs/nothing', keys[3]!]);
      expect(await keysIn(open(at).list('runs/'))).toEqual([keys[1]!, keys[2]!, keys[4]!].toSorted());
      expect(await store.put(keys[0]!, Buffer.from('again'))).toBe(true);
    });

    test('many thousand keys are listed, and gone when they are removed', async () => {
      const store = open(await place());
      const keys = Array.from({ length: 2500 }, (_, n) => `runs/many/${n % 7}/${n}`);
      for (let n = 0; n < keys.length; n += 100)
        await Promise.all(keys.slice(n, n + 100).map((key) => store.put(key, Buffer.from('x'))));
      expect(await keysIn(store.list('runs/many/'))).toEqual(keys.toSorted());
      await store.remove(keys);
      expect(await listed(store.list('runs/'))).toEqual([]);
    });

    test('has all that a killed process was told is stored', async () => {
      const at = await place();
      for (const [round, most] of kills.entries()) {
        const child = await hire(at);
        const marked = `round-${round}`;
        const told = await poured(child, { pour: 40, marked }, most, () => child.kill('SIGKILL'));
        if (child.signalCode === null) await once(child, 'exit');
        const store = open(at);
        for (const n of told)
          expect(text(await store.get(pouredAs(marked, n).key))).toBe(text(pouredAs(marked, n).bytes));
        for (const { key } of await listed(store.list(`runs/${marked}/`)))
          expect(text(await store.get(key))).toBe(text(pouredAs(marked, Number(key.split('/')[2])).bytes));
      }
    });

    test('goes on beside a process that is stopped while it writes', async () => {
      const at = await place();
      const child = await hire(at);
      await poured(child, { pour: 40, marked: 'stopped' }, 100, () => child.kill('SIGSTOP'));
      if (process.platform === 'linux') {
        while (!/\) T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8'))) await setImmediate();
      }
      const store = open(at);
      for (let n = 0; n < 20; n += 1) expect(await store.put(`runs/beside/${n}`, Buffer.from('x'))).toBe(true);
      expect((await keysIn(store.list('runs/beside/'))).length).toBe(20);
      child.kill('SIGCONT');
    });

    test('whatever the order of calls and whoever makes them, contents and entries are those that came first', async () => {
      const call = fc.record({
        is: fc.constantFrom('put', 'enter', 'together', 'at once', 'read', 'remove'),
        store: fc.nat(2),
        at: fc.nat(4),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
          const made = await kind.make();
          try {
            await holdsToOracle(calls, () => open(made.place));
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
  readonly is: string;
  readonly store: number;
  readonly at: number;
}

/** A part of a store against plain maps; each process has what the others have written when its call begins. */
async function holdsToOracle(calls: readonly Call[], open: () => Store): Promise<void> {
  const scope = 'runs/o/c';
  const all = [open(), open(), open()].map((store) => ({ store, results: resultsIn(store, scope) }));
  const contents = new Set<string>();
  const entries = new Map<string, string>();
  for (const { is, store: which, at } of calls) {
    const { results, store } = all[which]!;
    const [content, name, own] = [`content ${at}`, `done/${at}`, `entry ${at} of ${which}`];
    if (is === 'put') {
      expect(await results.put(Buffer.from(content))).toBe(refOfBytes(Buffer.from(content)));
      contents.add(content);
    } else if (is === 'enter') {
      const first = text(await results.enter(name, Buffer.from(own)))!;
      if (!entries.has(name)) entries.set(name, own);
      expect(first).toBe(entries.get(name));
    } else if (is === 'together') {
      const unique = `together ${at} of ${which}`;
      await results.putTogether([[Buffer.from(unique)], [Buffer.from(unique), `part/${at}-${which}`]]);
      contents.add(unique);
      entries.set(`part/${at}-${which}`, unique);
    } else if (is === 'at once') {
      const [entry = bytesOf(''), put] = await results.putAtOnce([[bytesOf(own), name], [bytesOf(content)]]);
      if (!entries.has(name)) entries.set(name, own);
      expect([text(entry), text(put)]).toEqual([entries.get(name), content]);
      contents.add(content);
    } else if (is === 'remove') await store.remove([`${scope}/nothing`]);
    for (const { results: other } of all) {
      for (const one of contents) expect(text(await other.get(refOfBytes(Buffer.from(one))))).toBe(one);
      for (const [one, value] of entries) expect(text(await other.entry(one))).toBe(value);
    }
  }
  const names = await all[0]!.results.names('part/');
  expect(names.toSorted()).toEqual([...entries.keys()].filter((one) => one.startsWith('part/')).toSorted());
  await expect(all[0]!.results.get(refOfBytes(Buffer.from('never')))).rejects.toMatchObject({ code: 'not-found' });
  expect(await all[0]!.results.entry('done/never')).toBeUndefined();
}
