/** How a goal becomes a plan, and how a loop decides its steps. */

export { runStage, createPlan, type CreatedPlan, type CreatePlanOptions } from './create-plan.ts';
export { askingOf } from './asking.ts';
export { decideRound, modelPolicy, runRound, withTools, type Decider, type PaidModel } from './round/index.ts';
export { isModelFailure, troubleOf, type Planner } from './planner.ts';
export { planShapeOf, writeNodes } from './form/index.ts';
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
export { resultJson, resultText } from './result-text.ts';
