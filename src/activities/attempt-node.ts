import { Context } from '@temporalio/activity';
import type { Capability, TaskModel } from '../capabilities/index.ts';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import {
  given,
  isAsked,
  isDeferral,
  signatureOf,
  type NodeReply,
  type NodeRequest,
  RunFailureError,
} from '../protocol/index.ts';
import type { JsonValue, PlanNode, TaskNode } from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import { toFailure } from './failures.ts';
import { deferOnOutage, deferralOf, isNotApplied, lastReport, report, withHeartbeat } from './attempt-wrappers.ts';
import { placeOf, type Stores } from './stores.ts';
import {
  beginEffect,
  Blocked,
  isDoneBefore,
  keyOf,
  lookAgain,
  earlierOutcome,
  uncertain,
  UNSETTLED,
  type EffectState,
  type Claimed,
  type EffectAttempt,
  checkChain,
  rootByServer,
  rootOrBlocked,
} from './begin-effect.ts';
import { runCombine, runProbe, runTask } from './execute-node.ts';
import type { ActivityDependencies, NodeEvent } from './activities.ts';
import type { EffectGate } from './gate.ts';
import { type Meters, within } from './meters.ts';
import type { LockQueues } from './lock-queue.ts';
import { storeNodeResult, findStoredResult, type StoreNode } from './node-results.ts';
import type { PaidModel } from '../planner/index.ts';
import { openPaidModel } from './models.ts';
import { obeyStops, type StopRequest } from './stop-request.ts';
import { runsWithEffect } from './run-records.ts';
import { checkInverse } from './inverse.ts';
import { openUndoClaim } from './undo-claim.ts';
import { looseEffectKey, type RevisionCache, type Revision } from './revision.ts';
import type { createPlanViews } from './verify-plan.ts';
import { proveNode } from './prove.ts';
import { checkTrusted, markResources } from './untrusted.ts';
import { figureOf } from '../protocol/identity/token/index.ts';

export interface Surroundings {
  readonly revisions: RevisionCache;
  readonly gate: EffectGate;
  readonly holds: LockQueues;
  readonly viewOf: ReturnType<typeof createPlanViews>;
  readonly meters: Pick<Meters, 'attempt'>;
  readonly dependencies: ActivityDependencies;
  readonly stores: Stores;
}

export function attemptNode(request: NodeRequest, surroundings: Surroundings): Promise<NodeReply> {
  // Assume that an earlier attempt began the node, until the store proves the opposite.
  const place = placeOf(request);
  const results = surroundings.stores.of(place);
  const { isOver, again } = request;
  const beginning: EffectState = {
    begun: Context.current().info.attempt > 1 || isOver === true || again === true,
    async saveReport() {
      const last = lastReport();
      return last === undefined ? request.report : results.put(Buffer.from(JSON.stringify(last)));
    },
  };
  const stops = obeyStops(surroundings.gate, request, beginning);
  const manner = { beginning, signal: stops.signal, stops, heartbeat: report };
  const work = async () =>
    withAttempts(await Promise.race([stops.cutOff, executeInSpan(request, surroundings, manner)]));
  return withHeartbeat(() => deferOnOutage(work, beginning), beginning);
}

function withAttempts(reply: NodeReply): NodeReply {
  const attempts = Context.current().info.attempt - 1;
  return attempts === 0 || isDeferral(reply) ? reply : { ...reply, attempts };
}

/** Executes a node of a part once. The part itself sends heartbeats and handles deferrals. @param signal aborts it */
export function tryNode(request: NodeRequest, surroundings: Surroundings, signal: AbortSignal): Promise<NodeReply> {
  return executeInSpan(request, surroundings, { beginning: { begun: false }, signal, heartbeat: () => undefined });
}

interface Controls {
  readonly beginning: EffectState;
  readonly signal: AbortSignal;
  readonly stops?: StopRequest;
  readonly heartbeat: typeof report;
}

async function executeInSpan(request: NodeRequest, surroundings: Surroundings, manner: Controls): Promise<NodeReply> {
  const { revisions, stores, dependencies } = surroundings;
  const place = placeOf(request);
  const revision = await revisions.load(place, request.revision, stores.of(place));
  const span = spanOf(request.nodeId, revision, dependencies.registry);
  return within(dependencies.tracing, span, () => attempt(request, revision, surroundings, manner));
}

async function attempt(
  request: NodeRequest,
  revision: Revision,
  { gate, holds, viewOf, meters, dependencies, stores }: Surroundings,
  { beginning, signal, stops, heartbeat }: Controls,
): Promise<NodeReply> {
  const { info, log } = Context.current();
  const { nodeId, inputs } = request;
  const { plan } = revision;
  const { registry, onNode, keys, policy, models, rootOf = rootByServer, standingOf } = dependencies;
  const node = plan.nodesById[nodeId];
  if (node === undefined) throw new RunFailureError('FATAL', `plan ${plan.digest} has no node ${nodeId}`);
  const binding = revision.bindingOf(nodeId) ?? node.key;
  const place = placeOf(request);
  const store = stores.of(place);
  const { workflowId } = place;
  const kept = () => findStoredResult(store, place, revision, request);
  const root = onlyOnce(() => rootOrBlocked(rootOf, info.workflowExecution));
  const proving = keys && {
    keys,
    rules: policy?.rules,
    viewOf: (digest: string) => viewOf(digest, store),
    rootOf: root,
    begins: (token: string) => stores.bindStart(place, signatureOf(token)),
    hasBegunElsewhere: async () =>
      isOnce && (await runsWithEffect(stores, place, await otherChains(), effectKey)).length > 0,
    store: dependencies.store,
  };
  let figure: string | undefined | null = null;
  const prove =
    proving &&
    ((tokens: readonly string[], figures: readonly string[]) =>
      proveNode(request, revision, place, { tokens, figures, figure }, proving));
  const otherChains = async () => (await stores.chains(place)).filter((firstRunId) => firstRunId !== place.firstRunId);
  const effectKey = node.kind === 'task' ? looseEffectKey(revision, node) : '';
  const retry = request.retry ?? 0;
  const undo =
    node.kind === 'task' && node.undoes !== undefined
      ? await openUndoClaim(node, { place, binding, retry }, stores, standingOf)
      : undefined;
  const checkUndo = undo && (() => checkInverse(node as TaskNode, undo, stores, registry));
  const effect: EffectAttempt = {
    request,
    undo,
    checkUndo,
    place,
    binding,
    effectKey,
    store,
    gate,
    prove,
    storedResult: kept,
    beginning,
    checkChain: () => checkChain(place.firstRunId, root),
    signal,
  };
  const key = undo?.key ?? keyOf(effect);
  const executor = executorOf(node, revision, registry);
  const keepResult: StoreNode = (result, notes) => storeNodeResult(request, revision, { result, notes }, store);
  const probe = (task: TaskNode, claimed: Claimed) =>
    runProbe(revision, task, inputs, registry, store, {
      ...{ claimed, keep: keepResult, beginning, isOver: request.isOver === true },
      // If the run only moves to a new history, the probe is not aborted.
      ...{ idempotencyKey: key, signal: stops?.calls ?? signal, heartbeat },
    });
  // The approved executor decides whether the effect is at-most-once, since this worker may have another version.
  const isOnce = revision.executorOf(nodeId)?.includes(' at-most-once') === true;
  const came = await earlierOutcome(effect, isOnce);
  beginning.begun = came !== undefined;
  if (came !== undefined && 'until' in came) {
    if (node.kind !== 'task') throw uncertain(came, UNSETTLED);
    return probe(node, came);
  }
  if (request.isOver === true) return came ?? { deferred: 'run', reason: 'it was cancelled before it began' };
  // An attempt that was given up may have stored its result anyway, for example after a blocked event loop.
  const isSecond = request.again === true || (info.attempt > 1 && !isOnce);
  const before = isSecond ? await kept() : undefined;
  if (before !== undefined) return before;
  /** The resource that the node reads, if approvals rely on the node's result being trusted. */
  let reads: string | undefined;
  let hold: { release(): Promise<void> } | undefined;
  const permit = { gate, work: request.work, allowance: request.allowance, isFree: false };
  const begin = async (capability: Capability, args: unknown, resource?: string) => {
    const { effect: declared, cost } = capability;
    if ((cost ?? 0) !== (request.cost ?? 0)) throw new Blocked(COST_CHANGED, { seen: given({ cost }) });
    if (capability.kind !== 'wait' && !revision.isUntrusted(nodeId)) reads = capability.readsResource?.(args);
    if (reads !== undefined) await checkTrusted(stores, reads);
    // An effect that was done stays done, whatever its result says.
    if (declared !== 'read') reads = undefined;
    await checkUndo?.();
    if (resource !== undefined) hold = await holdFor(resource, nodeId, holds, signal);
    const state = await lookAgain(capability, args, resource, effect);
    if (resource !== undefined && revision.isUntrusted(nodeId)) await markResources(stores, [resource]);
    if (capability.kind !== 'wait' && revision.isReached(nodeId))
      await markResources(stores, capability.writesResources?.(args) ?? []);
    figure = state === null ? null : figureOf(cost, state);
    await beginEffect(declared, effect);
    permit.isFree = declared !== 'read';
    return given({ claimToken: beginning.claimToken });
  };
  const since = performance.now();
  const tell = (what: NodeEvent['what']) => {
    if (what !== 'started') meters.attempt(executor, what, (performance.now() - since) / 1000);
    try {
      onNode?.({ what, workflowId, nodeId, attempt: info.attempt, idempotencyKey: key });
    } catch (error) {
      log.warn(`onNode threw on ${nodeId} ${what}`, { error });
    }
  };
  tell('started');
  const paid = models && openPaidModel(models.modelOf(), store, key, permit);
  if (paid !== undefined) beginning.usage = () => paid.usage;
  const keep: StoreNode = async (result, notes) => {
    paid?.settle();
    // A writer marks a resource before it writes untrusted values, so a missing mark means that the read saw none of them.
    if (reads !== undefined) await checkTrusted(stores, reads);
    return keepResult(result, notes);
  };
  const isUnsure = (error: unknown) =>
    isOnce && beginning.isEffect === true && !signal.aborted && !isNotApplied(toFailure(error));
  try {
    const surroundings = {
      idempotencyKey: key,
      signal,
      heartbeat,
      lastHeartbeat: lastReport() ?? (await readReport(request.report, store)),
      ...(paid !== undefined && { model: modelFor(paid, stops) }),
      begin,
      keep,
    };
    const reply =
      node.kind === 'task'
        ? await runTask(revision, node, inputs, registry, store, surroundings).catch((failure: unknown) => {
            if (!isUnsure(failure)) throw failure;
            return probe(node, { key, until: 0, failure, ...given({ claimToken: beginning.claimToken }) });
          })
        : await runCombine(node, inputs, store, keep);
    paid?.settle();
    tell(isAsked(reply) ? 'asked' : isDeferral(reply) ? 'held' : 'succeeded');
    const usage = beginning.usage?.();
    return usage === undefined || usage.calls === 0 || isDeferral(reply) ? reply : { ...reply, usage };
  } catch (error) {
    if (isDoneBefore(error)) {
      tell('succeeded');
      return error.result;
    }
    tell(deferralOf(error, beginning) === undefined ? 'failed' : 'held');
    if (isNotApplied(toFailure(error)))
      await undo?.release().catch((fault: unknown) => log.warn(UNRELEASED, { fault }));
    throw error;
  } finally {
    // If the release fails, the next writer removes the lock, since its attempt has ended.
    await hold?.release().catch((error: unknown) => log.warn(`a lock of ${nodeId} was not given back`, { error }));
  }
}

const UNRELEASED = 'the store does not know that this step undid nothing, so a person will be asked';
const COST_CHANGED = 'its capability has another cost than the approved one';

function onlyOnce<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
}

async function holdFor(
  resource: string,
  nodeId: string,
  holds: LockQueues,
  signal: AbortSignal,
): Promise<{ release(): Promise<void> }> {
  const { info } = Context.current();
  const { activityId, attempt: nth, startToCloseTimeoutMs: forMs, workflowExecution } = info;
  const { workflowId, runId } = workflowExecution ?? { workflowId: '', runId: '' };
  const writer = { workflowId, runId, activityId, attempt: nth, nodeId };
  const hold = await holds.hold(resource, writer, { forMs, signal });
  if (!hold.ok) throw new Blocked(hold.reason);
  return hold;
}

/** The executor's name in metrics. All unknown capabilities share one name, which limits the number of labels. */
function executorOf(node: PlanNode, { executorOf: labelOf }: Revision, registry: CapabilityRegistry): string {
  if (node.kind === 'combine') return node.operator;
  const [, name = ''] = /^capability (.+)@/.exec(labelOf(node.id) ?? '') ?? [];
  return registry.capability(name) === undefined ? 'unknown' : name;
}

/** Names the span by OpenTelemetry's conventions for generative models, which call a capability a tool. */
function spanOf(nodeId: string, revision: Revision, registry: CapabilityRegistry) {
  const node = revision.plan.nodesById[nodeId];
  const name = node === undefined ? 'unknown' : executorOf(node, revision, registry);
  const facts = { 'planwright.node': nodeId };
  if (node?.kind === 'combine') return { name: `combine ${name}`, facts };
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
  return { name: `execute_tool ${name}`, facts: { ...tool, ...facts } };
}

async function readReport(ref: string | undefined, store: ResultStore): Promise<JsonValue | undefined> {
  if (ref === undefined) return undefined;
  return JSON.parse(Buffer.from(await store.get(ref)).toString('utf8')) as JsonValue;
}

/** Numbers the model calls of an attempt, so that the n-th call has the same journal key in every attempt. */
function modelFor(paid: PaidModel, stops?: StopRequest): TaskModel {
  let calls = 0;
  return (request) => {
    const ask = () => paid.ask(request, String(++calls), undefined, stops?.calls);
    return stops?.call(ask) ?? ask();
  };
}
