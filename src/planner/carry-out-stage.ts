/** One stage of planning, by its name: a run has an activity do it, and a program without a run does it itself. */

import type { PlanningOutcome, PlanningRequest } from '../protocol/index.ts';
import type { Planner, Staged } from './planner.ts';
import { extractTask, routeGoal } from './extract-task.ts';
import type { PlannerNotes } from './notes.ts';
import { selectCapabilities } from './select-capabilities.ts';
import { planDirect, planFallback, writePlan, type Compile, type Compiled, type Written } from './write-plan.ts';

/** The outcome as the machine takes it, but for a plan: that is the result of the caller's compiler. */
export type StageOutcome<Result extends Compiled> = Exclude<PlanningOutcome, { is: 'compiled' }> | Written<Result>;

/**
 * Carries out a stage; the notes that come back are those of the next one.
 * @throws ModelError where another attempt may help, unless the planner says that this is the last
 * @example const { notes, outcome } = await carryOutStage(planner, openNotes(goal), { stage: 'extract' }, compile);
 */
export async function carryOutStage<Result extends Compiled>(
  planner: Planner,
  notes: PlannerNotes,
  { stage, trouble }: Pick<PlanningRequest, 'stage' | 'trouble'>,
  compile: Compile<Result>,
): Promise<Staged<StageOutcome<Result>>> {
  switch (stage) {
    case 'extract':
      return extractTask(planner, notes);
    case 'route':
      return routeGoal(planner, notes);
    case 'select':
      return selectCapabilities(planner, notes, trouble);
    case 'write':
      return writePlan(planner, notes, compile);
    case 'direct':
      return planDirect(notes, compile);
    case 'fallback':
      return planFallback(planner, notes, compile);
  }
}
