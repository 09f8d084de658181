/** Stores what a node came to, and keeps it for the runs that go on from this one. */

import type { AnswerRequest, Noted, NodeRequest, ResultHandle } from '../../wire/contract/index.ts';
import { StoreError, writeResult, type Result, type ResultStore } from '../../wire/results/index.ts';
import { cutBytes } from '../../language/text/index.ts';
import { MAX_NOTE_BYTES, noted } from './keep-returned.ts';
import { keepFinished, type Finished } from './finished.ts';
import { ownPlace } from './own-place.ts';
import type { Revision } from './revision.ts';

/**
 * Both are written in one group. The node has its result where it cannot be kept for later runs, and says so.
 * @throws UnstorableError, StoreError `unwritable`
 */
export async function keepNode(
  { nodeId, inputs, retry = 0 }: NodeRequest,
  revision: Revision,
  { result, notes }: { readonly result: Result; readonly notes: readonly string[] },
  store: ResultStore,
): Promise<ResultHandle & Noted> {
  const problems: string[] = [];
  const written = await writeResult(store, result, async (handle) => {
    const problem = await kept(store, revision, nodeId, { handle, inputs, retry, ...noted(notes) });
    if (problem !== undefined) problems.push(problem);
  });
  return { ...written, ...noted([...problems, ...notes]) };
}

export async function keepAnswer(
  { nodeId }: AnswerRequest,
  revision: Revision | undefined,
  handle: ResultHandle,
  store: ResultStore,
): Promise<void> {
  if (revision === undefined || nodeId === undefined) return;
  await kept(store, revision, nodeId, { handle, retry: 0 });
}

async function kept(
  store: ResultStore,
  revision: Revision,
  id: string,
  one: Pick<Finished, 'handle' | 'inputs' | 'retry' | 'notes'>,
): Promise<string | undefined> {
  const [executor, binding] = [revision.executorOf(id) ?? '', revision.bindingOf(id) ?? ''];
  try {
    await keepFinished(store, ownPlace(), binding, { ...one, executor, at: new Date().toISOString() });
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return cutBytes(`is not kept for later runs: ${error.message}`, MAX_NOTE_BYTES);
  }
}
