/** The finished nodes of a result store, read as any other process can. */

import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonIn } from '../../src/plan/text/index.ts';
import { readFinished, type Finished } from '../../src/activities/finished.ts';
import { createFileStore, readResult } from '../../src/store/index.ts';
import { HEADER_BYTES } from '../../src/store/segments/entry.ts';
import { scan } from '../../src/store/segments/scan.ts';

/** How many nodes are kept. */
export async function countKept(storeDir: string): Promise<number> {
  return (await keptIn(storeDir)).length;
}

/** The ids of every kept set that has no more than one: the names of leaves that give their own. */
export async function keptNames(storeDir: string): Promise<ReadonlySet<string>> {
  const store = createFileStore(storeDir);
  const names = new Set<string>();
  for (const { handle } of await keptIn(storeDir)) {
    if (handle.kind !== 'set' || handle.count !== 1) continue;
    const result = await readResult(store, handle.ref);
    if (result.kind === 'set') for (const id of result.set.ids) names.add(id);
  }
  return names;
}

/** Values that are kept one by one are files; those that are kept together stand in segments. */
async function keptIn(storeDir: string): Promise<readonly Finished[]> {
  const single = await Promise.all((await filesIn(join(storeDir, 'kept'))).map((path) => readFile(path)));
  const together = await Promise.all((await filesIn(join(storeDir, 'segments'))).map(valuesIn));
  return [...single, ...together.flat()].flatMap((value) => readFinished(jsonIn(value)) ?? []);
}

async function valuesIn(path: string): Promise<readonly Buffer[]> {
  const file = await open(path, 'r');
  try {
    const bytes = await file.readFile();
    const values: Buffer[] = [];
    await scan(file, 0, bytes.length, ({ kind, length }, offset) => {
      const from = offset + HEADER_BYTES;
      if (kind === 'kept') values.push(bytes.subarray(from, from + length));
    });
    return values;
  } finally {
    await file.close();
  }
}

/** A file whose name starts with a dot was cut off before it had its own. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) =>
    entry.isFile() && !entry.name.startsWith('.') ? [join(entry.parentPath, entry.name)] : [],
  );
}
