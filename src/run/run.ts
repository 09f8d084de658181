/** One run of a plan: its approval, its progress and what was said to it. What the workflow holds in memory. */

import type { Effect, JsonValue } from '../plan/index.ts';
import { close, DRAFTING, expire, openRevision, type Approval, type Outcome, type Signed } from './approval.ts';
import type { Gate } from './coverage.ts';
import { DEFAULT_OPTIONS, type RunOptions } from './plan-input.ts';
import { fail, failForNow, openProgress, type NodeFailure, type NodeStatus, type Progress } from './progress.ts';
import type { Question } from './question.ts';
import type { Refused } from './refusal.ts';
import { rulesOf, type ApprovalRule } from './rules.ts';
import { nodeId, type RunSlice } from './slice.ts';
import { addEntry, openTrace, type Said, type Trace, type TraceEntry } from './trace.ts';

export interface Run {
  readonly workflowId: string;
  options: RunOptions;
  project: ProjectPolicy;
  approval: Approval;
  slice: RunSlice | undefined;
  progress: Progress | undefined;
  /** No node starts while an operator has paused the run. */
  paused: boolean;
  /** Why it ended, where it did not end as it should. */
  reason: string | undefined;
  /** The open questions, by id, in the order in which they were asked. */
  readonly questions: Map<string, AskedQuestion>;
  /** What became of the questions that are closed. */
  readonly answered: Map<string, Answered>;
  /** Nodes that wait for a person to settle them. */
  settling: Map<number, Wait>;
  /** How often a person had a node repeated. */
  retries: Map<number, number>;
  readonly flights: Set<Flight>;
  /** The roles that the search attribute names now. */
  shownRoles: string;
  /** What the signed messages that were heard were answered, by their signatures; each counts once. */
  readonly tokens: Map<string, Heard>;
  readonly trace: Trace;
}

/** What a project asks of every run, whatever the run's own options say. */
export interface ProjectPolicy {
  readonly rules?: readonly ApprovalRule[];
  /** Messages must be signed. */
  readonly identity: boolean;
  /** The search attribute that inboxes look for is registered. */
  readonly inbox: boolean;
}

export interface Wait {
  /** ISO 8601, both. */
  readonly since: string;
  readonly deadline: string;
}

export interface AskedQuestion extends Wait {
  readonly id: string;
  node: number;
  readonly question: Question;
  /** Its deadline has passed and its default is being taken. */
  closing: boolean;
}

export interface Answered {
  readonly by: string;
  readonly at: string;
  /** The reference of the answer and the node it went to; absent when the question ended without one. */
  readonly ref?: string;
  readonly node?: number;
  /** Its deadline passed. */
  readonly expired?: true;
}

/** A node whose activity is under way. `node` is undefined when the plan no longer has the node. */
export interface Flight {
  node: number | undefined;
  /** What it was, when the plan no longer has it. */
  letGo?: { readonly id: string; readonly effect: Effect };
  cancel(): void;
}

/** What the sender of a message is told. */
export type Heard =
  | {
      readonly ok: true;
      readonly reply: string;
      /** There is no plan yet; whether it is taken is known when there is. */
      readonly kept?: true;
    }
  | (Refused & { readonly issues?: readonly JsonValue[] });

export function openRun(workflowId: string): Run {
  return {
    workflowId,
    options: DEFAULT_OPTIONS,
    project: { identity: false, inbox: false },
    approval: DRAFTING,
    slice: undefined,
    progress: undefined,
    paused: false,
    reason: undefined,
    questions: new Map(),
    answered: new Map(),
    settling: new Map(),
    retries: new Map(),
    flights: new Set(),
    shownRoles: '',
    tokens: new Map(),
    trace: openTrace(),
  };
}

/** The plan is compiled: its revision opens. Returns the decisions that came before it, to be heard now. */
export function planCompiled(run: Run, slice: RunSlice, project: ProjectPolicy, at: string): readonly Signed[] {
  const { maxRejections, maxRevisions, concurrency } = run.options;
  const { early } = run.approval;
  run.project = project;
  run.slice = slice;
  run.progress = openProgress(slice.inputs, concurrency, slice.after);
  const bounded = { ...run.approval, bounds: { maxRejections, maxRevisions } };
  run.approval = openRevision(bounded, { digest: slice.digest, gate: gateOf(run, slice), at });
  note(run, at, 'compiled', `${slice.inputs.length} nodes, digest ${slice.digest.slice(0, 8)}`);
  return early;
}

export function gateOf({ options, project }: Run, slice: RunSlice): Gate {
  const { inputs, after, executors, executorOf } = slice;
  return {
    plan: { inputs, executors, executorOf, ...(after !== undefined && { after }) },
    rules: [...rulesOf(options.approval), ...(project.rules ?? [])],
    deadlineMs: options.approvalDeadlineMs,
  };
}

/** The nodes that wait for somebody's approval; of a rejected plan all that have not started. */
export function askingNodes({ approval, progress }: Run): readonly number[] {
  if (approval.phase !== 'awaiting-approval') return [];
  const waiting = approval.rejected
    ? (approval.gate?.plan.executorOf ?? []).map((_, node) => node)
    : approval.uncovered;
  return waiting.filter((node) => progress?.status[node] === 'pending');
}

/** A node ended without a result; it waits for a person where the run can wait. */
export function endNode(
  run: Run,
  node: number,
  end: NodeFailure & { readonly status: Extract<NodeStatus, 'failed' | 'uncertain' | 'cancelled'> },
  at: string,
  canWait: boolean,
): void {
  const { status, ...failure } = end;
  const { progress, options, approval } = run;
  if (progress === undefined) return;
  const asks = status === 'uncertain' || (status === 'failed' && options.onFailure === 'ask');
  if (asks && canWait && approval.phase !== 'closed') {
    failForNow(progress, node, status, failure);
    run.settling.set(node, waitFrom(at, options.answerDeadlineMs));
  } else {
    fail(progress, node, status, failure);
  }
  note(run, at, 'node', `${nodeId(node)} ${status}: ${failure.message}`);
}

export function waitFrom(at: string, ms: number): Wait {
  return { since: at, deadline: new Date(Date.parse(at) + ms).toISOString() };
}

export function closeRun(run: Run, outcome: Outcome, at: string, reason?: string): void {
  if (run.approval.phase === 'closed') return;
  run.approval = close(run.approval, outcome);
  run.reason = reason;
  note(run, at, 'closed', reason === undefined ? outcome : `${outcome}: ${reason}`);
}

/** Silence is refusal: a plan that nobody approved in time closes the run. */
export function expireApproval(run: Run, at: string): void {
  if (askingNodes(run).length === 0) return;
  const expired = expire(run.approval, at);
  if (expired.phase === 'closed') closeRun(run, 'expired', at);
}

export function note(run: Run, at: string, what: TraceEntry['what'], text: string, said?: Said): void {
  addEntry(run.trace, at, what, text, said);
}
