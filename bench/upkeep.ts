/**
 * What the upkeep of a result store takes: 100,000 objects of 200 bytes of 1,000 runs, in a folder, in PostgreSQL and in S3
 * (scripts/servers). The server is made up, and knows two thirds of the runs: its time is not part of it.
 *
 *   npm run bench -- upkeep [objects]
 */

import { WorkflowNotFoundError } from '@temporalio/client';
import { collect } from '../src/operations/upkeep/collect.ts';
import { checkStore, copyItems } from '../src/operations/upkeep/read-store.ts';
import { enterJson, openStores } from '../src/activities/stores.ts';
import type { Store } from '../src/store/index.ts';
import { FILES, postgresStores, s3Stores } from '../test/store/stores.ts';
import { print, round3 } from './print.ts';

const objects = Number(process.argv.slice(2).find((word) => /^[1-9]\d*$/.test(word)) ?? 100_000);
const RUNS = 1000;
const BYTES = 200;
/** Puts of one turn. */
const AT_ONCE = 200;
/** Everything is old. */
const AGE_MS = -86_400_000;

const KINDS = { folder: () => Promise.resolve(FILES), postgres: postgresStores, s3: s3Stores };
const ID = 'id of default';
const server = {
  namespace: 'default',
  address: 'here',
  client: {
    workflowService: { describeNamespace: () => Promise.resolve({ namespaceInfo: { id: ID } }) },
    workflow: {
      getHandle: (id: string) => ({
        describe: () =>
          Number(id.slice('plan-'.length)) % 3 === 0
            ? Promise.reject(new WorkflowNotFoundError('not found', id, undefined))
            : Promise.resolve({}),
      }),
    },
  } as never,
};

for (const [name, start] of Object.entries(KINDS)) {
  const kind = await start();
  const [first, second] = [await kind.make(), await kind.make()];
  const store = kind.open(first.place);
  const stores = openStores(store);
  const seconds: Record<string, number> = {};
  const time = async (what: string, work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    seconds[what] = round3((performance.now() - from) / 1000);
  };
  const placeOf = (n: number) => ({ namespace: 'default', workflowId: `plan-${n % RUNS}`, firstRunId: 'first' });
  await time('put', async () => {
    for (let n = 0; n < RUNS; n += 1) await enterJson(stores.of(placeOf(n)), 'run', { ...placeOf(n), namespaceId: ID });
    for (let from = 0; from < objects; from += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, objects - from) }, (_, n) => from + n);
      await Promise.all(some.map((n) => stores.of(placeOf(n)).put(Buffer.alloc(BYTES, `thing ${n} `))));
    }
  });
  await time('check', () => checkStore(store));
  await time('copy', () => copyItems(store, kind.open(second.place)));
  const clear = (by: Store, remove: boolean) => collect(by, [server], { remove, ageMs: AGE_MS });
  await time('gc, dry', () => clear(store, false));
  let removed: unknown;
  await time('gc --remove', async () => void (removed = (await clear(store, true)).removed));
  print({ upkeep: name, objects, runs: RUNS, seconds, removed });
  await first.remove();
  await second.remove();
  await kind.close();
}
