/** A store with what runs have left in it, beside a server that a test tells what to know. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { collect, type CollectOptions } from '../../../src/operations/upkeep/collect/index.ts';
import { idempotencyKey, ownedBy, usedBy, namespaceName } from '../../../src/protocol/index.ts';
import { createFileStore, type StoreError, type OpenedStore } from '../../../src/store/index.ts';
import { claimName, keepFinished, notePlan } from '../../../src/activities/finished.ts';
import { FILES } from '../../store/stores.ts';
import { createFalseServer, type FalseServer } from './false-server.ts';

export let store: OpenedStore;
export let server: FalseServer;

/** An empty store and a server that knows nothing, before each test of a file. */
export function beginAnew(): void {
  beforeEach(async ({ onTestFinished }) => {
    const dir = await mkdtemp(join(tmpdir(), 'planwright-collect-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    store = createFileStore(dir);
    server = createFalseServer();
    await use('default');
  });
}

export async function use(namespace: string, id = `id of ${namespace}`) {
  await store.bind(namespaceName(id), await json(usedBy({ namespace, id })));
}
export const json = (value: object) => store.put(Buffer.from(JSON.stringify(value)));
export const put = (text: string) => store.put(Buffer.from(text));
export const age = () => FILES.age(store.place);
export const clear = (options: Partial<CollectOptions> = {}) =>
  collect(store, [server.place], { remove: true, ...options });
export const isThere = (ref: string) =>
  store.get(ref).then(
    () => true,
    (error: StoreError) => (error.code === 'not-found' ? false : Promise.reject(error)),
  );
export const chainOf = (workflowId: string) => `chain of ${workflowId}`;
export const placeOf = (workflowId: string, namespace = 'default') => ({
  namespace,
  workflowId,
  chain: chainOf(workflowId),
});
export const LONG_AGO = '2026-01-01T00:00:00.000Z';
export const finished = (ref: string, at = LONG_AGO) => ({
  handle: { ref, kind: 'text' as const, count: 1, bytes: 1 },
  executor: 'ids@1',
  retry: 0,
  at,
});
/** A run that has a plan, a result and a claim, as its worker leaves them. */
export async function leave(workflowId: string, at = LONG_AGO) {
  const place = placeOf(workflowId);
  const [plan, result] = [await put(`plan of ${workflowId}`), await put(`result of ${workflowId}`)];
  const claim = claimName(idempotencyKey(place, 'node'));
  await notePlan(store, place, plan);
  await keepFinished(store, place, 'node', finished(result, at));
  await store.bind(claim, await json({ effect: workflowId, ...ownedBy(place) }));
  return { plan, result, claim };
}
