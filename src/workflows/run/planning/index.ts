/** How a goal becomes a plan. */

export {
  addUsage,
  afterAnswer,
  afterStage,
  MAX_CALLS_PER_PLAN,
  MAX_CLASSIFICATIONS,
  MAX_PLANNER_QUESTIONS,
  MAX_PLANS,
  mayReplan,
  NO_USAGE,
  openPlanning,
  openReplanning,
  type Planning,
  type PlanningStep,
  type Replanned,
} from './planning.ts';
