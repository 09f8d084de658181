/** The door of `planner`: the model side. Models behind one interface, with what their calls cost and a journal of replies. */

export {
  costOf,
  journaled,
  lineOf,
  MODEL_ERROR_KINDS,
  ModelError,
  openAIClient,
  paidBy,
  scriptedClient,
} from './model/index.ts';
export { carryOutStage } from './carry-out-stage.ts';
export { createPlan, type CreatedPlan, type CreatePlanOptions } from './create-plan.ts';
export { isModelFailure, troubleOf, type PlannerDesk } from './desk.ts';
export { formOf, writeNodes } from './form/index.ts';
export {
  openNotes,
  readConversation,
  withAnswers,
  type ConversationSources,
  type EarlierResult,
  type PlannerNotes,
} from './notes.ts';
export {
  decisionRequest,
  modelPolicy,
  NO_NOTES,
  readDecision,
  roundMessages,
  toolsFor,
  withObservation,
  withRound,
  type DecidingTask,
  type KeptPolicy,
  type LoopNotes,
  type LoopPolicy,
  type Round,
  type RoundSurroundings,
  type ToolDecision,
  type Tools,
} from './deciding/index.ts';
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
export type {
  CallLine,
  CallOptions,
  Finish,
  JournaledReply,
  JournalPlace,
  JsonSchema,
  ModelClient,
  ModelErrorKind,
  ModelErrorOptions,
  ModelFormat,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelUsage,
  OpenAISettings,
  Price,
  Prices,
  ScriptedClient,
  ScriptedLine,
  ScriptedReply,
  ToolCall,
} from './model/index.ts';
