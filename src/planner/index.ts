export { runStage, createPlan, type CreatedPlan, type CreatePlanOptions } from './create-plan.ts';
export { askingOf } from './asking.ts';
export { decideRound } from './round/decide-round.ts';
export { modelPolicy } from './round/model-policy.ts';
export type { PaidModel } from './round/round-context.ts';
export { runRound } from './round/run-round.ts';
export { withTools, type Decider } from './round/tools.ts';
export { isModelFailure, troubleOf, type Planner } from './planner.ts';
export { writtenFormOf, writeNodes } from './form/index.ts';
export {
  openNotes,
  reopenNotes,
  readConversation,
  withAnswers,
  type ConversationSources,
  type EarlierResult,
  type PlannerNotes,
} from './notes.ts';
export { createFeedback, type Feedback } from './partial.ts';
export {
  fenced,
  instructionsFor,
  readPrompts,
  type PromptParts,
  type Prompts,
  type PromptTemplate,
} from './prompts/index.ts';
export { messageFor, reportFailure } from './report.ts';
export { sameMeaning } from './same-meaning.ts';
export { resultJson, resultText } from './round/observed.ts';
