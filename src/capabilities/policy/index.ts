/** How a loop decides its next step: a policy of stages, and its picture. */

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
export { STAGE_KINDS, stagesOf, type AnyDecision, type Chosen, type Patch, type Stage, type Stages } from './stage.ts';
export type { Origin, StageKind } from '../../protocol/index.ts';
export type { ReadStep, Step } from './step.ts';
export type { Round, Visit } from './policy.ts';
