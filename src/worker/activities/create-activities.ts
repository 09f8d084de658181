/** The activities of a worker, with what they need plugged in. */

import type { CapabilityRegistry } from '../../builtin/index.ts';
import {
  ACTIVITIES,
  type AnswerReply,
  type AnswerRequest,
  type ApprovalRule,
  type CompileReply,
  type CompileRequest,
  PLANNING_RETRIES,
  type DecideReply,
  type DecideRequest,
  type Held,
  type HistoryBudget,
  type KeepRequest,
  type KeysReply,
  type LoadReply,
  type LoadRequest,
  type NodeReply,
  type NodeRequest,
  type PlanningReply,
  type PlanningRequest,
  type ReportReply,
  type ReportRequest,
  type ProjectPolicy,
  type PublicKeys,
  type SaveReply,
  type SaveRequest,
} from '../../wire/contract/index.ts';
import type { ConversationSources } from '../../loop/index.ts';
import type { LoopPolicy } from '../../define/index.ts';
import type { ResultStore } from '../../wire/results/index.ts';
import { attemptNode } from './attempt-node.ts';
import { ATTEMPTS, attempted, counted } from './attempts.ts';
import { compileAndStore } from './compile-plan.ts';
import { decideStep } from './deciding/index.ts';
import { behindDoor } from './door.ts';
import { earlierRefs, keepResults, type KeepEnd } from './earlier-results.ts';
import { markFaults } from './faults.ts';
import { createGate, type AskRun } from './gate.ts';
import { guarded } from './guard.ts';
import { createHolds } from './hold-resource.ts';
import type { NodeEvent } from './node-event.ts';
import { createViews } from './own-view.ts';
import type { ProjectModels } from './models.ts';
import { loadPage, savePages } from './pages.ts';
import { planGoal } from './plan-goal.ts';
import { wordFailure } from './word-failure.ts';
import type { ResourceLocks } from './resource-locks.ts';
import { createRevisionCache } from './revision-cache.ts';
import { keepAnswer } from './keep-node.ts';
import { ownPlace } from './own-place.ts';
import { takeOver, type StandingOf } from './reuse.ts';
import { storeAnswer } from './store-answer.ts';

export interface ActivityDependencies {
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  /** Hears every attempt at a node, before it begins and after it ended. */
  readonly onNode?: (event: NodeEvent) => void;
  /** What the project demands of every run of it. */
  readonly policy?: { readonly rules?: readonly ApprovalRule[] };
  /** Whose word counts; absent when the project has no keys. */
  readonly keys?: PublicKeys;
  /** Whether the search attribute that inboxes look for is registered. Default false. */
  readonly inbox?: boolean;
  /** How a run is asked whether an effect may begin. Default: by a query. */
  readonly askRun?: AskRun;
  /** Whether a run is open, before another goes on from it. Default: the server is asked. */
  readonly standingOf?: StandingOf;
  /** How one writer at a time is seen to, over all runs. Default: by a lock that the server keeps. */
  readonly locks?: ResourceLocks;
  /** What goals are planned with, agents decide with and capabilities may ask. */
  readonly models?: ProjectModels;
  /** How the loops of goals decide. Default: the model does. */
  readonly loopPolicy?: LoopPolicy;
  /** What a conversation has, for the planner. */
  readonly conversationOf?: (id: string) => ConversationSources;
  /** Keeps a plan that the planner made as a draft of its conversation. */
  readonly keepDraft?: (conversation: string, document: unknown, key: string) => Promise<void>;
  /** Keeps in a conversation what a run of it leaves at its end. */
  readonly keepEnd?: KeepEnd;
  /** How long one history may get; only tests give another than the default. */
  readonly budget?: HistoryBudget;
}

export type Activities = {
  readonly [ACTIVITIES.compile]: (request: CompileRequest) => Promise<CompileReply | Held>;
  readonly [ACTIVITIES.plan]: (request: PlanningRequest) => Promise<PlanningReply | Held>;
  readonly [ACTIVITIES.report]: (request: ReportRequest) => Promise<ReportReply | Held>;
  readonly [ACTIVITIES.decide]: (request: DecideRequest) => Promise<DecideReply | Held>;
  readonly [ACTIVITIES.task]: (request: NodeRequest) => Promise<NodeReply>;
  readonly [ACTIVITIES.wait]: (request: NodeRequest) => Promise<NodeReply>;
  readonly [ACTIVITIES.combine]: (request: NodeRequest) => Promise<NodeReply>;
  readonly [ACTIVITIES.store]: (request: AnswerRequest) => Promise<AnswerReply | Held>;
  readonly [ACTIVITIES.save]: (request: SaveRequest) => Promise<SaveReply>;
  readonly [ACTIVITIES.load]: (request: LoadRequest) => Promise<LoadReply>;
  readonly [ACTIVITIES.keep]: (request: KeepRequest) => Promise<void>;
  readonly [ACTIVITIES.keys]: () => Promise<KeysReply>;
};

export function createActivities(given: ActivityDependencies): Activities {
  const dependencies = { ...given, store: markFaults(given.store) };
  const { registry, store, keys } = dependencies;
  const revisions = createRevisionCache(store);
  const gate = createGate(dependencies.askRun);
  const holds = createHolds(dependencies.locks);
  const viewOf = createViews(store, registry);
  const revisionFor = async (ref: string | undefined) => (ref === undefined ? undefined : revisions.load(ref));
  const planning = () => ({
    registry,
    store,
    gate,
    models: dependencies.models,
    conversationOf: dependencies.conversationOf,
    keepDraft: dependencies.keepDraft,
    project: projectPolicy(dependencies),
    revisionFor: (ref: string) => revisions.load(ref),
  });
  const carryOut = (request: NodeRequest) => attemptNode(request, { revisions, gate, holds, viewOf, dependencies });
  return behindDoor({
    [ACTIVITIES.compile]: (request) =>
      attempted(ATTEMPTS.compile, async () => {
        const base = await revisionFor(request.base);
        const { reuse } = request;
        if (reuse !== undefined && base === undefined)
          await takeOver(reuse.of, ownPlace(), store, dependencies.standingOf);
        const results = await earlierRefs(request, dependencies.conversationOf, base);
        const reply = await compileAndStore(request, registry, store, base, { results, isWhole: true });
        return reply.ok ? { ...reply, project: projectPolicy(dependencies) } : reply;
      }),
    [ACTIVITIES.plan]: (request) =>
      attempted(PLANNING_RETRIES[request.stage].attempts, () => planGoal(request, planning())),
    [ACTIVITIES.report]: (request) => attempted(ATTEMPTS.report, () => wordFailure(request, planning())),
    [ACTIVITIES.decide]: (request) =>
      attempted(ATTEMPTS.decide, () => decideStep(request, { ...planning(), policy: dependencies.loopPolicy })),
    [ACTIVITIES.task]: carryOut,
    [ACTIVITIES.wait]: carryOut,
    [ACTIVITIES.combine]: carryOut,
    [ACTIVITIES.store]: (request) =>
      attempted(ATTEMPTS.answer, async () => {
        const revision = await revisionFor(request.revision);
        const reply = await storeAnswer(request, revision, registry, store);
        if (reply.ok) await keepAnswer(request, revision, reply.handle, store);
        return reply;
      }),
    [ACTIVITIES.save]: (request) => counted(ATTEMPTS.save, () => savePages(request, store)),
    [ACTIVITIES.load]: (request) => guarded(() => loadPage(request, store)),
    [ACTIVITIES.keep]: (request) =>
      counted(ATTEMPTS.keep, async () =>
        keepResults(request, await revisionFor(request.revision), registry, dependencies.keepEnd),
      ),
    [ACTIVITIES.keys]: () =>
      counted(ATTEMPTS.keys, () =>
        Promise.resolve(keys === undefined ? { keys: {}, unsigned: true as const } : { keys }),
      ),
  });
}

function projectPolicy({ policy, keys, inbox = false, budget, models }: ActivityDependencies): ProjectPolicy {
  const { rules } = policy ?? {};
  return {
    inbox,
    ...(rules !== undefined && { rules }),
    ...(keys !== undefined && { keys }),
    ...(budget !== undefined && { budget }),
    ...(models !== undefined && { planner: true as const }),
  };
}
