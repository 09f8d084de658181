/** The activities of a worker, with what they need plugged in. */

import type { CapabilityRegistry } from '../capabilities/index.ts';
import {
  ACTIVITIES,
  type AnswerReply,
  type AnswerRequest,
  type ApprovalRule,
  type CompileReply,
  type CompileRequest,
  type HistoryBudget,
  type KeysReply,
  type LoadReply,
  type LoadRequest,
  type NodeReply,
  type NodeRequest,
  type ProjectPolicy,
  type PublicKeys,
  type SaveReply,
  type SaveRequest,
} from '../contract/index.ts';
import type { ResultStore } from '../results/index.ts';
import { attemptNode } from './attempt-node.ts';
import { compileAndStore } from './compile-plan.ts';
import { createGate, type AskRun } from './gate.ts';
import { guarded } from './guard.ts';
import type { NodeEvent } from './node-event.ts';
import { createViews } from './own-view.ts';
import { loadPage, savePages } from './pages.ts';
import { createRevisionCache } from './revision-cache.ts';
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
  /** How long one history may get; only tests give another than the default. */
  readonly budget?: HistoryBudget;
}

export type Activities = {
  readonly [ACTIVITIES.compile]: (request: CompileRequest) => Promise<CompileReply>;
  readonly [ACTIVITIES.task]: (request: NodeRequest) => Promise<NodeReply>;
  readonly [ACTIVITIES.wait]: (request: NodeRequest) => Promise<NodeReply>;
  readonly [ACTIVITIES.combine]: (request: NodeRequest) => Promise<NodeReply>;
  readonly [ACTIVITIES.store]: (request: AnswerRequest) => Promise<AnswerReply>;
  readonly [ACTIVITIES.save]: (request: SaveRequest) => Promise<SaveReply>;
  readonly [ACTIVITIES.load]: (request: LoadRequest) => Promise<LoadReply>;
  readonly [ACTIVITIES.keys]: () => Promise<KeysReply>;
};

export function createActivities(dependencies: ActivityDependencies): Activities {
  const { registry, store, keys = {} } = dependencies;
  const revisions = createRevisionCache(store);
  const gate = createGate(dependencies.askRun);
  const viewOf = createViews(store, registry);
  const carryOut = (request: NodeRequest) => attemptNode(request, { revisions, gate, viewOf, dependencies });
  return {
    [ACTIVITIES.compile]: (request) =>
      guarded(async () => {
        const base = request.base === undefined ? undefined : await revisions.load(request.base);
        const reply = await compileAndStore(request, registry, store, base);
        return reply.ok ? { ...reply, project: projectPolicy(dependencies) } : reply;
      }),
    [ACTIVITIES.task]: carryOut,
    [ACTIVITIES.wait]: carryOut,
    [ACTIVITIES.combine]: carryOut,
    [ACTIVITIES.store]: (request) =>
      guarded(async () => storeAnswer(request, await revisions.load(request.revision), registry, store)),
    [ACTIVITIES.save]: (request) => guarded(() => savePages(request, store)),
    [ACTIVITIES.load]: (request) => guarded(() => loadPage(request, store)),
    [ACTIVITIES.keys]: () => guarded(() => Promise.resolve({ keys })),
  };
}

function projectPolicy({ policy, keys, inbox = false, budget }: ActivityDependencies): ProjectPolicy {
  const { rules } = policy ?? {};
  return {
    inbox,
    ...(rules !== undefined && { rules }),
    ...(keys !== undefined && { keys }),
    ...(budget !== undefined && { budget }),
  };
}
