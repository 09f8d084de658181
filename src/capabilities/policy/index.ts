export {
  PolicyError,
  type PolicyErrorCode,
  definePolicy,
  type Action,
  type Happened,
  type Observer,
  type Policy,
  type PolicyDefinition,
  type Round,
  type Visit,
  type ReadStep,
  type Step,
} from './policy.ts';
export { exitsOf, policyPicture, type Exit } from './picture.ts';
export { STAGE_KINDS, stagesOf, type AnyDecision, type Chosen, type Patch, type Stage, type Stages } from './stage.ts';
export type { Origin, StageKind } from '../../protocol/index.ts';
