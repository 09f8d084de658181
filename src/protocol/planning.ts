/** The requests and replies between a run and its planner while a goal becomes a plan. */

import type { PlanIssue } from '../plan/index.ts';
import type { SameNodes, SentSlice } from './activities.ts';
import type { ErrorClass } from './failure-types.ts';
import type { ProjectPolicy } from './project.ts';
import type { Question } from './question.ts';
import { oneOf, type Of, type Shape } from './shape.ts';
import type { Usage } from './spending.ts';

/** Attempts, the pause after the first in milliseconds, and by what it grows (Osprey: retry policies). */
const RETRIES = {
  /**
   * @bound .attempts attempts at the task
   * @beyond the fallback
   * @bound .initialMs the first pause between calls of `extract`
   * @beyond then 1.5 times as long
   */
  extraction: { attempts: 3, initialMs: 1000, factor: 1.5 },
  /**
   * @bound .attempts attempts at the way and at the selection
   * @beyond the fallback
   * @bound .initialMs the first pause between calls of `route` and of `select`
   * @beyond then 1.8 times as long
   */
  classification: { attempts: 4, initialMs: 1000, factor: 1.8 },
  /**
   * @bound .attempts attempts at the plan
   * @beyond the fallback
   * @bound .initialMs the first pause between calls of `write`
   * @beyond then 2 times as long
   */
  writing: { attempts: 4, initialMs: 2000, factor: 2 },
};

interface StageRow {
  /** For people who watch a program plan, and for those who read a run's history. */
  readonly title: string;
  readonly summary: string;
  /** Temporal keeps to it; the clients of models do not retry. */
  readonly retry: { readonly attempts: number; readonly initialMs: number; readonly factor: number };
}

/**
 * The stages in which a goal becomes a plan (Osprey: order of planning). `extract` says what the task is, `route` how it is
 * to be run, `select` which capabilities it takes, `write` makes the plan. `direct` and `fallback` ask no model: a plan of
 * one `respond` step, and one step for the first agent.
 */
export const PLANNING = {
  extract: { title: 'Reading the goal', summary: 'What is the task?', retry: RETRIES.extraction },
  route: { title: 'Choosing how to pursue it', summary: 'How is it to be run?', retry: RETRIES.classification },
  select: {
    title: 'Selecting capabilities',
    summary: 'Which capabilities does it take?',
    retry: RETRIES.classification,
  },
  write: { title: 'Writing the plan', summary: 'Write the plan', retry: RETRIES.writing },
  direct: { title: 'Answering directly', summary: 'A plan that answers directly', retry: RETRIES.writing },
  fallback: { title: 'Falling back to a plan of one step', summary: 'The fallback plan', retry: RETRIES.writing },
} satisfies Readonly<Record<string, StageRow>>;

/**
 * The stage of planning: `extract` the task, `route` the goal, `select` capabilities, `write` the plan. `direct` and
 * `fallback` make a plan of one step without a model.
 */
export type PlanningStage = keyof typeof PLANNING;
export const PLANNING_STAGES = Object.keys(PLANNING) as readonly PlanningStage[];

/** How `route` lets a goal be run. */
export const ROUTES = ['direct', 'plan-first', 'reactive'] as const;
export type Route = (typeof ROUTES)[number];

/** The outcomes that a stage has of its own; their types follow. */
export const STAGE_OUTCOMES = {
  /** `extract` is done. */
  extracted: {},
  routed: { route: oneOf(ROUTES) },
  /** How many capabilities were selected. */
  selected: { count: 'count' },
} as const satisfies Readonly<Record<string, Shape>>;

type StageOutcome = {
  [Is in keyof typeof STAGE_OUTCOMES]: { readonly is: Is } & Of<(typeof STAGE_OUTCOMES)[Is]>;
}[keyof typeof STAGE_OUTCOMES];

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
  | StageOutcome
  /** A plan that compiles; which nodes of the open plan it has, where one is revised; whether it only answers a chat. */
  | ({ readonly is: 'compiled'; readonly answers?: true } & SameNodes & SentSlice)
  /** The planner has to know something first. */
  | { readonly is: 'asks'; readonly question: Question }
  /** The reply is no plan, or one with problems. */
  | { readonly is: 'invalid'; readonly trouble: PlanningTrouble; readonly issues: readonly PlanIssue[] }
  /** A model or a provider failed for good; the fallback is left. */
  | { readonly is: 'failed'; readonly trouble: PlanningTrouble };
