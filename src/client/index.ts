export { CLIENT_ERROR_CODES, ClientError, type ClientErrorCode } from './client-error.ts';
export { connectClient, type ClientTarget, type ConnectedClient } from './connect-client.ts';
export { executePlan, type ExecutePlanOptions, type StepValue } from './execute-plan.ts';
export type { Inbox, InboxGroup, InboxItem, InboxOptions, SeenRun } from './inbox.ts';
export type { UnreachableRun } from './reach/index.ts';
export {
  createPlanClient,
  type PlanClient,
  type PlanClientOptions,
  type RunPlace,
  type Statuses,
} from './plan-client.ts';
export type { FollowOptions, RunHandle, SayOptions, Started, StartOptions } from './run-handle.ts';
export type { Signer, Ack } from './send-message.ts';
export type { Catalogue, CompiledPlan, Effect, JsonValue, PlanDocument, PlanIssue } from '../plan/index.ts';
export type { Result, ResultStore } from '../store/index.ts';
export {
  encryptionCodec,
  EncryptionError,
  type EncryptionCodec,
  type EncryptionErrorCode,
  type EncryptionKeys,
} from '../protocol/encryption/index.ts';
export { nodeIdOf, nodeIds, roundOfStep, stepNode } from './node-name.ts';
export { countWaiting } from '../protocol/index.ts';
export type * from '../protocol/view.ts';
export type {
  Answer,
  ApprovalPolicy,
  ApprovalRule,
  ChildView,
  Control,
  ControlAction,
  Decision,
  DecisionKind,
  DoneResult,
  Duration,
  FailureDetail,
  FailureType,
  LoopView,
  NodeFailure,
  NodeStatus,
  NodeView,
  NodesPage,
  Observation,
  OnFailure,
  OpenItem,
  Outcome,
  PartialResult,
  Phase,
  PlanView,
  PlanningStage,
  PlanningView,
  Refusal,
  Refused,
  ReplannedView,
  Reply,
  LiveEvent,
  ResultHandle,
  ResultKind,
  RoundRecord,
  RunFailure,
  RunMode,
  RunOptions,
  RunResult,
  RunSettings,
  RunStatus,
  TracedAnswer,
  TracedControl,
  TracedDecision,
  TracedRefusal,
  StageVisit,
  StoppedResult,
  TraceEntry,
  TraceKind,
  TracePage,
  Usage,
} from '../protocol/index.ts';
