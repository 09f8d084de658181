import { Context } from '@temporalio/activity';
import {
  RunFailureError,
  type Activities,
  type Deferral,
  type NodeRequest,
  type ProjectPolicy,
  isDeferral,
  isUndecrypted,
  problemOf,
  REQUESTS,
  type Owner,
} from '../protocol/index.ts';
import type { ActivityDependencies } from './activities.ts';
import { lookAtAgents } from './look-at-agents.ts';
import { attemptNode } from './attempt-node.ts';
import { deferOnOutage, withHeartbeat } from './attempt-wrappers.ts';
import { compileAndStore } from './compile-plan.ts';
import { decideStep } from './decide-step.ts';
import { earlierRefs, keepResults } from './earlier-results.ts';
import { createGate } from './gate.ts';
import { createLockQueues } from './lock-queue.ts';
import { createPlanViews } from './verify-plan.ts';
import { openMeters, type Meters, within } from './meters.ts';
import { watchedModels } from './models.ts';
import { createPartRunner } from './part/run-part.ts';
import { planGoal, explainFailure } from './plan-goal.ts';
import { createRevisionCache } from './revision.ts';
import { recordAnswer } from './node-results.ts';
import { loadPage, markFaults, openStores, placeOf, runNotes, savePages, withConversation } from './stores.ts';
import { findPredecessor } from './predecessor.ts';
import { checkChain, rootByServer, rootOrBlocked } from './begin-effect.ts';
import { storeAnswer } from './store-answer.ts';

export function createActivities(given: ActivityDependencies): Activities {
  const meters = openMeters(given.meter);
  const { tracing } = given;
  const models = given.models && watchedModels(given.models, (client) => meters.watched(client, tracing));
  const dependencies = { ...given, store: markFaults(given.store), ...(models !== undefined && { models }) };
  const { registry, keys, standingOf, namespaceId = '' } = dependencies;
  const stores = openStores(dependencies.store);
  const revisions = createRevisionCache();
  const gate = createGate(dependencies.askRun);
  const holds = createLockQueues(dependencies.locks);
  const viewOf = createPlanViews(registry);
  /** The run's store together with the results of its conversation. */
  const storeFor = (request: InConversation) => {
    const own = stores.of(placeOf(request));
    const conversation = request.conversation ?? request.options?.conversation;
    return conversation === undefined ? own : withConversation(own, stores.conversation(conversation));
  };
  const revisionFor = async (request: InConversation, ref: string | undefined) =>
    ref === undefined ? undefined : revisions.load(placeOf(request), ref, storeFor(request));
  const planning = (request: InConversation) => ({
    registry,
    stores,
    store: storeFor(request),
    gate,
    models: dependencies.models,
    conversationOf: dependencies.conversationOf,
    keepDraft: dependencies.keepDraft,
    project: projectPolicy(dependencies),
    revisionFor: (ref: string) => revisions.load(placeOf(request), ref, storeFor(request)),
  });
  const checkRun = ({ firstRunId }: Pick<Owner, 'firstRunId'>) => {
    const { workflowExecution } = Context.current().info;
    return checkChain(firstRunId, () => rootOrBlocked(dependencies.rootOf ?? rootByServer, workflowExecution));
  };
  const beginning = async <T>(request: Started, work: () => Promise<T>) => {
    await checkRun(request);
    await begin(request);
    return work();
  };
  /** Stores the run's ids. @throws RunFailureError if the signed start has already started another run */
  const begin = async (request: Started) => {
    const place = placeOf(request);
    await stores.of(place).putAtOnce(runNotes(place, namespaceId));
    if (request.start === undefined || (await stores.bindStart(place, request.start))) return;
    throw new RunFailureError('InvalidInput', USED_START);
  };
  const surroundings = { revisions, gate, holds, viewOf, meters, dependencies, stores };
  const carryOut = (request: NodeRequest) => attemptNode(request, surroundings);
  const activities: Activities = {
    compilePlan: (request) =>
      deferred(async () => {
        const base = await revisionFor(request, request.base);
        const isNoted = base !== undefined || request.start !== undefined;
        if (isNoted) await begin(request);
        const { reuse } = request;
        const isFirst = reuse !== undefined && base === undefined;
        const closed = isFirst ? await findPredecessor(reuse.of, placeOf(request), stores, standingOf) : undefined;
        const results = await earlierRefs(request, dependencies.conversationOf, base);
        // No grant covers a run that reuses results of another run, since the signer of a grant has not seen these results.
        const mayBeGranted = base === undefined && reuse === undefined;
        const grants = mayBeGranted && {
          grants: { keys, rules: dependencies.policy?.rules, store: dependencies.store },
        };
        const to = { stores, store: storeFor(request), standingOf, ...(!isNoted && { namespaceId }), ...grants };
        const reply = await compileAndStore(request, registry, to, base, {
          results,
          isWhole: true,
          ...(closed && { closed }),
        });
        return reply.ok ? { ...reply, project: projectPolicy(dependencies) } : reply;
      }),
    planGoal: (request) =>
      deferred(() =>
        within(tracing, planningSpan(request.stage), () =>
          beginning(request, () => planGoal(request, planning(request))),
        ),
      ),
    reportFailure: (request) => deferred(() => explainFailure(request, planning(request))),
    decideStep: (request) =>
      deferred(() =>
        within(tracing, planningSpan('decide'), () =>
          beginning(request, () => decideStep(request, { ...planning(request), policy: dependencies.loopPolicy })),
        ),
      ),
    runPart: createPartRunner(surroundings),
    runTask: carryOut,
    makeQuestion: carryOut,
    combine: carryOut,
    storeAnswer: (request) =>
      deferred(async () => {
        const store = storeFor(request);
        const revision = await revisionFor(request, request.revision);
        const reply = await storeAnswer(request, revision, registry, store);
        if (reply.ok) await recordAnswer(request, revision, reply.handle, store);
        return reply;
      }),
    savePages: (request) => withHeartbeat(() => savePages(request, stores.of(placeOf(request)))),
    loadPages: (request) => deferred(() => loadPage(request, stores.of(placeOf(request)))),
    keepResults: (request) =>
      withHeartbeat(async () =>
        keepResults(request, await revisionFor(request, request.revision), registry, stores, dependencies.keepEnd),
      ),
    writeReceipt: (request) =>
      withHeartbeat(async () => {
        await checkRun(request);
        if (dependencies.receipts === undefined) throw new Error(NO_RECEIPT_KEY);
        const { runId = '' } = Context.current().info.workflowExecution ?? {};
        await dependencies.receipts({ ...placeOf(request), runId });
      }),
    lookAtAgents: (request) => withHeartbeat(() => lookAtAgents(request)),
    readKeys: () =>
      withHeartbeat(() => Promise.resolve(keys === undefined ? { keys: {}, unsigned: true as const } : { keys })),
    readInbox: () => withHeartbeat(() => Promise.resolve({ inbox: dependencies.inbox ?? false })),
  };
  return behindDoor(activities, meters);
}

const NO_RECEIPT_KEY = 'this worker has no key for receipts: give it the config of the others';

type InConversation = Pick<Owner, 'firstRunId'> & {
  readonly conversation?: string;
  readonly options?: { readonly conversation?: string };
};
type Started = InConversation & { readonly start?: string };

const USED_START =
  '$.token: this signed start has begun another run, and begins one alone; sign another one, as `planwright run FILE --key KEY` does';

function planningSpan(stage: string) {
  return { name: `plan ${stage}`, facts: { 'gen_ai.operation.name': 'plan', 'planwright.stage': stage } };
}

/** Wraps an activity so that an outage becomes a deferral, after which the run schedules the activity again. */
function deferred<T>(work: () => Promise<T>): Promise<T | Deferral> {
  return withHeartbeat(() => deferOnOutage(work));
}

function projectPolicy(given: ActivityDependencies): ProjectPolicy {
  const { policy, keys, inbox = false, budget, models, spending, mode, receipts } = given;
  const { rules } = policy ?? {};
  return {
    inbox,
    ...(rules !== undefined && { rules }),
    ...(keys !== undefined && { keys }),
    ...(budget !== undefined && { budget }),
    ...(spending !== undefined && { spending }),
    ...(mode !== undefined && { mode }),
    ...(models !== undefined && { planner: true as const }),
    ...(receipts !== undefined && { receipts: true as const }),
  };
}

/** Validates every request before its activity begins. A worker without the encryption key defers. */
export function behindDoor(activities: Activities, meters: Pick<Meters, 'deferred'>): Activities {
  const counting = async (work: Promise<unknown>) => {
    const reply = await work;
    if (isDeferral(reply)) meters.deferred(reply.deferred);
    return reply;
  };
  const rows = Object.entries(activities) as [keyof Activities, (request: never) => Promise<unknown>][];
  const guardedRows = rows.map(([name, work]) => [
    name,
    (request: never) => {
      if (isUndecrypted(request)) return counting(Promise.resolve(LACKS_KEY));
      const problem = problemOf(REQUESTS[name], request);
      if (problem === undefined) return counting(work(request));
      return withHeartbeat(() => Promise.reject(refusal(name, problem)), NOT_BEGUN);
    },
  ]);
  return Object.fromEntries(guardedRows) as Activities;
}

const NOT_BEGUN = { begun: false };
const LACKS_KEY: Deferral = { deferred: 'fault', reason: 'a worker with the key that its run is encrypted with' };

function refusal(name: string, problem: string): Error {
  return new RunFailureError(
    'InvalidInput',
    `the activity ${name} was scheduled with what is no request of a run; ${problem}. Nothing was begun. ` +
      'Run workers of one version, and let only them and the runs of the project schedule activities',
  );
}
