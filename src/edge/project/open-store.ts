/** The result store of a project. */

import type { ResultStore } from '../../wire/results/index.ts';

export async function openStore(dir: string): Promise<ResultStore> {
  const { createFileStore } = await import('../../wire/results/index.ts');
  return createFileStore(dir);
}
