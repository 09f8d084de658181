/** The kinds of stores that pass the same suite: how an empty one is made, and how any process opens it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore, type ResultStore } from '../../src/wire/results/index.ts';

export interface StoreKind {
  /** @returns the place of an empty store, and what takes it away */
  make(): Promise<{ readonly place: string; remove(): Promise<void> }>;
  /** Each call gives a store of its own, as another process would have it. */
  open(place: string): ResultStore;
}

export const STORES = {
  files: {
    async make() {
      const folder = await mkdtemp(join(tmpdir(), 'planwright-store-'));
      return {
        place: join(folder, 'results'),
        remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
      };
    },
    open: createFileStore,
  },
} satisfies Readonly<Record<string, StoreKind>>;
