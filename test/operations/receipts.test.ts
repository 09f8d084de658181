/** Receipts are read from the store alone: no server is there. */

import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import { openPlans, perform } from '../../src/operations/index.ts';
import { encryptedStore, createFileStore, putReceipt, receiptsIn, type Store } from '../../src/store/index.ts';
import { checkStore, copyItems } from '../../src/operations/upkeep/read-store.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { testFolder } from '../support/folders.ts';
import { CHAIN, DIGEST, IDENTITY, sealed, statementFor } from '../support/receipts.ts';

const DAY = 86_400_000;
const before = (days: number) => new Date(Date.now() - days * DAY).toISOString();

async function keep(store: Store, workflowId: string, at: string, text?: string): Promise<void> {
  const run = { namespace: 'default', workflowId, firstRunId: CHAIN };
  await putReceipt(store, run, at, Buffer.from(text ?? sealed(await statementFor({ workflowId, at }))));
}

let folder: string;
let dir: string;
beforeEach(() => {
  folder = testFolder('receipts');
  dir = join(folder, 'results');
  // Nobody answers there.
  vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:1');
  vi.stubEnv('TEMPORAL_NAMESPACE', 'default');
});

const plansHere = () => openPlans({ store: dir, project: { identity: IDENTITY } as never });

const list = (more: object = {}) => perform('decisions', plansHere(), { since: '60d', ...more });

test('many receipts are listed without a server, the newest first', async () => {
  const store = createFileStore(dir);
  const times = Array.from({ length: 120 }, (_, nth) => before(nth / 20));
  await Promise.all(times.map((at, nth) => keep(store, `plan-${nth}`, at)));
  const { decisions, problems } = await list();
  expect(problems).toEqual([]);
  expect(decisions.map(({ at }) => at)).toEqual(times.toReversed());
  expect(decisions.every(({ verified, by }) => verified && by === 'operator')).toBe(true);
});

test('by a time, a person and a plan', async () => {
  const store = createFileStore(dir);
  for (let day = 0; day < 10; day += 1) await keep(store, `plan-${day}`, before(day));
  expect((await list({ since: '5d' })).decisions.map(({ workflowId }) => workflowId)).toEqual(
    [4, 3, 2, 1, 0].map((day) => `plan-${day}`),
  );
  expect((await list({ by: 'deputy' })).decisions).toEqual([]);
  expect((await list({ digest: DIGEST.slice(0, 8) })).decisions).toHaveLength(10);
  expect((await list({ digest: 'abababab' })).decisions).toEqual([]);
  await expect(list({ since: 'often' })).rejects.toMatchObject({ code: 'USAGE' });
});

test('what does not hold is named, and nothing of it is listed', async () => {
  const store = createFileStore(dir);
  const at = before(1);
  await keep(store, 'plan-1', at);
  await keep(store, 'plan-2', at, 'garbage');
  await keep(
    store,
    'plan-3',
    at,
    sealed(await statementFor({ workflowId: 'plan-1', at })).replace('"sig":"', '"sig":"A'),
  );
  await keep(store, 'plan-4', at);
  const [damaged] = await receiptsIn(store, at, { namespace: 'default', workflowId: 'plan-4' });
  writeFileSync(join(dir, damaged!.key), 'damaged');
  const { decisions, problems } = await list();
  expect(decisions.map(({ workflowId }) => workflowId)).toEqual(['plan-1']);
  expect(problems).toHaveLength(3);
});

test('the last receipt of a run is printed, and of an earlier run of its id the one that is named', async () => {
  const store = createFileStore(dir);
  const [old, later, other] = [before(3), before(2), before(1)];
  await keep(store, 'plan-1', old);
  await keep(store, 'plan-1', later);
  await keep(store, 'plan-10', other);
  const endOf = async (name: string) => {
    const found = (await perform('receipt', plansHere(), { workflowId: name })) as { readonly payload: string };
    return (JSON.parse(Buffer.from(found.payload, 'base64').toString()) as Awaited<ReturnType<typeof statementFor>>)
      .predicate.end?.at;
  };
  expect(await endOf('plan-1')).toBe(later);
  expect(await endOf(`plan-1@${CHAIN.slice(-8)}`)).toBe(later);
  expect(await endOf('plan-10')).toBe(other);
  const another = { namespace: 'default', workflowId: 'plan-10', firstRunId: 'another-1a2b3c4d' };
  const { predicate, ...types } = await statementFor({ workflowId: 'plan-10', at: other });
  const later10 = { ...types, predicate: { ...predicate, run: { ...predicate.run, firstRunId: another.firstRunId } } };
  await putReceipt(store, another, '2999-01-01T00:00:00.000Z', Buffer.from(sealed(later10)));
  await expect(endOf('plan-10')).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('@1a2b3c4d'),
  });
  expect(await endOf(`plan-10@${CHAIN.slice(-8)}`)).toBe(other);
  // Any other run has to be asked.
  await expect(endOf('plan-1@00000000')).rejects.toMatchObject({ code: 'no-server' });
});

test('a copy has them, encrypted too, and the check of a store reads them', async () => {
  const store = createFileStore(dir);
  await keep(store, 'plan-1', before(1));
  const keys = { keys: { a: Buffer.alloc(32, 1).toString('base64') }, current: 'a' };
  const copy = encryptedStore(createMemoryStore().store, keys);
  expect(await copyItems(store, copy)).toMatchObject({ problems: [], amounts: { other: { count: 1 } } });
  expect(await checkStore(copy)).toMatchObject({ problems: [] });
  expect(await receiptsIn(copy, '')).toEqual(await receiptsIn(store, ''));
});

test('what is verified, and what it does not prove', async () => {
  const verify = (document: string, keys: object = IDENTITY) =>
    perform('verify', openPlans({ readsConfig: false }), {
      receipt: { document: Buffer.from(document) },
      keys: keys as never,
    });
  const statement = await statementFor();
  const found = await verify(sealed(statement));
  expect(found).toMatchObject({
    ...{ valid: true, problems: [], digest: DIGEST, done: ['1 of 1 at-most-once'] },
    decisions: [{ by: 'operator', kind: 'approve', verified: true }],
  });
  expect(found.decisions?.[0]).not.toHaveProperty('token');
  expect(found.notProved).toHaveLength(5);
  // The record of another node with the same result proves nothing about this one.
  const records = [{ ...statement.predicate.records[0]!, binding: 'b2' }];
  const less = { ...statement.predicate, records, dropped: 2 } as never;
  const { notProved } = await verify(sealed({ ...statement, predicate: less }));
  expect(notProved.join('\n')).toMatch(/messages said that the run has dropped.*no worker has a record/s);
  await expect(verify(sealed(statement), { keys: {} })).rejects.toThrow(/identity.keys/);
});
