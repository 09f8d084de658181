/** The requests and replies between a run and its planner while a goal becomes a plan. */

import type { PlanIssue } from '../../language/plan/index.ts';
import type { SameNodes, SentSlice } from './activities.ts';
import type { ErrorClass } from './failure-types.ts';
import type { ProjectPolicy } from './project.ts';
import type { Question } from './question.ts';

/** The cost of model calls: tokens, calls, and money where the prices are known. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** In the currency of the price table; absent where a model has no price. */
  readonly cost?: number;
}

/**
 * The stages in which a goal becomes a plan (Osprey: order of planning). `extract` says what the task is, `route` how it is
 * to be run, `select` which capabilities it takes, `write` makes the plan. `direct` and `fallback` ask no model: a plan of
 * one `respond` step, and one step for the first agent.
 */
export const PLANNING_STAGES = ['extract', 'route', 'select', 'write', 'direct', 'fallback'] as const;

/**
 * The stage of planning: `extract` the task, `route` the goal, `select` capabilities, `write` the plan. `direct` and
 * `fallback` make a plan of one step without a model.
 */
export type PlanningStage = (typeof PLANNING_STAGES)[number];

/** How `route` lets a goal be run. */
export const ROUTES = ['direct', 'plan-first', 'reactive'] as const;
export type Route = (typeof ROUTES)[number];

/**
 * Attempts at a stage, the pause after the first in milliseconds, and by what it grows (Osprey: retry policies). Temporal
 * keeps to them; the clients of models do not retry.
 */
export const PLANNING_RETRIES: Readonly<
  Record<PlanningStage, { readonly attempts: number; readonly initialMs: number; readonly factor: number }>
> = {
  extract: { attempts: 3, initialMs: 1000, factor: 1.5 },
  route: { attempts: 4, initialMs: 1000, factor: 1.8 },
  select: { attempts: 4, initialMs: 1000, factor: 1.8 },
  write: { attempts: 4, initialMs: 2000, factor: 2 },
  direct: { attempts: 4, initialMs: 2000, factor: 2 },
  fallback: { attempts: 4, initialMs: 2000, factor: 2 },
};

/** A fault of planning: its class, and a message. */
export interface PlanningTrouble {
  readonly severity: ErrorClass;
  /** For the model and for people, in at most 2000 characters. */
  readonly message: string;
}

export interface PlanningReply {
  readonly stage: PlanningStage;
  /** Reference of what the planner has noted, this stage included: the 64 digits of its digest. */
  readonly notes: string;
  readonly usage: Usage;
  readonly project: ProjectPolicy;
  readonly outcome: PlanningOutcome;
}

export type PlanningOutcome =
  /** `extract` is done. */
  | { readonly is: 'extracted' }
  | { readonly is: 'routed'; readonly route: Route }
  /** How many capabilities were selected. */
  | { readonly is: 'selected'; readonly count: number }
  /** A plan that compiles; which nodes of the open plan it has, where one is revised. */
  | ({ readonly is: 'compiled' } & SameNodes & SentSlice)
  /** The planner has to know something first. */
  | { readonly is: 'asks'; readonly question: Question }
  /** The reply is no plan, or one with problems. */
  | { readonly is: 'invalid'; readonly trouble: PlanningTrouble; readonly issues: readonly PlanIssue[] }
  /** A model or a provider failed for good; the fallback is left. */
  | { readonly is: 'failed'; readonly trouble: PlanningTrouble };
