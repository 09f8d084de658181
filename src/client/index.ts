/** How a program starts runs, talks to them, and names what they say. */

export type { AttemptView } from './attempts.ts';
export type { BegunView } from './begun.ts';
export { CLIENT_ERROR_CODES, ClientError, type ClientErrorCode } from './client-error.ts';
export { connectClient, type ClientTarget, type ConnectedClient } from './connect-client.ts';
export { executePlan, type ExecutePlanOptions, type StepValue } from './execute-plan.ts';
export type { Inbox, InboxItem, InboxOptions, UnreachableRun } from './inbox.ts';
export {
  createPlanClient,
  type PlanClient,
  type PlanClientOptions,
  type Started,
  type StartOptions,
} from './plan-client.ts';
export type { RunEnd, RunHandle, RunTimes } from './run-handle.ts';
export type { Signer, Told } from './say.ts';
export { nodeIdOf, nodeIds, roundOfStep, stepNode } from './node-name.ts';
export { countWaiting } from './waiting.ts';
export type {
  Answer,
  ApprovalPolicy,
  ApprovalRule,
  ChildView,
  Control,
  ControlAction,
  Decision,
  DecisionKind,
  FailureType,
  LoopView,
  NodesPage,
  NodeStatus,
  NodeView,
  OnFailure,
  OpenItem,
  Outcome,
  Phase,
  PlanningView,
  PlanView,
  Refusal,
  Reply,
  ResultHandle,
  ResultKind,
  RunFailure,
  RunResult,
  RunStatus,
  TraceEntry,
  TracePage,
  Usage,
} from '../contract/index.ts';
