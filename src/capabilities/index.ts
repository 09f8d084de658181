/** Declarations of a project's capabilities and agents, and how they are read. */

export { agentExecutor, capabilityExecutor } from './agent-executor.ts';
export { defineAgent, type Agent, type AgentDeclaration, type AgentLimits, type AgentModel } from './agent.ts';
export { CapabilityError, NotApplied } from './capability-error.ts';
export * from './capability.ts';
export type * from './task-context.ts';
export type { ReadStep } from './policy/index.ts';
export type { DecidingTask, LoopPolicy, RoundSurroundings, ToolDecision } from './loop-policy.ts';
export { readAnswerSchema, readSchema, type AnswerSchema, type ReadSchema } from './json-schema.ts';
export { createPlanBuilder, type PlanBuilder, type TaskOf, type UnnamedTask } from './plan-builder.ts';
export { checkArguments, isWords, readArguments, readMeant, type ArgumentsRead } from './read-arguments.ts';
export { findResource } from './resource.ts';
