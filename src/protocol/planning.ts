/** The requests and replies between a run and its planner while a goal becomes a plan. */

import type { PlanIssue } from '../plan/index.ts';
import { SAME_NODES, SENT } from './activities.ts';
import { ERROR_CLASSES } from './failure-types.ts';
import { QUESTION } from './question.ts';
import { allOf, byKey, oneOf, typed, type Of } from './shape.ts';

/** Attempts, the pause after the first in milliseconds, and by what it grows (Osprey: retry policies). */
const RETRIES = {
  /** Attempts at the task. The first pause between calls of `extract`. */
  extraction: { attempts: 3, initialMs: 1000, factor: 1.5 },
  /** Attempts at the way and at the selection. The first pause between calls of `route` and of `select`. */
  classification: { attempts: 4, initialMs: 1000, factor: 1.8 },
  /** Attempts at the plan. The first pause between calls of `write`. */
  writing: { attempts: 4, initialMs: 2000, factor: 2 },
};

interface StageRow {
  /** For people who watch the planning or read a run's history. */
  readonly title: string;
  readonly summary: string;
  /** Temporal applies it; the clients of models do not retry. */
  readonly retry: { readonly attempts: number; readonly initialMs: number; readonly factor: number };
}

/**
 * The stages from a goal to a plan (Osprey: order of planning). `extract` finds the task, `route` the mode, `select`
 * the capabilities, and `write` makes the plan. `direct` and `fallback` ask no model: a plan of one `respond` step, and
 * one step for the first agent.
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

export const TROUBLE = {
  severity: oneOf(ERROR_CLASSES),
  /** For the model and for people, in at most 2000 characters. */
  message: 'text',
} as const;

/** A fault of planning: its class, and a message. */
export interface PlanningTrouble extends Of<typeof TROUBLE> {}

const FAILED = { trouble: typed<PlanningTrouble>(TROUBLE) } as const;
export const ISSUES = [typed<PlanIssue>('record')] as const;

export const PLANNING_OUTCOME = byKey('is', {
  /** `extract` is done. */
  extracted: {},
  routed: { route: oneOf(ROUTES) },
  /** How many capabilities were selected. */
  selected: { count: 'count' },
  /** A plan that compiles. For a revision it maps nodes to the open plan. `answers`: it only answers a chat. */
  compiled: allOf(SENT, SAME_NODES, { answers: 'true?' }),
  /** The planner has to know something first. */
  asks: { question: QUESTION },
  /** The reply is not a plan, or a plan with problems. */
  invalid: { ...FAILED, issues: ISSUES },
  /** A model or a provider failed for good; the fallback is left. */
  failed: FAILED,
});
export type PlanningOutcome = Of<typeof PLANNING_OUTCOME>;

/** A line of a plan that is written, and the id and task of the node that it is about. Each may be cut. */
export const PLAN_LINE = { text: 'text', key: 'text?', task: 'text?' } as const;

export interface PlanLine extends Of<typeof PLAN_LINE> {}

/**
 * @bound a text of such a line
 * @beyond cut
 */
export const PLAN_LINE_CHARACTERS = 200;
