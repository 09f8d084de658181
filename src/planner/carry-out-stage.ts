/** One stage of planning, by name. A run calls it in an activity, a program directly. */

import type { PlanningOutcome, PlanningRequest } from '../protocol/index.ts';
import type { Planner, Staged } from './planner.ts';
import { extractTask, routeGoal } from './extract-task.ts';
import type { PlannerNotes } from './notes.ts';
import { selectCapabilities } from './select-capabilities.ts';
import { planDirect, planFallback, writePlan, type Compile, type Checked, type WrittenPlan } from './write-plan.ts';

/** The outcome for the state machine; for a plan the result of the caller's compiler. */
export type StageOutcome<Result extends Checked> = Exclude<PlanningOutcome, { is: 'compiled' }> | WrittenPlan<Result>;

/**
 * Runs a stage; the returned notes are for the next one.
 * @throws ModelError if a retry may help and this is not the last attempt
 */
export async function runStage<Result extends Checked>(
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
