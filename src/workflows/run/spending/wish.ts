/** The share of a budget that work asks for before it begins. */

import type { Work, Ledger } from '../state.ts';
import type { NodeExecutor, PlanningStage } from '../../../protocol/index.ts';
import type { Run } from '../run.ts';
import type { Wish } from './ledger.ts';

/** Whether a planning stage makes its plan without a model. */
export function asksNoModel(stage: PlanningStage): boolean {
  return stage === 'direct' || stage === 'fallback';
}

/** The work that asks models, or counts as a step. */
export function wishOf({ execution, dialogue }: Run, work: Work, askers: Ledger['askers']): Wish | undefined {
  switch (work.kind) {
    case 'plan':
      return dialogue.planning !== undefined && asksNoModel(dialogue.planning.stage) ? undefined : CALLS;
    case 'decide':
    case 'report':
      return CALLS;
    case 'message':
      return work.need.do === 'revise' ? CALLS : undefined;
    case 'node':
      return work.part === undefined ? wishOfNode(execution?.slice, work.node, askers) : undefined;
    case 'draft':
    case 'unused':
    case 'default':
      return undefined;
  }
}

export const CALLS: Wish = { calls: true, steps: 0 };

type Executors = { readonly executors: readonly NodeExecutor[]; readonly executorOf: readonly number[] };

export function wishOfNode(slice: Executors | undefined, node: number, askers: Ledger['askers']): Wish | undefined {
  const executor = slice?.executors[slice.executorOf[node] ?? -1];
  if (executor === undefined || executor.kind === 'combine') return undefined;
  if (executor.kind === 'agent') return { calls: true, steps: 1, lends: true };
  return { calls: askers.includes(executor.label), steps: 1 };
}

export function executorAt({ execution }: Run, node: number): NodeExecutor | undefined {
  return execution?.slice.executors[execution.slice.executorOf[node] ?? -1];
}
