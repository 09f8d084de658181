export {
  DRAFTING,
  isGated,
  isStale,
  REFUSALS,
  type Approval,
  type Outcome,
  type Phase,
  type RecordedDecision,
  type Refusal,
} from './approval.ts';
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
export { describe, isMalformed, isRecord, type Malformed } from './malformed.ts';
export { mayRun, type Permission, type StartRequest } from './may-run.ts';
export {
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
  type QueryName,
} from './names.ts';
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
export { endingOf, type Ending, type RunFailure, type RunResult } from './result.ts';
export {
  closeRun,
  hearDecision,
  note,
  openRun,
  planCompiled,
  previewDecision,
  type Heard,
  type Run,
  type TraceEntry,
} from './run.ts';
export {
  executorLabel,
  MAX_RUN_NODES,
  nodeId,
  nodeIndex,
  PLAN_TEXT_BYTES,
  type NodeExecutor,
  type RunSlice,
} from './slice.ts';
export {
  nextCommand,
  nodeOf,
  nodesOf,
  planOf,
  questionsOf,
  statusOf,
  traceOf,
  type NodesPage,
  type NodeView,
  type OpenQuestion,
  type PlanView,
  type RunStatus,
  type Trace,
} from './views.ts';
