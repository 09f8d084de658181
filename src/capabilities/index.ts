export {
  agentExecutor,
  capabilityExecutor,
  defineAgent,
  type Agent,
  type AgentDeclaration,
  type AgentLimits,
  type AgentModel,
  type DecidingTask,
  type LoopPolicy,
  type RoundSurroundings,
  type ToolDecision,
} from './agent.ts';
export { CapabilityError, NotApplied } from './task-context.ts';
export * from './capability.ts';
export type * from './task-context.ts';
export type { ReadStep } from './policy/index.ts';
export { readAnswerSchema, readSchema, type AnswerSchema, type ReadSchema } from './json-schema.ts';
export { createPlanBuilder, type PlanBuilder, type TaskOf, type UnnamedTask } from './plan-builder.ts';
export { checkArguments, isWords, readArguments, readMeant, type ArgumentsRead } from './read-arguments.ts';
export { findResource, findUntrustedSource } from './task-context.ts';
