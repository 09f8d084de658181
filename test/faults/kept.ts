/** What a result store has of finished nodes, read as any other process can. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFinished } from '../../src/worker/activities/finished.ts';
import { createFileStore, readResult, type ResultStore } from '../../src/wire/results/index.ts';

/** How many names are bound: about as many nodes are kept. */
export async function countBound(storeDir: string): Promise<number> {
  return (await boundIn(storeDir)).length;
}

/** The ids of every kept set that has no more than one: the names of leaves that give their own. */
export async function keptNames(storeDir: string): Promise<ReadonlySet<string>> {
  const store = createFileStore(storeDir);
  const names = new Set<string>();
  for (const path of await boundIn(storeDir)) {
    const name = await nameAt(store, await readFile(path, 'utf8'));
    if (name !== undefined) names.add(name);
  }
  return names;
}

/** A file whose name starts with a dot was cut off before it had its own. */
async function boundIn(storeDir: string): Promise<readonly string[]> {
  const entries = await readdir(join(storeDir, 'names'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) =>
    entry.isFile() && !entry.name.startsWith('.') ? [join(entry.parentPath, entry.name)] : [],
  );
}

async function nameAt(store: ResultStore, ref: string): Promise<string | undefined> {
  const finished = readFinished(json(Buffer.from(await store.get(ref)).toString('utf8')));
  if (finished?.handle.kind !== 'set' || finished.handle.count !== 1) return undefined;
  const result = await readResult(store, finished.handle.ref);
  return result.kind === 'set' ? result.set.ids[0] : undefined;
}

/** Names are bound to other things too. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
