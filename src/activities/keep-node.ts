/** Stores what a node came to, and keeps it for the runs that go on from this one. */

import type { AnswerRequest, Noted, NodeRequest, ResultHandle } from '../protocol/index.ts';
import { StoreError, writeResult, type Result, type ResultStore } from '../store/index.ts';
import { cutBytes } from '../plan/text/index.ts';
import { MAX_NOTE_BYTES, noted } from './keep-returned.ts';
import { keepFinished, type Finished, type RunPlace } from './finished.ts';
import { placeOf } from './own-place.ts';
import type { Revision } from './revision.ts';

/**
 * Both are written in one group. The node has its result where it cannot be kept for later runs, and says so.
 * @throws UnstorableError, StoreError `unwritable`
 */
export async function keepNode(
  request: NodeRequest,
  revision: Revision,
  { result, notes }: { readonly result: Result; readonly notes: readonly string[] },
  store: ResultStore,
): Promise<ResultHandle & Noted> {
  const { nodeId, inputs, retry = 0 } = request;
  const place = placeOf(request);
  const problems: string[] = [];
  const written = await writeResult(store, result, async (handle) => {
    const problem = await kept(store, place, revision, nodeId, { handle, inputs, retry, ...noted(notes) });
    if (problem !== undefined) problems.push(problem);
  });
  return { ...written, ...noted([...problems, ...notes]) };
}

export async function keepAnswer(
  request: AnswerRequest,
  revision: Revision | undefined,
  handle: ResultHandle,
  store: ResultStore,
): Promise<void> {
  const { nodeId } = request;
  if (revision === undefined || nodeId === undefined) return;
  await kept(store, placeOf(request), revision, nodeId, { handle, retry: 0 });
}

async function kept(
  store: ResultStore,
  place: RunPlace,
  revision: Revision,
  id: string,
  one: Pick<Finished, 'handle' | 'inputs' | 'retry' | 'notes'>,
): Promise<string | undefined> {
  const [executor, binding] = [revision.executorOf(id) ?? '', revision.bindingOf(id) ?? ''];
  try {
    await keepFinished(store, place, binding, { ...one, executor, at: new Date().toISOString() });
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return cutBytes(`is not kept for later runs: ${error.message}`, MAX_NOTE_BYTES);
  }
}
