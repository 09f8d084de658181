/**
 * What the upkeep of a result store takes: 100,000 objects of 200 bytes, of which 1,000 runs refer to a third, in a folder, in
 * PostgreSQL and in S3 (scripts/servers). The server is one that a test makes up: its time is not part of it.
 *
 *   npm run bench -- upkeep [objects]
 */

import { checkStore, copyStore, measureStore } from '../src/operations/upkeep/index.ts';
import { collect } from '../src/operations/upkeep/collect/index.ts';
import { namespaceName, usedBy } from '../src/protocol/index.ts';
import type { OpenedStore } from '../src/store/index.ts';
import { FILES, postgresStores, s3Stores } from '../test/store/stores.ts';
import { createFalseServer } from '../test/operations/upkeep/false-server.ts';
import { print, round3 } from './print.ts';

const objects = Number(process.argv.slice(2).find((word) => /^[1-9]\d*$/.test(word)) ?? 100_000);
const RUNS = 1000;
const BYTES = 200;
/** Puts of one turn. */
const AT_ONCE = 1000;
/** Everything is old: a store of S3 removes what stands in a week that is over. */
const AGE_MS = -14 * 86_400_000;

const KINDS = { folder: () => Promise.resolve(FILES), postgres: postgresStores, s3: s3Stores };

for (const [name, start] of Object.entries(KINDS)) {
  const kind = await start();
  const [first, second] = [await kind.make(), await kind.make()];
  const store = kind.open(first.place);
  const server = createFalseServer();
  const seconds: Record<string, number> = {};
  const time = async (what: string, work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    seconds[what] = round3((performance.now() - from) / 1000);
  };
  const refs: string[] = [];
  await time('put', async () => {
    for (let from = 0; from < objects; from += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, objects - from) }, (_, n) => store.put(thing(from + n)));
      refs.push(...(await Promise.all(some)));
    }
  });
  const id = 'id of default';
  await store.bind(
    namespaceName(id),
    await store.put(Buffer.from(JSON.stringify(usedBy({ namespace: 'default', id })))),
  );
  const said = Array.from({ length: RUNS }, (): unknown[] => []);
  for (let n = 0; n < objects; n += 3) said[(n / 3) % RUNS]!.push({ ref: refs[n] });
  server.runs.push(...said.map((one, n) => ({ workflowId: `plan-${n}`, said: one })));

  await time('du', () => measureStore(store));
  await time('check', () => checkStore(store));
  await time('copy', () => copyStore(store, kind.open(second.place)));
  const clear = (by: OpenedStore, remove: boolean) => collect(by, [server.place], { remove, ageMs: AGE_MS });
  await time('gc, dry', () => clear(store, false));
  let removed: unknown;
  await time('gc --remove', async () => void (removed = (await clear(store, true)).removed));
  print({ upkeep: name, objects, runs: RUNS, seconds, removed });
  await first.remove();
  await second.remove();
  await kind.close();
}

function thing(n: number): Buffer {
  return Buffer.alloc(BYTES, `thing ${n} `);
}
