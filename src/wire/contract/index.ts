/**
 * The contract between two processes: names, messages, views, requests and replies. Clients take their types from here.
 */

export {
  isHeld,
  MAX_NODE_NOTES,
  MAX_REPETITIONS,
  type AnswerReply,
  type AnswerRequest,
  type CompileReply,
  type CompileRequest,
  type ReuseRequest,
  type Held,
  type KeysReply,
  type LoadReply,
  type LoadRequest,
  type NodeReply,
  type NodeRequest,
  type Noted,
  type SaveReply,
  type SaveRequest,
  type SameNodes,
  type SentSlice,
} from './activities.ts';
export type { Answer } from './answer.ts';
export { ANSWERS, ENTRIES, ROUND } from './answers.ts';
export {
  CONTROL_ACTIONS,
  CONTROLS,
  RESOLVE_OUTCOMES,
  type Control,
  type ControlAction,
  type Killed,
} from './control.ts';
export { DECISION_KINDS, DECISIONS, type Decision, type DecisionKind, type RecordedDecision } from './decision.ts';
export { durationMs, type Duration } from './duration.ts';
export {
  ERROR_CLASSES,
  FAILURE_TYPES,
  isFailureType,
  NON_RETRYABLE_TYPES,
  type ErrorClass,
  type FailureType,
} from './failure-types.ts';
export { idempotencyKey, isDigest, isNodeId, isRef, isWholeDigest, nodeId, nodeIndex, planWorkflowId } from './ids.ts';
export type { KeepRequest, KeptResult, RunEnd } from './keeping.ts';
export type {
  AgentInput,
  DecideReply,
  DecideRequest,
  FamilyMessage,
  LoopTask,
  Observation,
  RoundRecord,
  StageVisit,
  StepDecision,
} from './loop.ts';
export { MODEL_APIS, MODEL_FORMATS, type FormatSupport, type ModelApi } from './model-server.ts';
export {
  ASK_AGAIN,
  BETWEEN_HISTORIES,
  UNHEARD,
  MESSAGE_NAMES,
  MESSAGES,
  QUERIES,
  UPDATE_NAMES,
  type MayBeginReply,
  type MessageName,
  type PageRequest,
  type QueryName,
} from './messages.ts';
export {
  ACTIVITIES,
  AGENT_WORKFLOW,
  DEFAULT_NAMESPACE,
  DEFAULT_TASK_QUEUE,
  FAMILY_SIGNAL,
  PLAN_WORKFLOW,
  WAITS_FOR_ATTRIBUTE,
} from './names.ts';
export {
  amountOf,
  NODE_KINDS,
  NODE_STATUSES,
  type NodeEnd,
  type NodeFailure,
  type NodeKind,
  type NodeStatus,
  type ResultHandle,
  type ResultKind,
} from './nodes.ts';
export {
  DEFAULT_OPTIONS,
  OPTION_KEYS,
  type OnFailure,
  type PlanSource,
  type RunMode,
  type RunOptions,
  type RunSettings,
  type RunSource,
} from './options.ts';
export { pagesOf } from './pages.ts';
export {
  PLANNING_RETRIES,
  PLANNING_STAGES,
  ROUTES,
  type PlannerAnswer,
  type PlanningOutcome,
  type PlanningReply,
  type PlanningRequest,
  type PlanningStage,
  type PlanningTrouble,
  type PlanRevision,
  type ReportReply,
  type ReportRequest,
  type Route,
  type Usage,
} from './planning.ts';
export { describe, isDeeperThan, isMalformed, isRecord, type Malformed } from './payload.ts';
export type { Outcome, Phase } from './phases.ts';
export type { HistoryBudget, HistorySize, ProjectPolicy, PublicKey, PublicKeys } from './project.ts';
export { isAsked, MAX_QUESTION_BYTES, MAX_QUESTION_TEXT, type Asked, type Question } from './question.ts';
export { isStale, refuse, REFUSALS, type Refusal, type Refused } from './refusal.ts';
export type { Reply } from './reply.ts';
export { REPLIES, SLICE } from './replies.ts';
export { HANDLE, REQUESTS } from './requests.ts';
export type { DoneResult, FailureDetail, PartialResult, RunFailure, RunResult, StoppedResult } from './result.ts';
export type { Arrival, Carried, MessageArrival, Resume } from './resume.ts';
export { EFFECTS, type ApprovalPolicy, type ApprovalRule } from './rules.ts';
export {
  effectOf,
  executorLabel,
  isGivenGoal,
  OPERATOR_LABEL,
  PLAN_TEXT_BYTES,
  RESOURCE_WAIT_MS,
  resourceOf,
  type NodeExecutor,
  type Reuse,
  type RunSlice,
} from './slice.ts';
export { eachOf, problemOf, VALUE_LEVELS, type Fields, type Shape } from './shape.ts';
export { MAX_TOKEN_CHARACTERS, TOKEN_FORM } from './token.ts';
export {
  countWaiting,
  OPEN_ITEM_KINDS,
  TRACE_KINDS,
  type ChildView,
  type NodesPage,
  type NodeView,
  type OpenItem,
  type LoopView,
  type PlanningView,
  type PlanView,
  type RunStatus,
  type Said,
  type SaidAnswer,
  type SaidControl,
  type SaidDecision,
  type SaidInVain,
  type TraceEntry,
  type TraceKind,
  type TracePage,
  type WaitingRun,
} from './views.ts';
export { schemaWords } from './schema-words.ts';
