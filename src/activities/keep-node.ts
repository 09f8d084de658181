/** Stores what a node came to, and keeps it for its run and those that go on from that. */

import type { AnswerRequest, Noted, NodeRequest, ResultHandle } from '../protocol/index.ts';
import { encodedResult, StoreError, type Result, type ResultStore } from '../store/index.ts';
import { cutBytes } from '../plan/text/index.ts';
import { MAX_NOTE_BYTES, noted } from './keep-returned.ts';
import { finishedAs, keepFinished, placeOf, type Finished, type RunPlace } from './finished.ts';
import type { Revision } from './revision.ts';

/**
 * Stores the result with what is kept of the node for its run and those that go on from it. If that alone cannot be stored, the node has
 * its result all the same, and a note says so.
 * @throws UnstorableError, StoreError `unwritable`
 */
export async function keepNode(
  request: NodeRequest,
  revision: Revision,
  { result, notes }: { readonly result: Result; readonly notes: readonly string[] },
  store: ResultStore,
): Promise<ResultHandle & Noted> {
  const { nodeId, inputs, retry = 0 } = request;
  const { bytes, handle } = await encodedResult(result);
  const done = { handle, inputs, retry, ...noted(notes) };
  const came = await kept(store, placeOf(request), revision, nodeId, done, bytes);
  return typeof came === 'string' ? { ...handle, ...noted([came, ...notes]) } : { ...came.handle, ...noted(notes) };
}

/** The node as it is about to be carried out. */
export type Sought = Pick<NodeRequest, 'nodeId' | 'inputs' | 'retry'>;

/** The result that just this node, of these inputs, by this executor, has in this run; undefined where it has to be carried out. */
export async function keptBefore(
  store: ResultStore,
  place: RunPlace,
  { executorOf, bindingOf }: Revision,
  { nodeId, inputs, retry = 0 }: Sought,
): Promise<(ResultHandle & Noted) | undefined> {
  const done = { executor: executorOf(nodeId) ?? '', inputs, retry };
  const found = await finishedAs(store, place, bindingOf(nodeId) ?? '', done);
  return found && { ...found.handle, ...noted(found.notes ?? []) };
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

/** @param bytes the result, if it is not in the store */
async function kept(
  store: ResultStore,
  place: RunPlace,
  revision: Revision,
  id: string,
  one: Pick<Finished, 'handle' | 'inputs' | 'retry' | 'notes'>,
  bytes?: Uint8Array,
): Promise<Finished | string> {
  const [executor, binding] = [revision.executorOf(id) ?? '', revision.bindingOf(id) ?? ''];
  try {
    return await keepFinished(store, place, binding, { ...one, executor, at: new Date().toISOString() }, bytes);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (bytes !== undefined) await store.put(bytes);
    return cutBytes(`is not kept for later runs: ${error.message}`, MAX_NOTE_BYTES);
  }
}
