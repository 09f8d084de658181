/** One at a time clears a store: a name that only it takes away cannot have been bound anew in between. */

import { hostname } from 'node:os';
import { isAlive } from '../../../client/reach/pollers.ts';
import { isRecord } from '../../../protocol/index.ts';
import { jsonIn } from '../../../plan/text/index.ts';
import { refOfBytes, type OpenedStore } from '../../../store/index.ts';

const KEY = refOfBytes(Buffer.from('store-gc'));
/** Nobody clears a store for longer. */
const STALE_MS = 86_400_000;

/** Somebody else clears the store. */
export class StoreHeld extends Error {
  override readonly name = 'StoreHeld';
}

/**
 * Does the work while nobody else clears the store.
 * @throws StoreHeld
 */
export async function alone<T>(store: OpenedStore, work: () => Promise<T>): Promise<T> {
  const own = { clearedBy: { host: hostname(), pid: process.pid, at: new Date().toISOString() } };
  const ref = await store.put(Buffer.from(JSON.stringify(own), 'utf8'));
  let bound = await store.inventory.bindAt(KEY, ref);
  if (bound !== ref) {
    const holder = jsonIn(await store.get(bound).catch(() => new Uint8Array()));
    if (!isOver(holder)) throw new StoreHeld(`${store.place} is being cleared ${inWords(holder)}; nothing was removed`);
    await release(store, bound);
    bound = await store.inventory.bindAt(KEY, ref);
    if (bound !== ref) throw new StoreHeld(`somebody else began to clear ${store.place}; nothing was removed`);
  }
  try {
    return await work();
  } finally {
    await release(store, ref);
  }
}

async function release({ inventory }: OpenedStore, value: string): Promise<void> {
  const item = { kind: 'name', key: KEY, value, bytes: 0, usedAt: 0, at: '' } as const;
  await inventory.remove([item], Date.now() + STALE_MS);
}

function isOver(holder: unknown): boolean {
  const { host, pid, at } = holderIn(holder);
  if (!(Date.now() - Date.parse(String(at)) < STALE_MS)) return true;
  return host === hostname() && typeof pid === 'number' && !isAlive(pid);
}

function inWords(holder: unknown): string {
  const { host, pid, at } = holderIn(holder);
  return `by process ${String(pid)} on ${String(host)} since ${String(at)}. If it is gone, type this again there, or in a day`;
}

function holderIn(value: unknown): Readonly<Record<string, unknown>> {
  const holder = isRecord(value) ? value['clearedBy'] : undefined;
  return isRecord(holder) ? holder : {};
}
