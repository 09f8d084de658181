/** How a goal becomes a plan. */

export {
  addUsage,
  afterAnswer,
  afterStage,
  MAX_CALLS_PER_PLAN,
  MAX_CLASSIFICATIONS,
  MAX_PLANNER_QUESTIONS,
  MAX_PLANS,
  NO_USAGE,
  openPlanning,
  type Planning,
  type PlanningStep,
} from './planning.ts';
