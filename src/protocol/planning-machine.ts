import type { OpenChoices } from './read-input.ts';
import type { PlanningOutcome, PlanningStage, PlanningTrouble } from './planning.ts';
import type { Question } from './question.ts';
import type { PlannerAnswer } from './requests.ts';
import type { Usage } from './spending.ts';

export interface Planning<Stage extends PlanningStage = PlanningStage> {
  readonly goal: string;
  /** `plan-first`: the planner makes a whole plan. `auto`: a model chooses how the goal is run. */
  readonly mode: 'plan-first' | 'auto';
  readonly stage: Stage;
  readonly notes?: string;
  /** Counts so far: `classifications` (selections of capabilities), plans, and model calls for the current plan. */
  readonly classifications: number;
  readonly plans: number;
  readonly calls: number;
  readonly requests: number;
  /** The number of questions that the planner has asked, the answers so far, and the id of the open question. */
  readonly asked: number;
  readonly answers?: readonly PlannerAnswer[];
  readonly waitsFor?: string;
  readonly usage: Usage;
  /** The settings that the starter left to the project; absent once the project is known. */
  readonly unsaid?: OpenChoices;
  /** The problem with the current plan. A new plan starts without one. */
  readonly trouble?: PlanningTrouble;
  /** The plan to replace; absent for the first plan of the goal. */
  readonly anew?: PlanToReplace;
}

export interface PlanToReplace {
  readonly digest: string;
  /** The failure that caused the replan, as a sentence for people. */
  readonly why: string;
  /** The plan's progress so far, as text for the planner. */
  readonly report: string;
  /** Ids of nodes that would fail again if the new plan has them unchanged. */
  readonly lost: readonly string[];
}

/** What earlier plannings of a run have used. It limits further replans. */
export interface Replanned extends Pick<Planning, 'classifications' | 'plans' | 'asked'> {
  /** Reference of the notes of the last planning with a plan: its task and selected capabilities. */
  readonly notes?: string;
}

export type PlanningStep =
  | { readonly next: 'stage'; readonly planning: Planning }
  | { readonly next: 'ask'; readonly planning: Planning; readonly question: Question }
  /** `outcome` is the compiled plan. `isFallback` if it was made without a model. */
  | {
      readonly next: 'plan';
      readonly planning: Planning;
      readonly outcome: Extract<PlanningOutcome, { is: 'compiled' }>;
      readonly isFallback: boolean;
    }
  | { readonly next: 'reactive'; readonly planning: Planning }
  | { readonly next: 'fail'; readonly planning: Planning; readonly trouble: PlanningTrouble };

export const MAX_CLASSIFICATIONS = 2;
/**
 * @bound [models] plans for one goal, and again after a failed step
 * @beyond the planner uses the fallback; a replan without a fallback ends in the original failure
 */
export const MAX_PLANS = 2;
/**
 * Invalid replies count too.
 * @bound [models] model calls for one plan of a planner
 * @beyond the planner selects other capabilities, or starts another plan
 */
export const MAX_CALLS_PER_PLAN = 3;
/** @bound [models] questions of a planner about one goal @beyond the planner must make an assumption instead */
export const MAX_PLANNER_QUESTIONS = 3;

export const NO_USAGE: Usage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

const FIRST = 'extract';

/** Starts planning. @param from `write` to revise an existing plan */
export function openPlanning(goal: string, mode: Planning['mode'], from: typeof FIRST | 'write' = FIRST): Planning {
  return entering(
    { goal, mode, stage: from, classifications: 0, plans: 0, calls: 0, requests: 0, asked: 0, usage: NO_USAGE },
    from,
  );
}

/** Whether a run may make another plan after a step failed. Plans of earlier replans count. */
export function mayReplan({ plans }: Pick<Replanned, 'plans'>): boolean {
  return plans < MAX_PLANS;
}

/** Starts a replan. If the failure requires other capabilities, the replan starts with a new selection. */
export function openReplanning(
  goal: string,
  old: PlanToReplace,
  before: Replanned,
  trouble: PlanningTrouble,
): Planning {
  const { notes, classifications } = before;
  const isOfSelection = trouble.severity === 'RECLASSIFICATION' && notes !== undefined;
  const from = isOfSelection && classifications < MAX_CLASSIFICATIONS ? 'select' : 'write';
  const fresh = { goal, mode: 'plan-first', stage: from, calls: 0, requests: 0, usage: NO_USAGE } as const;
  return entering({ ...fresh, ...before, anew: old, trouble }, from);
}

type Among<All extends Some, Some> = All;
/** If no step enters one of the stages, this is a type error. */
type Entered = Among<
  PlanningStage,
  typeof FIRST | Extract<ReturnType<typeof stepAfter>, { next: 'stage' }>['planning']['stage']
>;

export function afterStage(
  before: Planning & { readonly stage: Entered },
  { notes, usage, outcome }: { readonly notes?: string; readonly usage: Usage; readonly outcome: PlanningOutcome },
): PlanningStep {
  const heard = { ...(notes !== undefined && { notes }), usage: addUsage(before.usage, usage) };
  return stepAfter({ ...before, ...heard }, outcome);
}

// The return type is inferred, since `Entered` derives the names of the stages from it.
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

/** Continues after a person's answer: repeats the model call with the answer. */
export function afterAnswer(before: Planning, answer: PlannerAnswer): Planning {
  const { waitsFor: _, ...planning } = before;
  return { ...planning, requests: planning.requests + 1, answers: [...(planning.answers ?? []), answer] };
}

const NONE_SELECTED = 'No capability was selected for the task.';
const TOO_MANY_QUESTIONS = `At most ${MAX_PLANNER_QUESTIONS} questions may be asked; make the plan with what is known, and say what is assumed.`;

/** After an invalid plan the model tries again, selects again, then plans again. The last resort is the fallback. */
function afterInvalid(planning: Planning, trouble: PlanningTrouble) {
  // Only `write` may be repeated. If another stage fails, the fallback follows.
  if (planning.stage !== 'write') return toFallback(planning, trouble);
  if (planning.calls < MAX_CALLS_PER_PLAN) {
    return to({ ...planning, trouble }, 'write');
  }
  const { classifications, plans } = planning;
  if (plans >= MAX_PLANS) return toFallback(planning, trouble);
  // A revision makes no selection, since it uses the capabilities of the earlier plan.
  const isOfSelection = trouble.severity === 'RECLASSIFICATION' && classifications > 0;
  if (isOfSelection && classifications < MAX_CLASSIFICATIONS) return reselecting(planning, trouble);
  return to({ ...planning, calls: 0 }, 'write');
}

/** Without capabilities no plan is possible, so the selection is repeated or the fallback follows. */
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

/** Adds up usage. If the price of one call is unknown, the sum has none. */
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
