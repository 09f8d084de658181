/** The requests and replies between a run and its planner while a goal becomes a plan. */

import type { PlanIssue } from '../../language/plan/index.ts';
import type { ReuseRequest, SameNodes, SentSlice } from './activities.ts';
import type { ErrorClass } from './failure-types.ts';
import type { RunOptions } from './options.ts';
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

export interface PlanningRequest {
  readonly stage: PlanningStage;
  /** Under which journal key the stage buys what it buys: no two requests of a run share one. */
  readonly call: string;
  /** The id of this work, under which its worker asks whether a model may be asked. Absent in runs of earlier versions. */
  readonly work?: number;
  readonly goal: string;
  /** Reference of what the planner noted so far; absent at the first stage. */
  readonly notes?: string;
  /** The trouble before this stage, for the prompt of `select`, and why `fallback` has come. */
  readonly trouble?: PlanningTrouble;
  /** The answers of people to the planner's questions. */
  readonly answers?: readonly PlannerAnswer[];
  /** The wishes of a person for another plan than the one that is open. */
  readonly revise?: PlanRevision;
  /** A conversation whose history, drafts and memory the planner is given. */
  readonly conversation?: string;
  readonly limits?: RunOptions['limits'];
  readonly context?: RunOptions['context'];
  readonly ruleCapabilities?: readonly string[];
  readonly reuse?: ReuseRequest;
}

export interface PlannerAnswer {
  readonly question: string;
  /** Into the result store. */
  readonly ref: string;
}

export interface PlanRevision {
  /** Reference of the revision that is open. */
  readonly base: string;
  readonly feedback: string;
  readonly by: string;
}

/** A fault of planning: its class, and a message. */
export interface PlanningTrouble {
  readonly severity: ErrorClass;
  /** For the model and for people, in at most 2000 characters. */
  readonly message: string;
}

/** Why a run failed, as the activity is told that words it (Osprey: error node). */
export interface ReportRequest {
  readonly call: string;
  /** The id of this work, under which its worker asks whether a model may be asked. Absent in runs of earlier versions. */
  readonly work?: number;
  readonly severity: ErrorClass;
  readonly task: string;
  /** The operation that failed. */
  readonly operation: string;
  readonly message: string;
  /** In the order in which they ended. */
  readonly done: readonly string[];
  readonly failed: readonly string[];
}

export interface ReportReply {
  readonly report: string;
  readonly usage: Usage;
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
