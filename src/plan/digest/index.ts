export { canonicalJson, canonicalText } from './canonical-json.ts';
export {
  CONTEXT_DEPTH,
  contextProblem,
  contextRef,
  contextRefs,
  contextText,
  lacksContext,
  RESULT_FORMAT,
  withoutContext,
  type ContextRefs,
  completePlan,
  decodePlan,
  encodePlan,
  combineKey,
  keyWithGoal,
  taskKey,
} from './encode-plan.ts';
export { withMeaning } from './task-fields.ts';
