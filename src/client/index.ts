/** How a program starts runs, talks to them, and names what they say. */

export type { AttemptView } from './attempts.ts';
export { CLIENT_ERROR_CODES, ClientError, type ClientErrorCode } from './client-error.ts';
export { connectClient, type ClientTarget, type ConnectedClient } from './connect-client.ts';
export type { Inbox, InboxItem, InboxOptions, UnreachableRun } from './inbox.ts';
export {
  createPlanClient,
  type PlanClient,
  type PlanClientOptions,
  type Started,
  type StartOptions,
} from './plan-client.ts';
export type { RunEnd, RunHandle } from './run-handle.ts';
export type { Signer, Told } from './say.ts';
export type {
  Answer,
  ApprovalPolicy,
  ApprovalRule,
  Control,
  ControlAction,
  Decision,
  DecisionKind,
  FailureType,
  NodesPage,
  NodeStatus,
  NodeView,
  OnFailure,
  OpenItem,
  Outcome,
  Phase,
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
} from '../contract/index.ts';
