import type { PlanIssue } from '../plan/index.ts';
import { SAME_NODES, SENT } from './activities.ts';
import { ERROR_CLASSES } from './failure-types.ts';
import { QUESTION } from './question.ts';
import { allOf, byKey, oneOf, typed, type Of } from './shape.ts';

/** For each group of stages: attempts, the first pause in ms, and the factor by which pauses grow. */
const RETRIES = {
  extraction: { attempts: 3, initialMs: 1000, factor: 1.5 },
  classification: { attempts: 4, initialMs: 1000, factor: 1.8 },
  writing: { attempts: 4, initialMs: 2000, factor: 2 },
};

interface StageRow {
  readonly title: string;
  readonly summary: string;
  /** Retries by Temporal. Clients of models make no retries. */
  readonly retry: { readonly attempts: number; readonly initialMs: number; readonly factor: number };
}

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

/** A stage of planning. `direct` and `fallback` make a plan of one step without a model. */
export type PlanningStage = keyof typeof PLANNING;
export const PLANNING_STAGES = Object.keys(PLANNING) as readonly PlanningStage[];

/** How the stage `route` can decide to run a goal. */
export const ROUTES = ['direct', 'plan-first', 'reactive'] as const;
export type Route = (typeof ROUTES)[number];

export const TROUBLE = {
  severity: oneOf(ERROR_CLASSES),
  /** A text for the model and for people, at most 2000 characters. */
  message: 'text',
} as const;

export interface PlanningTrouble extends Of<typeof TROUBLE> {}

const FAILED = { trouble: typed<PlanningTrouble>(TROUBLE) } as const;
export const ISSUES = [typed<PlanIssue>('record')] as const;

export const PLANNING_OUTCOME = byKey('is', {
  extracted: {},
  routed: { route: oneOf(ROUTES) },
  selected: { count: 'count' },
  /** A plan that compiles. A revision also maps its nodes to the open plan. `answers`: the plan only answers a chat. */
  compiled: allOf(SENT, SAME_NODES, { answers: 'true?' }),
  asks: { question: QUESTION },
  invalid: { ...FAILED, issues: ISSUES },
  /** A model or provider failed, and another attempt cannot help. Only the fallback remains. */
  failed: FAILED,
});
export type PlanningOutcome = Of<typeof PLANNING_OUTCOME>;

/** A line of a plan that is being written, with its node's id and task. Each text may be cut. */
export const PLAN_LINE = { text: 'text', key: 'text?', task: 'text?' } as const;

export interface PlanLine extends Of<typeof PLAN_LINE> {}

/** Maximum characters of a line of a plan that is being written. Longer lines are cut. */
export const PLAN_LINE_CHARACTERS = 200;
