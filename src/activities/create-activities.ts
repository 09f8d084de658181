/** The activities of a worker, with what they need plugged in. */

import { Context } from '@temporalio/activity';
import type { CapabilityRegistry } from '../capabilities/index.ts';
import type { ResultStore } from '../results/index.ts';
import { idempotencyKey, nodeIndex, type ResultHandle } from '../run/index.ts';
import { compileAndStore, type CompileReply, type CompileRequest } from './compile-plan.ts';
import { RunFailureError, toFailure } from './failures.ts';
import type { NodeEvent } from './node-event.ts';
import { readRevision, type Revision } from './revision.ts';
import { runCombine, runTask, type NodeRequest } from './run-node.ts';

export interface ActivityDependencies {
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  /** Hears every attempt at a node, before it begins and after it ended. */
  readonly onNode?: (event: NodeEvent) => void;
}

export interface Activities {
  compilePlan(request: CompileRequest): Promise<CompileReply>;
  runNode(request: NodeRequest): Promise<ResultHandle>;
}

/** Well inside the 10 s after which a silent attempt counts as dead. */
const BEAT_MS = 3000;
/** Revisions kept decoded; a plan of 1,000 nodes is about 1 MB. */
const REVISIONS_KEPT = 32;

export function createActivities({ registry, store, onNode }: ActivityDependencies): Activities {
  const load = revisionLoader(store);

  return {
    compilePlan: (request) => guarded(() => compileAndStore(request, registry, store)),

    runNode: (request) =>
      guarded(async () => {
        const { info, cancellationSignal } = Context.current();
        const { plan, executorOf } = await load(request.revision);
        const node = plan.nodesById[request.nodeId];
        if (node === undefined) throw new RunFailureError('FATAL', `plan ${plan.digest} has no node ${request.nodeId}`);
        const workflowId = info.workflowExecution?.workflowId ?? '';
        const key = idempotencyKey(workflowId, node.key);
        const event = { workflowId, nodeId: node.id, attempt: info.attempt, idempotencyKey: key };
        onNode?.({ ...event, what: 'started' });
        try {
          const attempt = { idempotencyKey: key, signal: cancellationSignal, heartbeat };
          const handle =
            node.kind === 'task'
              ? await runTask(plan, node, executorOf(nodeIndex(node.id)), request, registry, store, attempt)
              : await runCombine(node, request, store);
          onNode?.({ ...event, what: 'succeeded' });
          return handle;
        } catch (error) {
          onNode?.({ ...event, what: 'failed' });
          throw error;
        }
      }),
  };
}

/** Beats while the work goes on, and lets nothing out but failures of the closed list. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => heartbeat(), BEAT_MS);
  try {
    return await work();
  } catch (error) {
    const { cancellationSignal } = Context.current();
    throw cancellationSignal.aborted && isAbort(error) ? (cancellationSignal.reason as unknown) : toFailure(error);
  } finally {
    clearInterval(beat);
  }
}

function heartbeat(details?: unknown): void {
  Context.current().heartbeat(details);
}

/** What a capability throws that obeyed the signal: the run was cancelled, the work did not fail. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'CancelledFailure');
}

function revisionLoader(store: ResultStore): (ref: string) => Promise<Revision> {
  const revisions = new Map<string, Promise<Revision>>();
  return (ref) => {
    const known = revisions.get(ref);
    if (known !== undefined) return known;
    const loading = readRevision(store, ref);
    revisions.set(ref, loading);
    loading.catch(() => revisions.delete(ref));
    const [oldest] = revisions.keys();
    if (revisions.size > REVISIONS_KEPT && oldest !== undefined) revisions.delete(oldest);
    return loading;
  };
}
