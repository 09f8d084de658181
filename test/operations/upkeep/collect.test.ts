/** What goes and what stays, whatever refers to it, and who may ask for it. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/operations/upkeep/collect/index.ts';
import { ownedBy } from '../../../src/protocol/index.ts';
import { digestOfRef } from '../../../src/store/index.ts';
import { refOfBytes } from '../../../src/store/refs.ts';
import { heirName, keepFinished, linkTo, parentName, planOf } from '../../../src/activities/finished.ts';
import { createFalseServer } from './false-server.ts';
import {
  age,
  beginAnew,
  clear,
  finished,
  isThere,
  json,
  leave,
  LONG_AGO,
  placeOf,
  put,
  server,
  store,
  use,
} from './leftovers.ts';

beginAnew();

describe('a reference', () => {
  const ref = refOfBytes(Buffer.from('what is referred to'));
  const digest = digestOfRef(ref);
  test.each<[where: string, said: unknown]>([
    ['a handle', { handle: { ref, kind: 'value', count: 1, bytes: 2 } }],
    ['a digest', { status: { digest } }],
    ['a digest in capitals', { digest: digest.toUpperCase() }],
    ['a sentence', `the file of ${ref}, and no other`],
    ['JSON in JSON in JSON', { text: JSON.stringify({ text: JSON.stringify({ ref }) }) }],
    ['the middle of a word', `result_${ref}-and-more`],
    ['the middle of a word of digits', `${digest}${digest}`],
    ['an event among others', { pages: ['x'.repeat(43), ref, 'y'.repeat(64)] }],
  ])('in %s is found', async (_where, said) => {
    await put('what is referred to');
    await age();
    server.runs.push({ workflowId: 'plan-1', said: ['before', said, 'behind'] });
    await clear();
    expect(await isThere(ref)).toBe(true);
    server.runs.length = 0;
    await clear();
    expect(await isThere(ref)).toBe(false);
  });

  test('behind others is followed, however many there are and wherever their text was cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 3 }), async (cut, depth) => {
        let last = await put(`end ${cut}`);
        for (let level = 0; level < depth; level += 1) {
          const text = JSON.stringify({ before: 'é'.repeat(cut % 90), notes: last, behind: 'x'.repeat(50) });
          const bytes = Buffer.from(text);
          const at = Math.min(cut, bytes.length - 1);
          const pages = [await store.put(bytes.subarray(0, at)), await store.put(bytes.subarray(at))];
          last = await json({ pages });
        }
        await age();
        server.runs.splice(0, 1, { workflowId: 'plan-1', said: [{ ref: last }] });
        await clear();
        expect(await isThere(refOfBytes(Buffer.from(`end ${cut}`)))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('to a set ends there: its ids are no references, and it is not read', async () => {
    const inside = await put('named by an id');
    const set = await json({ format: 'planwright-result/1', kind: 'set', ids: [inside] });
    await age();
    const read: string[] = [];
    const watched = { ...store, get: async (one: string) => (read.push(one), store.get(one)) };
    server.runs.push({ workflowId: 'plan-1', said: [{ ref: set, kind: 'set', count: 1, bytes: 9 }] });
    await collect(watched, [server.place], { remove: true });
    expect(await isThere(set)).toBe(true);
    expect(await isThere(inside)).toBe(false);
    expect(read).not.toContain(set);
  });

  test('of a schedule counts', async () => {
    const document = await put('a document');
    await age();
    server.schedules.push({ ref: document });
    await clear();
    expect(await isThere(document)).toBe(true);
  });

  test('in a payload that a codec has encoded is found with it, and without it nothing is removed', async () => {
    const [kept, garbage] = [await put('kept'), await put('garbage')];
    await age();
    server.encoding = 'binary/encrypted';
    server.runs.push({ workflowId: 'plan-1', said: [Buffer.from(JSON.stringify({ ref: kept })).toString('base64')] });
    await expect(clear()).rejects.toThrow(
      /a payload in the encoding "binary\/encrypted", which cannot be read here.*Nothing was removed/,
    );
    expect(await isThere(garbage)).toBe(true);
    const plain = { encoding: Buffer.from('json/plain') };
    server.codecs = [
      {
        encode: (payloads) => Promise.resolve(payloads),
        decode: (payloads) =>
          Promise.resolve(
            payloads.map(({ data }) => ({
              metadata: plain,
              data: Buffer.from(Buffer.from(data ?? []).toString(), 'base64'),
            })),
          ),
      },
    ];
    await clear();
    expect([await isThere(kept), await isThere(garbage)]).toEqual([true, false]);
  });

  test('in a history whose events are too large to come together is found', async () => {
    const kept = await put('kept');
    await age();
    server.runs.push({ workflowId: 'plan-1', said: ['too large together', { ref: kept }] });
    await clear();
    expect(await isThere(kept)).toBe(true);
  });
});

describe('the things of a run', () => {
  test('stay while it is known, closed or open, listed or not, and go with it', async () => {
    const left = {
      closed: await leave('closed'),
      open: await leave('open'),
      hidden: await leave('hidden'),
      gone: await leave('gone'),
    };
    await age();
    server.runs.push(
      { workflowId: 'closed', said: [] },
      { workflowId: 'open', isOpen: true, said: [] },
      { workflowId: 'hidden', isUnlisted: true, said: [] },
    );
    const { goneRuns } = await clear();
    expect(goneRuns).toBe(1);
    for (const [name, { plan, result, claim }] of Object.entries(left)) {
      const stays = name !== 'gone';
      expect([name, await isThere(plan), await isThere(result), (await store.bound(claim)) !== undefined]).toEqual([
        name,
        stays,
        stays,
        stays,
      ]);
      expect([name, await planOf(store, placeOf(name))]).toEqual([name, stays ? plan : undefined]);
    }
  });

  test('stay while a run that went on from it is known, or one that had it as an agent', async () => {
    const left = { first: await leave('first'), second: await leave('second'), child: await leave('child') };
    const link = async (own: string, old: string) => {
      await store.bind(parentName(placeOf(own)), await json({ ...linkTo(placeOf(old)), ...ownedBy(placeOf(own)) }));
      await store.bind(heirName(placeOf(old)), await json({ ...linkTo(placeOf(own)), ...ownedBy(placeOf(old)) }));
    };
    await link('second', 'first');
    await link('third', 'second');
    await age();
    server.runs.push({ workflowId: 'third', isOpen: true, said: [], children: ['child'] });
    await clear();
    for (const { plan, result } of Object.values(left))
      expect([await isThere(plan), await isThere(result)]).toEqual([true, true]);
  });

  test('of many nodes go together, with the segment in which they stand', async () => {
    const crowd = Array.from({ length: 12_000 }, (_, n) => Buffer.from(`object ${n}`));
    const done = (n: number) =>
      Buffer.from(JSON.stringify({ ...finished(refOfBytes(crowd[n]!)), ...ownedBy(placeOf('gone')) }));
    await Promise.all(crowd.flatMap((one, n) => [store.put(one), store.keep(`done/${n}`, done(n))]));
    await age();
    expect((await clear()).removed?.count).toBe(24_000);
    for (const n of [0, 6000, 11_999])
      expect([await isThere(refOfBytes(crowd[n]!)), await store.kept(`done/${n}`)]).toEqual([false, []]);
  });

  test('stay for a day', async () => {
    await leave('old');
    await age();
    const { result } = await leave('young');
    await clear();
    expect(await isThere(result)).toBe(true);
    expect(await isThere(refOfBytes(Buffer.from('result of old')))).toBe(false);
  });

  test('and what somebody has stored in the last day refers to stay', async () => {
    const [old, garbage] = [await put('an old page'), await put('an old page that nobody needs')];
    await age();
    await json({ pages: [old] });
    await clear();
    expect([await isThere(old), await isThere(garbage)]).toEqual([true, false]);
  });

  test('of which nobody says whose they are stay, and those that are damaged', async () => {
    const [target, result] = [await put('target'), await put('result')];
    await store.bind('a name of an earlier version', await json({ ref: target }));
    await store.keep('done/earlier', Buffer.from(JSON.stringify(finished(result))));
    const damaged = await json({ ...ownedBy(placeOf('gone')) });
    await store.bind('damaged', damaged);
    await age();
    await writeFile(join(store.place, 'objects', damaged.slice(0, 2), damaged), 'damaged');
    await age();
    await clear();
    expect([await isThere(target), await isThere(result)]).toEqual([true, true]);
    expect(await store.bound('damaged')).toBe(damaged);
    expect(await store.kept('done/earlier')).toHaveLength(1);
  });

  test('that finished within the retention stay: a server that was restored knows too little', async () => {
    const { result } = await leave('lost', new Date().toISOString());
    await leave('old');
    await age();
    await expect(clear()).rejects.toThrow(
      /nodes of lost have finished within the retention .* restored from an earlier backup/,
    );
    expect(await isThere(refOfBytes(Buffer.from('result of old')))).toBe(true);
    for (let n = 2; n <= 6; n += 1) await leave(`lost ${n}`, new Date().toISOString());
    await age();
    await expect(clear()).rejects.toThrow(/^nodes of (?:lost[ \d]*, ){4}lost[ \d]* and 1 more have finished/);
    await clear({ deleted: true });
    expect(await isThere(result)).toBe(false);
  });
});

describe('who may', () => {
  test('only those who ask every namespace that uses the store', async () => {
    const garbage = await put('garbage');
    await use('plans');
    await age();
    await expect(clear()).rejects.toThrow(
      /other namespaces use this store too: "plans" \(id of plans\). Give --also PROFILE/,
    );
    const plans = createFalseServer('plans');
    const impostor = createFalseServer('plans', 'another id');
    await expect(collect(store, [server.place, impostor.place], { remove: true })).rejects.toThrow(
      /no worker of namespace plans on/,
    );
    expect(await isThere(garbage)).toBe(true);
    await collect(store, [server.place, plans.place], { remove: true });
    expect(await isThere(garbage)).toBe(false);
    await put('garbage');
    await age();
    await clear({ gone: ['id of plans'] });
    expect(await isThere(garbage)).toBe(false);
  });

  test('nobody whose namespace no worker has noted, also where a run says it', async () => {
    await keepFinished(store, placeOf('plan-1', 'elsewhere'), 'node', finished(await put('x')));
    await age();
    await expect(clear()).rejects.toThrow(/"plan-1" is a run of namespace "elsewhere", which nobody has noted/);
  });

  test('one at a time; one that was killed holds up nobody here', async () => {
    const key = refOfBytes(Buffer.from('store-gc'));
    const held = (pid: number, host: string, at = new Date().toISOString()) =>
      json({ clearedBy: { host, pid, at } }).then((ref) => store.inventory.bindAt(key, ref));
    await held(process.pid, 'elsewhere');
    await expect(clear()).rejects.toThrow(/is being cleared by process \d+ on elsewhere since .*; nothing was removed/);
    const free = async () => {
      const value = (await store.inventory.nameAt(key)) ?? '';
      await store.inventory.remove([{ kind: 'name', key, value, bytes: 0, usedAt: 0, at: '' }], Date.now() + 1e9);
    };
    await free();
    const { hostname } = await import('node:os');
    await held(2 ** 22, hostname());
    await clear();
    await held(process.pid, 'elsewhere', LONG_AGO);
    await clear();
    expect(await store.inventory.nameAt(key)).toBeUndefined();
    server.before = () => {
      throw Object.assign(new Error('away'), { code: 14 });
    };
    await expect(clear()).rejects.toThrow('Nothing was removed');
    expect(await store.inventory.nameAt(key)).toBeUndefined();
  });

  test('a dry run takes nothing away, and tells what would go', async () => {
    await leave('gone');
    await put('garbage');
    await age();
    const told = await clear({ remove: false });
    expect(told).toMatchObject({ runs: 0, goneRuns: 1, removable: { kept: { count: 2 }, name: { count: 2 } } });
    expect(told.removable.object.count).toBe(5);
    expect(told.removed).toBeUndefined();
    expect(await clear({ remove: false })).toEqual(told);
  });
});
