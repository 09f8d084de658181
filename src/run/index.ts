export { parseAnswer, type Answer } from './answer.ts';
export {
  decide,
  DRAFTING,
  openRevision,
  type Approval,
  type Outcome,
  type Phase,
  type RecordedDecision,
} from './approval.ts';
export { CONTROL_ACTIONS, parseControl, RESOLVE_OUTCOMES, type Control, type ControlAction } from './control.ts';
export { nextDeadline, passDeadlines } from './deadlines.ts';
export { DECISION_KINDS, parseDecision, type Decision, type DecisionKind } from './decision.ts';
export { detailsOf } from './details.ts';
export { durationMs } from './duration.ts';
export {
  ERROR_CLASSES,
  FAILURE_TYPES,
  isFailureType,
  NON_RETRYABLE_TYPES,
  type ErrorClass,
  type FailureType,
} from './failure-types.ts';
export { hearEarly, judge, refused, takeEdit, type Judgement, type MessageName } from './hear.ts';
export { describe, isMalformed, isRecord, type Malformed } from './malformed.ts';
export { mayRun, type Permission, type StartRequest } from './may-run.ts';
export {
  ANSWER_ACTIVITY,
  COMPILE_ACTIVITY,
  DEFAULT_NAMESPACE,
  DEFAULT_TASK_QUEUE,
  idempotencyKey,
  NODE_ACTIVITY,
  PLAN_WORKFLOW,
  planWorkflowId,
  QUERY_NAMES,
  SIGNAL_NAMES,
  UPDATE_NAMES,
  VERIFY_ACTIVITY,
  WAITS_FOR_ATTRIBUTE,
  type QueryName,
} from './names.ts';
export { freeNodes } from './operate.ts';
export { OPEN_ITEM_KINDS, questionsOf, rolesWaitedFor, type OpenItem } from './open-items.ts';
export { DEFAULT_OPTIONS, parsePlanInput, type ParsedInput, type PlanSource, type RunOptions } from './plan-input.ts';
export {
  cancelPending,
  fail,
  inputRefs,
  isFinished,
  NODE_STATUSES,
  openProgress,
  startNext,
  succeed,
  type NodeFailure,
  type NodeStatus,
  type Progress,
  type ResultHandle,
  type ResultKind,
} from './progress.ts';
export { isAsked, MAX_QUESTION_BYTES, MAX_QUESTION_TEXT, type Asked, type Question } from './question.ts';
export { ask, giveUp, takeDefault } from './questions.ts';
export { isStale, refuse, REFUSALS, type Refusal, type Refused } from './refusal.ts';
export { closedResult, endingOf, type Ending, type RunFailure, type RunResult } from './result.ts';
export { parsePolicy, parseRules, type ApprovalPolicy, type ApprovalRule } from './rules.ts';
export {
  closeRun,
  endNode,
  note,
  openRun,
  planCompiled,
  type AskedQuestion,
  type Flight,
  type Heard,
  type ProjectPolicy,
  type Run,
} from './run.ts';
export {
  effectOf,
  executorLabel,
  MAX_RUN_NODES,
  nodeId,
  nodeIndex,
  PLAN_TEXT_BYTES,
  type NodeExecutor,
  type RunSlice,
} from './slice.ts';
export { MAX_TOKEN_CHARACTERS, TOKEN_FORM } from './sender.ts';
export { traceOf, type TraceEntry, type TracePage } from './trace.ts';
export {
  nextCommand,
  nodeOf,
  nodesOf,
  phaseOf,
  planOf,
  statusOf,
  type NodesPage,
  type NodeView,
  type PlanView,
  type RunStatus,
} from './views.ts';
export { NO_WORDS, readYesNo, YES_WORDS } from './words.ts';
