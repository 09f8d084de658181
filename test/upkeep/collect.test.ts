/** What goes and what stays, whatever refers to it and whenever that comes; a server that a test tells what to know. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { collect, type CollectOptions } from '../../src/edge/upkeep/collect/index.ts';
import { ownedBy, usedBy, namespaceName } from '../../src/wire/contract/index.ts';
import { createFileStore, digestOfRef, StoreError, type OpenedStore } from '../../src/wire/results/index.ts';
import { refOfBytes } from '../../src/wire/results/refs.ts';
import {
  claimName,
  findFinished,
  heirName,
  keepFinished,
  notePlan,
  parentName,
  planOf,
} from '../../src/worker/activities/finished.ts';
import { takeOver } from '../../src/worker/activities/reuse.ts';
import { FILES } from '../results/stores.ts';
import { createFalseServer, type FalseServer } from './false-server.ts';

let store: OpenedStore;
let server: FalseServer;

beforeEach(async ({ onTestFinished }) => {
  const dir = await mkdtemp(join(tmpdir(), 'planwright-collect-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  store = createFileStore(dir);
  server = createFalseServer();
  await use('default');
});

async function use(namespace: string, id = `id of ${namespace}`) {
  await store.bind(namespaceName(id), await json(usedBy({ namespace, id })));
}
const json = (value: object) => store.put(Buffer.from(JSON.stringify(value)));
const put = (text: string) => store.put(Buffer.from(text));
const age = () => FILES.age(store.place);
const clear = (options: Partial<CollectOptions> = {}) => collect(store, [server.place], { remove: true, ...options });
const isThere = (ref: string) =>
  store.get(ref).then(
    () => true,
    (error: StoreError) => (error.code === 'not-found' ? false : Promise.reject(error)),
  );
const placeOf = (workflowId: string, namespace = 'default') => ({ namespace, workflowId });
const LONG_AGO = '2026-01-01T00:00:00.000Z';
const finished = (ref: string, at = LONG_AGO) => ({
  handle: { ref, kind: 'text' as const, count: 1, bytes: 1 },
  executor: 'ids@1',
  external: {},
  retry: 0,
  at,
});
/** A run that has a plan, a result and a claim, as its worker leaves them. */
async function leave(workflowId: string, at = LONG_AGO) {
  const place = placeOf(workflowId);
  const [plan, result] = [await put(`plan of ${workflowId}`), await put(`result of ${workflowId}`)];
  await notePlan(store, place, plan);
  await keepFinished(store, place, 'node', finished(result, at));
  await store.bind(
    claimName(`default/${workflowId}/node/0.0.0`),
    await json({ effect: workflowId, ...ownedBy(place) }),
  );
  return { plan, result, claim: claimName(`default/${workflowId}/node/0.0.0`) };
}

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
      await store.bind(parentName(placeOf(own)), await json({ run: old, ...ownedBy(placeOf(own)) }));
      await store.bind(heirName(placeOf(old)), await json({ run: own, ...ownedBy(placeOf(old)) }));
    };
    await link('second', 'first');
    await link('third', 'second');
    await age();
    server.runs.push({ workflowId: 'third', isOpen: true, said: [], children: ['child'] });
    await clear();
    for (const { plan, result } of Object.values(left))
      expect([await isThere(plan), await isThere(result)]).toEqual([true, true]);
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
    await clear({ deleted: true });
    expect(await isThere(result)).toBe(false);
  });
});

describe('while things change', () => {
  test.each([
    'describeNamespace',
    'listWorkflowExecutions',
    'describeWorkflowExecution',
    'getWorkflowExecutionHistory',
    'listSchedules',
  ])('a server that stops to answer at any %s ends it, and nothing is removed', async (call) => {
    await leave('gone');
    const garbage = await put('garbage');
    await age();
    server.runs.push({ workflowId: 'plan-1', isOpen: true, said: [] });
    for (let last = 1; ; last += 1) {
      let calls = 0;
      server.before = (one) => {
        if (one === call && ++calls >= last) throw Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
      };
      const ended = await clear().then(
        () => 'removed',
        (error: Error) => error.message,
      );
      if (ended === 'removed') {
        expect(last).toBeGreaterThan(1);
        return expect(await isThere(garbage)).toBe(false);
      }
      expect(ended).toMatch(/the server at 127.0.0.1:7233 does not say .*UNAVAILABLE.* Nothing was removed/);
      expect([await isThere(garbage), (await store.kept('nothing')).length]).toEqual([true, 0]);
      expect(await planOf(store, placeOf('gone'))).toBeDefined();
    }
  });

  test('a run that begins after the first look is seen by the second, and so is what an open one says meanwhile', async () => {
    const [one, other] = [await put('of the new run'), await put('said later')];
    await age();
    const said: unknown[] = [];
    server.runs.push({ workflowId: 'open', isOpen: true, said });
    let looks = 0;
    server.before = (call) => {
      if (call !== 'getWorkflowExecutionHistory' || ++looks > 1) return;
      server.runs.push({ workflowId: 'new', isOpen: true, said: [{ ref: one }] });
      queueMicrotask(() => said.push({ ref: other }));
    };
    await clear();
    expect([await isThere(one), await isThere(other)]).toEqual([true, true]);
  });

  test('a run that the server forgets while it is read is no error', async () => {
    await put('of today');
    server.runs.push({ workflowId: 'plan-1', said: [] });
    server.before = (call) => {
      if (call === 'getWorkflowExecutionHistory') server.runs.length = 0;
    };
    await clear();
  });

  test('what is put again in any moment stays', async () => {
    const refs = await Promise.all(Array.from({ length: 5 }, async (_, n) => put(`again ${n}`)));
    await leave('gone');
    await age();
    const again = createFileStore(store.place);
    const { remove } = store.inventory;
    let calls = 0;
    const racing = {
      ...store,
      inventory: {
        ...store.inventory,
        async remove(...given: Parameters<typeof remove>) {
          const n = calls++;
          await again.put(Buffer.from(`again ${n}`));
          const removed = await remove(...given);
          await again.put(Buffer.from(`again ${n + 1}`));
          return removed;
        },
      },
    };
    await collect(racing, [server.place], { remove: true });
    expect(calls).toBe(4);
    expect(await Promise.all(refs.map(isThere))).toEqual([true, true, true, true, true]);
  });

  test.each([0, 1, 2, 3])(
    'a run that goes on from one that is being taken away, at step %i, has all of it or is refused',
    async (step) => {
      const { result, claim } = await leave('old');
      await age();
      const { remove } = store.inventory;
      let calls = 0;
      let outcome = '';
      const hasFinished = async () => (await findFinished(store, placeOf('old'), 'node')) !== undefined;
      const goOn = async () => {
        const own = placeOf('new');
        try {
          await takeOver('old', own, store, () => Promise.resolve('unknown'));
          const [kept, claimed] = [await hasFinished(), await store.bound(claim)];
          // As reuseOf does: what is taken over is stored anew, and then the plan is looked for again.
          const bytes = await store.get(result).catch(() => undefined);
          if (bytes !== undefined) await store.put(bytes);
          outcome = (await planOf(store, placeOf('old'))) === undefined ? 'refused' : 'taken';
          if (outcome === 'taken')
            expect([kept, claimed === undefined, bytes === undefined]).toEqual([true, false, false]);
        } catch {
          outcome = 'refused';
        }
      };
      const racing = {
        ...store,
        inventory: {
          ...store.inventory,
          async remove(...given: Parameters<typeof remove>) {
            if (calls++ === step) await goOn();
            return remove(...given);
          },
        },
      };
      await collect(racing, [server.place], { remove: true });
      if (outcome === 'taken') {
        expect([await isThere(result), (await store.bound(claim)) !== undefined, await hasFinished()]).toEqual([
          true,
          true,
          true,
        ]);
      } else {
        expect(step).toBeGreaterThan(0);
        await expect(takeOver('old', placeOf('later'), store, () => Promise.resolve('unknown'))).rejects.toThrow(
          /there is no run "old"|has nothing of run/,
        );
      }
    },
  );
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
    expect(told).toMatchObject({ runs: 0, goneRuns: 1, removable: { kept: { count: 1 }, name: { count: 2 } } });
    expect(told.removable.object.count).toBe(5);
    expect(told.removed).toBeUndefined();
    expect(await clear({ remove: false })).toEqual(told);
  });
});
