/** How a loop decides its next step: a policy of declared stages, its rounds, its picture. */

export { PolicyError, type PolicyErrorCode } from './policy-error.ts';
export {
  definePolicy,
  type Action,
  type Happened,
  type Observer,
  type Policy,
  type PolicyDefinition,
} from './policy.ts';
export { exitsOf, policyPicture, type Exit } from './picture.ts';
export { runRound } from './run-round.ts';
export { stagesOf, type AnyDecision, type Patch, type Stage, type StageKind, type Stages } from './stage.ts';
export type { Step } from './step.ts';
export type { Round, Visit } from './visit.ts';
