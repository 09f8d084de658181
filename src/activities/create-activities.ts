/** The activities of a worker, with what they need plugged in. */

import { Context } from '@temporalio/activity';
import type { CapabilityRegistry } from '../capabilities/index.ts';
import type { Effect } from '../plan/index.ts';
import type { Verifier } from '../identity/index.ts';
import type { ResultStore } from '../results/index.ts';
import { idempotencyKey, isAsked, type ApprovalRule, type ProjectPolicy } from '../run/index.ts';
import { compileAndStore, type CompileReply, type CompileRequest } from './compile-plan.ts';
import { RunFailureError, toFailure } from './failures.ts';
import type { NodeEvent } from './node-event.ts';
import { readRevision, type Revision } from './revision.ts';
import { runCombine, runTask, type NodeReply, type NodeRequest } from './run-node.ts';
import { storeAnswer, type AnswerReply, type AnswerRequest } from './store-answer.ts';

export interface ActivityDependencies {
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  /** Hears every attempt at a node, before it begins and after it ended. */
  readonly onNode?: (event: NodeEvent) => void;
  /** What the project demands of every run of it. */
  readonly policy?: { readonly rules?: readonly ApprovalRule[] };
  /** Says who speaks to a run; absent when the project has no keys. */
  readonly verifier?: Pick<Verifier, 'verify'>;
  /** Whether the search attribute that inboxes look for is registered. Default false. */
  readonly inbox?: boolean;
}

export interface Activities {
  compilePlan(request: CompileRequest): Promise<CompileReply>;
  runNode(request: NodeRequest): Promise<NodeReply>;
  storeAnswer(request: AnswerRequest): Promise<AnswerReply>;
  verifyMessage(request: VerifyRequest): Promise<VerifyReply>;
}

export interface VerifyRequest {
  readonly token: string;
  readonly workflowId: string;
  /** When the run began, ISO 8601. */
  readonly startedAt: string;
}

export type VerifyReply = Awaited<ReturnType<Verifier['verify']>>;

/** An attempt beats this often, and at least three times in the silence after which it counts as dead. */
const BEAT_MS = 3000;
/** Revisions kept decoded; a plan of 1,000 nodes is about 1 MB. */
const REVISIONS_KEPT = 32;

export function createActivities(dependencies: ActivityDependencies): Activities {
  const { registry, store, verifier } = dependencies;
  const load = revisionLoader(store);

  return {
    compilePlan: (request) =>
      guarded(async () => {
        const base = request.base === undefined ? undefined : await load(request.base);
        const reply = await compileAndStore(request, registry, store, base);
        return reply.ok ? { ...reply, project: projectPolicy(dependencies) } : reply;
      }),
    runNode(request) {
      const beginning = { begun: false };
      return guarded(async () => runNode(request, await load(request.revision), dependencies, beginning), beginning);
    },
    storeAnswer: (request) => guarded(async () => storeAnswer(request, await load(request.revision), registry, store)),
    verifyMessage: ({ token, workflowId, startedAt }) =>
      guarded(
        async () =>
          verifier?.verify(token, workflowId, undefined, new Date(startedAt)) ?? { ok: false, reason: NO_KEYS },
      ),
  };
}

const NO_KEYS =
  "this worker has no identity keys; add the sender's public key under identity.keys of its configuration, " +
  'or send the message without a token';

function projectPolicy({ policy, verifier, inbox = false }: ActivityDependencies): ProjectPolicy {
  const { rules } = policy ?? {};
  return { ...(rules !== undefined && { rules }), identity: verifier !== undefined, inbox };
}

/** Whether the capability was called. What fails before had no effect, and says so. */
interface Beginning {
  begun: boolean;
}

async function runNode(
  { nodeId, inputs, retry = 0 }: NodeRequest,
  revision: Revision,
  { registry, store, onNode }: ActivityDependencies,
  beginning: Beginning,
): Promise<NodeReply> {
  const { info, cancellationSignal: signal, log } = Context.current();
  const { plan } = revision;
  const node = plan.nodesById[nodeId];
  if (node === undefined) throw new RunFailureError('FATAL', `plan ${plan.digest} has no node ${nodeId}`);
  const workflowId = info.workflowExecution?.workflowId ?? '';
  const key = idempotencyKey(workflowId, node.key, { retry });
  const tell = (what: NodeEvent['what']) => {
    try {
      onNode?.({ what, workflowId, nodeId, attempt: info.attempt, idempotencyKey: key });
    } catch (error) {
      log.warn(`onNode threw on ${nodeId} ${what}`, { error });
    }
  };
  const begin = async (effect: Effect) => {
    const claim = effect === 'at-most-once' ? await claimEffect(store, key) : { first: true };
    beginning.begun = true;
    if (!claim.first) throw new RunFailureError('CRITICAL', `this effect was begun before under the key ${key}`);
  };
  tell('started');
  try {
    const attempt = { idempotencyKey: key, signal, heartbeat, begin };
    const reply =
      node.kind === 'task'
        ? await runTask(revision, node, inputs, registry, store, attempt)
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

/** Beats while the work goes on, and lets nothing out but failures of the closed list. */
async function guarded<T>(work: () => Promise<T>, beginning: Beginning = { begun: true }): Promise<T> {
  const { heartbeatTimeoutMs = 0 } = Context.current().info;
  const every = heartbeatTimeoutMs > 0 ? Math.min(BEAT_MS, heartbeatTimeoutMs / 3) : BEAT_MS;
  const beat = setInterval(() => heartbeat(), every);
  try {
    return await work();
  } catch (error) {
    const { cancellationSignal } = Context.current();
    if (cancellationSignal.aborted && isAbort(error)) throw cancellationSignal.reason;
    throw toFailure(error, beginning.begun ? [] : [{ begun: false }]);
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
