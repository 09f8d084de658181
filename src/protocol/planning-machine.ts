/**
 * How a goal becomes a plan, stage after stage (Osprey: order of planning): a pure machine that a run and a program without a
 * run go through alike. The stages themselves are the planner's.
 */

import type { Unsaid } from './read-input.ts';
import type { PlanningOutcome, PlanningStage, PlanningTrouble } from './planning.ts';
import type { Question } from './question.ts';
import type { PlannerAnswer } from './requests.ts';
import type { Usage } from './spending.ts';

/** Plain data. */
export interface Planning<Stage extends PlanningStage = PlanningStage> {
  readonly goal: string;
  /** Only `auto` lets a model choose how the goal is run. */
  readonly mode: 'plan-first' | 'auto';
  readonly stage: Stage;
  /** Reference of what the planner noted. */
  readonly notes?: string;
  /** Selections so far, plans so far, and model calls for the plan under way. */
  readonly classifications: number;
  readonly plans: number;
  readonly calls: number;
  /** Requests of all stages. */
  readonly requests: number;
  /** The number of the planner's questions, its answers, and the id of the open question. */
  readonly asked: number;
  readonly answers?: readonly PlannerAnswer[];
  readonly waitsFor?: string;
  readonly usage: Usage;
  /** What the project will set, while the project is unknown. */
  readonly unsaid?: Unsaid;
  /** The trouble with the plan under way; a new plan begins without. */
  readonly trouble?: PlanningTrouble;
  /** The plan to replace; absent in the planning of a goal's first plan. */
  readonly anew?: Anew;
}

/** An open plan that is replaced after a failed step (Osprey: replanning). */
export interface Anew {
  readonly digest: string;
  /** The failure that is the reason, in a sentence for people. */
  readonly why: string;
  /** How the plan went so far, for the planner. */
  readonly report: string;
  /** The ids of nodes that would end without a result once more, as they are. */
  readonly lost: readonly string[];
}

/** What the plannings of a run have used up for replans, and what replans start from. */
export interface Replanned extends Pick<Planning, 'classifications' | 'plans' | 'asked'> {
  /** The notes of the last planning that made a plan: its task, and the capabilities that were selected. */
  readonly notes?: string;
}

export type PlanningStep =
  | { readonly next: 'stage'; readonly planning: Planning }
  | { readonly next: 'ask'; readonly planning: Planning; readonly question: Question }
  /** `outcome` is the compiled plan; `isFallback`: no model has made it. */
  | {
      readonly next: 'plan';
      readonly planning: Planning;
      readonly outcome: Extract<PlanningOutcome, { is: 'compiled' }>;
      readonly isFallback: boolean;
    }
  | { readonly next: 'reactive'; readonly planning: Planning }
  | { readonly next: 'fail'; readonly planning: Planning; readonly trouble: PlanningTrouble };

/** Osprey: planning limits. Every planning call counts, invalid ones included: 2 plans of 1 + 2 calls. */
export const MAX_CLASSIFICATIONS = 2;
/**
 * @bound [models] plans for one goal, and again after a failed step
 * @beyond the fallback; then the run fails as it would have
 */
export const MAX_PLANS = 2;
/**
 * @bound [models] model calls for one plan of a planner
 * @beyond other capabilities are selected, or another plan begins
 */
export const MAX_CALLS_PER_PLAN = 3;
/**
 * The planner has to assume further answers.
 * @bound [models] questions of a planner about one goal
 * @beyond it has to assume the answer
 */
export const MAX_PLANNER_QUESTIONS = 3;

export const NO_USAGE: Usage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

const FIRST = 'extract';

/** @param from `write` to revise an existing plan */
export function openPlanning(goal: string, mode: Planning['mode'], from: typeof FIRST | 'write' = FIRST): Planning {
  return entering(
    { goal, mode, stage: from, classifications: 0, plans: 0, calls: 0, requests: 0, asked: 0, usage: NO_USAGE },
    from,
  );
}

/** Whether another plan may replace one with a failed step: as many as for a goal. */
export function mayReplan({ plans }: Pick<Replanned, 'plans'>): boolean {
  return plans < MAX_PLANS;
}

/**
 * Starts a replan. If the failure calls for other capabilities and some were selected before, it starts with a new
 * selection.
 */
export function openReplanning(goal: string, anew: Anew, before: Replanned, trouble: PlanningTrouble): Planning {
  const { notes, classifications } = before;
  const isOfSelection = trouble.severity === 'RECLASSIFICATION' && notes !== undefined;
  const from = isOfSelection && classifications < MAX_CLASSIFICATIONS ? 'select' : 'write';
  const fresh = { goal, mode: 'plan-first', stage: from, calls: 0, requests: 0, usage: NO_USAGE } as const;
  return entering({ ...fresh, ...before, anew, trouble }, from);
}

type Among<All extends Some, Some> = All;
/** Every stage is entered by some step: a stage that none enters does not compile here. */
type Entered = Among<
  PlanningStage,
  typeof FIRST | Extract<ReturnType<typeof stepAfter>, { next: 'stage' }>['planning']['stage']
>;

/** The step after this outcome of the planning's stage. */
export function afterStage(
  before: Planning & { readonly stage: Entered },
  { notes, usage, outcome }: { readonly notes?: string; readonly usage: Usage; readonly outcome: PlanningOutcome },
): PlanningStep {
  const heard = { ...(notes !== undefined && { notes }), usage: addUsage(before.usage, usage) };
  return stepAfter({ ...before, ...heard }, outcome);
}

// The return type and those of the called functions are inferred: they name the stages.
function stepAfter(planning: Planning, outcome: PlanningOutcome) {
  switch (outcome.is) {
    case 'extracted':
      return planning.mode === 'auto' ? to(planning, 'route') : to(planning, 'select');
    case 'routed':
      if (outcome.route === 'reactive') return { next: 'reactive', planning } as const;
      return outcome.route === 'direct' ? to(planning, 'direct') : to(planning, 'select');
    case 'selected':
      return outcome.count > 0 ? to(planning, 'write') : afterNoneSelected(planning);
    case 'compiled':
      return { next: 'plan', planning, outcome, isFallback: planning.stage === 'fallback' } as const;
    case 'asks':
      if (planning.asked >= MAX_PLANNER_QUESTIONS) {
        return afterInvalid(planning, { severity: 'REPLANNING', message: TOO_MANY_QUESTIONS });
      }
      return asking(planning, outcome.question);
    case 'invalid':
      return afterInvalid(planning, outcome.trouble);
    case 'failed':
      return toFallback(planning, outcome.trouble);
  }
}

function asking(before: Planning, question: Question) {
  const asked = before.asked + 1;
  return { next: 'ask', planning: { ...before, asked, waitsFor: `planner.${asked}` }, question } as const;
}

/** A person has answered: the same call is made again, with that. */
export function afterAnswer(before: Planning, answer: PlannerAnswer): Planning {
  const { waitsFor: _, ...planning } = before;
  return { ...planning, requests: planning.requests + 1, answers: [...(planning.answers ?? []), answer] };
}

const NONE_SELECTED = 'No capability was selected for the task.';
const TOO_MANY_QUESTIONS = `At most ${MAX_PLANNER_QUESTIONS} questions may be asked; make the plan with what is known, and say what is assumed.`;

/** The model sees what was wrong. If that does not help, other capabilities are selected, or another plan begins. */
function afterInvalid(planning: Planning, trouble: PlanningTrouble) {
  // Only a plan can be written again: any other stage that fails is left to the fallback.
  if (planning.stage !== 'write') return toFallback(planning, trouble);
  if (planning.calls < MAX_CALLS_PER_PLAN) {
    return to({ ...planning, trouble }, 'write');
  }
  const { classifications, plans } = planning;
  if (plans >= MAX_PLANS) return toFallback(planning, trouble);
  // A revised plan had no selection, and has the capabilities of its own plan.
  const isOfSelection = trouble.severity === 'RECLASSIFICATION' && classifications > 0;
  if (isOfSelection && classifications < MAX_CLASSIFICATIONS) return reselecting(planning, trouble);
  return to({ ...planning, calls: 0 }, 'write');
}

/** A planning that has selected no capability cannot make a plan. */
function afterNoneSelected(planning: Planning) {
  const trouble: PlanningTrouble = { severity: 'RECLASSIFICATION', message: NONE_SELECTED };
  return planning.classifications < MAX_CLASSIFICATIONS
    ? reselecting(planning, trouble)
    : toFallback(planning, trouble);
}

function reselecting(planning: Planning, trouble: PlanningTrouble) {
  return to({ ...planning, calls: 0, trouble }, 'select');
}

function toFallback(planning: Planning, trouble: PlanningTrouble) {
  if (planning.stage === 'fallback') return { next: 'fail', planning, trouble } as const;
  return to({ ...planning, trouble }, 'fallback');
}

function to<Stage extends PlanningStage>(planning: Planning, stage: Stage) {
  return { next: 'stage', planning: entering(planning, stage) } as const;
}

function entering<Stage extends PlanningStage>(planning: Planning, stage: Stage): Planning<Stage> {
  const isNewPlan = stage === 'write' && planning.calls === 0;
  const { trouble, ...rest } = planning;
  return {
    ...rest,
    ...(trouble !== undefined && !isNewPlan && { trouble }),
    stage,
    requests: planning.requests + 1,
    classifications: planning.classifications + Number(stage === 'select'),
    plans: planning.plans + Number(isNewPlan),
    calls: stage === 'write' ? planning.calls + 1 : planning.calls,
  };
}

/** If the price of one call is unknown, so is the sum. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cost = sumOfCosts(a, b);
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cost !== undefined && { cost }),
  };
}

function sumOfCosts(a: Usage, b: Usage): number | undefined {
  if (a.calls === 0) return b.cost;
  if (b.calls === 0) return a.cost;
  return a.cost === undefined || b.cost === undefined ? undefined : a.cost + b.cost;
}
