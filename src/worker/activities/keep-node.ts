/** Keeps what a node came to, for the runs that go on from this one. */

import {
  isAsked,
  isHeld,
  MAX_NODE_NOTES,
  type AnswerRequest,
  type NodeReply,
  type NodeRequest,
  type ResultHandle,
} from '../../wire/contract/index.ts';
import { StoreError, type ResultStore } from '../../wire/results/index.ts';
import { cutBytes } from '../../language/text/index.ts';
import { MAX_NOTE_BYTES } from './keep-returned.ts';
import { keepFinished, type Finished } from './finished.ts';
import { ownPlace } from './own-place.ts';
import type { Revision } from './revision.ts';

/** The node has its result whatever becomes of this; where it cannot be kept, the node says so. */
export async function keepNode(
  { nodeId, inputs, retry = 0 }: NodeRequest,
  revision: Revision,
  reply: NodeReply,
  store: ResultStore,
): Promise<NodeReply> {
  if (isAsked(reply) || isHeld(reply)) return reply;
  const { notes = [], ...handle } = reply;
  const problem = await kept(store, revision, nodeId, { handle, inputs, retry });
  return problem === undefined ? reply : { ...handle, notes: [problem, ...notes].slice(0, MAX_NODE_NOTES) };
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
  one: Pick<Finished, 'handle' | 'inputs' | 'retry'>,
): Promise<string | undefined> {
  const [executor, binding, { external }] = [revision.executorOf(id) ?? '', revision.bindingOf(id) ?? '', revision];
  try {
    await keepFinished(store, ownPlace(), binding, { ...one, executor, external, at: new Date().toISOString() });
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return cutBytes(`is not kept for later runs: ${error.message}`, MAX_NOTE_BYTES);
  }
}
