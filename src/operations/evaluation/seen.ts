/** What attempts are made with, and the facts about one that graders judge. */

import type { Agent, Capability, LoopPolicy } from '../../capabilities/index.ts';
import type { Catalogue, CompiledPlan, JsonValue, TaskNode } from '../../plan/index.ts';
import type { CreatePlanOptions } from '../../planner/index.ts';
import type { Usage } from '../../protocol/index.ts';
import type { ResultStore } from '../../store/index.ts';

type Planner = Pick<CreatePlanOptions, 'model' | 'prompts' | 'format' | 'withheld' | 'signal' | 'sleep'>;

export interface EvalSurroundings extends Planner {
  readonly agents: readonly Agent[];
  readonly capabilities: readonly Capability[];
  readonly catalogue: Catalogue;
  /** Decides the steps of loops. Default: the model does. */
  readonly policy?: LoopPolicy | undefined;
  /** The journal of the replies. */
  readonly store: ResultStore;
}

/**
 * How a plan came to be: at the first writing, after its mistakes were told, or by no model. The best comes first. A loop
 * is `repaired` where a reply was no step, and a `fallback` where it has no end.
 */
export const WAYS = ['at-once', 'repaired', 'fallback'] as const;
export type Way = (typeof WAYS)[number];

/** Effects, the mildest first. */
export const EFFECT_ORDER = ['read', 'idempotent', 'at-most-once'] as const;

/** A step that a loop has decided, or one of several reads. */
export interface SeenStep {
  /** The capability or agent, or `submit_plan`. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, JsonValue>>;
}

export interface Seen {
  /** Absent for a loop. */
  readonly plan?: CompiledPlan;
  /** The tasks of the plan, or of all steps. */
  readonly tasks: readonly TaskNode[];
  /** In the order in which they were decided; present for a loop. */
  readonly steps?: readonly SeenStep[];
  readonly way: Way;
  /** Questions that were asked. */
  readonly asked: number;
  readonly catalogue: Catalogue;
}

/** An attempt before it is graded. */
export interface Made {
  readonly seen: Seen;
  /** The cost of its replies when they were bought. */
  readonly usage: Usage;
  /** Why it is a fallback, or has no end. */
  readonly trouble?: string | undefined;
}

/** The names of the capabilities and agents that carry out the tasks, each once. */
export function executorsOf({ tasks, catalogue }: Seen): ReadonlySet<string> {
  return new Set(tasks.flatMap((task) => executorOf(task, catalogue)?.name ?? []));
}

export function executorOf({ capability, agent }: TaskNode, catalogue: Catalogue) {
  if (capability !== undefined) return catalogue.executor('capability', capability);
  return agent === undefined ? catalogue.defaultExecutor : catalogue.executor('agent', agent);
}
