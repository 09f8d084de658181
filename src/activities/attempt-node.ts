/** One attempt at a node: who hears of it, under which key, and that an effect above read begins only once. */

import { Context } from '@temporalio/activity';
import { idempotencyKey, isAsked, type NodeReply, type NodeRequest } from '../contract/index.ts';
import type { Effect } from '../plan/index.ts';
import type { ResultStore } from '../results/index.ts';
import { runCombine, runTask } from './carry-out-node.ts';
import type { ActivityDependencies } from './create-activities.ts';
import { RunFailureError } from './failures.ts';
import { guarded, heartbeat, type Beginning } from './guard.ts';
import type { NodeEvent } from './node-event.ts';
import type { RevisionCache } from './revision-cache.ts';
import type { Revision } from './revision.ts';

export function attemptNode(
  request: NodeRequest,
  revisions: RevisionCache,
  dependencies: ActivityDependencies,
): Promise<NodeReply> {
  const beginning = { begun: false };
  return guarded(
    async () => attempt(request, await revisions.load(request.revision), dependencies, beginning),
    beginning,
  );
}

async function attempt(
  { nodeId, inputs, retry = 0 }: NodeRequest,
  revision: Revision,
  { registry, store, onNode }: ActivityDependencies,
  beginning: Beginning,
): Promise<NodeReply> {
  const { info, cancellationSignal: signal, log } = Context.current();
  const { plan } = revision;
  const node = plan.nodesById[nodeId];
  if (node === undefined) throw new RunFailureError('FATAL', `plan ${plan.digest} has no node ${nodeId}`);
  const { workflowNamespace: namespace = '', workflowExecution } = info;
  const workflowId = workflowExecution?.workflowId ?? '';
  const key = idempotencyKey({ namespace, workflowId }, revision.bindingOf(nodeId) ?? node.key, { retry });
  const tell = (what: NodeEvent['what']) => {
    try {
      onNode?.({ what, workflowId, nodeId, attempt: info.attempt, idempotencyKey: key });
    } catch (error) {
      log.warn(`onNode threw on ${nodeId} ${what}`, { error });
    }
  };
  const begin = async (effect: Effect) => {
    const claim = effect === 'at-most-once' ? await claimEffect(store, key) : { first: true };
    // An effect whose cancellation was delivered before it began has not begun.
    signal.throwIfAborted();
    beginning.begun = true;
    if (!claim.first) throw new RunFailureError('CRITICAL', `this effect was begun before under the key ${key}`);
  };
  tell('started');
  try {
    const surroundings = { idempotencyKey: key, signal, heartbeat, begin };
    const reply =
      node.kind === 'task'
        ? await runTask(revision, node, inputs, registry, store, surroundings)
        : await runCombine(node, inputs, store);
    tell(isAsked(reply) ? 'asked' : 'succeeded');
    return reply;
  } catch (error) {
    tell('failed');
    throw error;
  }
}

/**
 * Only one attempt ever begins an at-most-once effect, even when a reset of the workflow schedules its node again. The
 * claim is a name in the store that is bound once, to what only this attempt can have written.
 */
async function claimEffect(store: ResultStore, key: string): Promise<{ first: boolean }> {
  const { base64TaskToken } = Context.current().info;
  const own = await store.put(Buffer.from(JSON.stringify({ effect: key, attempt: base64TaskToken }), 'utf8'));
  return { first: (await store.bind(`effect/${key}`, own)) === own };
}
