/** Everything that can be done with plans, runs, conversations and results, in one table. A row is loaded when it is asked for. */

import type { Project } from '../edge/project/index.ts';

export { errorOfEnd, exitOf, exitOfEnd, outcomeOf } from './ending.ts';
export { ERROR_CODES, EXIT_CODES, exitCode, type ErrorCode, type ExitName } from './error-codes.ts';
export { invalidPlan, issuesOf, OperationError, toOperationError } from './operation-error.ts';
export type { Heard, Operation, Waiting } from './operation.ts';
export { perform } from './perform.ts';
export type { Listed } from './list.ts';
export type { AgentRun, Reasons, StepReasons } from './why.ts';
export type { Receipt } from './receipt.ts';
export { ofAttempt, type Work } from './work.ts';
export { needProject, openPlans, type Plans, type PlansOptions } from './plans.ts';

export const OPERATIONS = {
  answer: async () => (await import('./say.ts')).answer,
  capabilities: async () => (await import('./capabilities.ts')).capabilities,
  combine: async () => (await import('./sets.ts')).combine,
  compile: async () => (await import('./compile.ts')).compile,
  control: async () => (await import('./say.ts')).control,
  diff: async () => (await import('./explain.ts')).diff,
  explain: async () => (await import('./explain.ts')).explain,
  graph: async () => (await import('./graph.ts')).graph,
  policy: async () => (await import('./graph.ts')).policy,
  schema: async () => (await import('./schema.ts')).schema,
  ending: async () => (await import('./ending.ts')).ending,
  decide: async () => (await import('./say.ts')).decide,
  inbox: async () => (await import('./inbox.ts')).inbox,
  list: async () => (await import('./list.ts')).list,
  rerun: async () => (await import('./start.ts')).rerun,
  result: async () => (await import('./result.ts')).result,
  page: async () => (await import('./page.ts')).page,
  plan: async () => (await import('./plan.ts')).plan,
  history: async () => (await import('./conversation.ts')).history,
  handOff: async () => (await import('./conversation.ts')).handOff,
  listArtifacts: async () => (await import('./conversation.ts')).listArtifacts,
  listDrafts: async () => (await import('./conversation.ts')).listDrafts,
  saveArtifact: async () => (await import('./conversation.ts')).saveArtifact,
  saveDraft: async () => (await import('./conversation.ts')).saveDraft,
  showArtifact: async () => (await import('./conversation.ts')).showArtifact,
  showDraft: async () => (await import('./conversation.ts')).showDraft,
  rounds: async () => (await import('./trace.ts')).rounds,
  shown: async () => (await import('./shown.ts')).shown,
  start: async () => (await import('./start.ts')).start,
  startGoal: async () => (await import('./start.ts')).startGoal,
  status: async () => (await import('./status.ts')).status,
  trace: async () => (await import('./trace.ts')).trace,
  why: async () => (await import('./why.ts')).why,
} as const;

export type OperationName = keyof typeof OPERATIONS;

/** The models of a project. @throws OperationError CONFIG_INVALID where there are agents and no model. */
export async function modelsForWork(project: Project) {
  return (await import('./models-of.ts')).modelsForWork(project);
}
