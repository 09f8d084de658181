/** The finished nodes of a result store, read as any other process can. */

import { jsonIn } from '../../src/plan/text/index.ts';
import { readFinished, type Finished } from '../../src/activities/run-records.ts';
import { createFileStore, readResult, resultsIn } from '../../src/store/index.ts';
import { anywhere, scopesIn } from '../support/anywhere.ts';

/** How many nodes are kept. */
export async function countKept(storeDir: string): Promise<number> {
  return (await keptIn(storeDir)).length;
}

/** The ids of every kept set that has no more than one: the names of leaves that give their own. */
export async function keptNames(storeDir: string): Promise<ReadonlySet<string>> {
  const store = anywhere(createFileStore(storeDir));
  const names = new Set<string>();
  for (const { handle } of await keptIn(storeDir)) {
    if (handle.kind !== 'set' || handle.count !== 1) continue;
    const result = await readResult(store, handle.ref);
    if (result.kind === 'set') for (const id of result.set.ids) names.add(id);
  }
  return names;
}

async function keptIn(storeDir: string): Promise<readonly Finished[]> {
  const store = createFileStore(storeDir);
  const found: Finished[] = [];
  for await (const scope of scopesIn(store)) {
    const results = resultsIn(store, scope);
    for (const name of await results.names('')) {
      if (!/^[^/]+\/done\//.test(name)) continue;
      const finished = readFinished(jsonIn((await results.entry(name)) ?? ''));
      if (finished !== undefined) found.push(finished);
    }
  }
  return found;
}
