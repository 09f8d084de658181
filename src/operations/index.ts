import type { EquippedProject, RunSession } from '../config/project/index.ts';
import type { PlanView } from '../protocol/index.ts';

export { errorOfEnd, exitOf, type Receipt } from './ending.ts';
export { ERROR_CODES, EXIT_CODES, type ErrorCode, type ExitName } from './error-codes.ts';
export { invalidPlanError, issuesOf, OperationError, toOperationError, wrongUsage } from './operation-error.ts';
export { commandRows, describeRows, readsFile, type CommandRow, type InputField } from './describe.ts';
export { choiceField, countField, flagField, IN_PROJECT, namesField, SIGNED, textField } from './operation.ts';
export type { From, ProgressLine, Operation, PlaceFlag, FieldForm, CommandSpec, Waiting, Z } from './operation.ts';
export { perform, performSent, type InputOf, type OutputOf } from './perform.ts';
export { OPERATIONS, type OperationName } from './rows.ts';
export { eachAtOnce, runStateText, type ListedRun, type ListedPlan } from './list.ts';
export { itemKey } from '../client/item-key.ts';
export type { KeyedItem } from './wait.ts';
export type { AgentRun, Reasons, StepReasons } from './why.ts';
export { endFacts } from './run-facts.ts';
export { checkRunName, keyless, needProject, openPlans, type Plans, type PlansOptions } from './plans.ts';

export async function loadOpenPlan(store: RunSession['store'], view: Pick<PlanView, 'ref' | 'revision'>) {
  return (await import('./open-plan.ts')).readOpenPlan(store, view);
}

export async function loadModelsForWork(project: EquippedProject) {
  return (await import('./models-of.ts')).modelsForWork(project);
}
