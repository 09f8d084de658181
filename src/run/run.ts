/** One run of a plan: its approval, its progress and what was said to it. What the workflow holds in memory. */

import {
  close,
  decide,
  DRAFTING,
  isGated,
  openRevision,
  type Approval,
  type Outcome,
  type Refusal,
  type Ruling,
} from './approval.ts';
import { parseDecision, type Decision, type DecisionKind } from './decision.ts';
import { DEFAULT_OPTIONS, type RunOptions } from './plan-input.ts';
import { openProgress, type Progress } from './progress.ts';
import type { RunSlice } from './slice.ts';

export interface Run {
  readonly workflowId: string;
  options: RunOptions;
  approval: Approval;
  slice: RunSlice | undefined;
  progress: Progress | undefined;
  readonly trace: TraceEntry[];
  /** Entries that found no room in the trace. */
  untraced: number;
}

/** Something that happened to the run, in words. */
export interface TraceEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly what: 'compiled' | 'decision' | 'refused' | 'node' | 'closed';
  readonly text: string;
}

/** What the sender of a message is told. */
export type Heard =
  | { readonly ok: true; readonly reply: string }
  | { readonly ok: false; readonly refusal: Refusal; readonly reason: string };

/** A run must not grow with what is thrown at it. */
const MAX_TRACE = 500;
/** 500 entries of characters of 3 bytes must fit the answer to a query, 2 MiB. */
const MAX_TRACE_TEXT = 500;

export function openRun(workflowId: string): Run {
  return {
    workflowId,
    options: DEFAULT_OPTIONS,
    approval: DRAFTING,
    slice: undefined,
    progress: undefined,
    trace: [],
    untraced: 0,
  };
}

/** The plan is compiled: its revision opens, and the decisions that came before it are tried in order of arrival. */
export function planCompiled(run: Run, slice: RunSlice, at: string): void {
  const { early } = run.approval;
  run.slice = slice;
  run.progress = openProgress(slice.inputs, run.options.concurrency, slice.after);
  const gated = isGated(run.options.approval, slice.counts.aboveRead);
  const deadline = new Date(Date.parse(at) + run.options.approvalDeadlineMs).toISOString();
  run.approval = openRevision(run.approval, { digest: slice.digest, gated, deadline });
  note(run, at, 'compiled', `${slice.inputs.length} nodes, digest ${slice.digest.slice(0, 8)}`);
  for (const decision of early) take(run, decision, at);
}

/** A decision as a message brought it. Whatever comes, the run goes on; what is refused is kept with its reason. */
export function hearDecision(run: Run, payload: unknown, at: string, kind?: DecisionKind): Heard {
  const parsed = parseDecision(payload, kind);
  if (parsed.ok) return take(run, parsed.decision, at);
  note(run, at, 'refused', `${kind ?? 'decide'}: ${parsed.reason}`);
  return malformed(parsed.reason);
}

/** What would be answered to this decision, with no trace of the question. */
export function previewDecision(run: Run, payload: unknown, at: string): Heard {
  const parsed = parseDecision(payload);
  return parsed.ok ? answer(parsed.decision, decide(run.approval, parsed.decision, at)) : malformed(parsed.reason);
}

export function closeRun(run: Run, outcome: Outcome, at: string): void {
  if (run.approval.phase === 'closed') return;
  run.approval = close(run.approval, outcome);
  note(run, at, 'closed', outcome);
}

export function note(run: Run, at: string, what: TraceEntry['what'], text: string): void {
  if (run.trace.length < MAX_TRACE) run.trace.push({ at, what, text: text.slice(0, MAX_TRACE_TEXT) });
  else run.untraced += 1;
}

function take(run: Run, decision: Decision, at: string): Heard {
  const ruling = decide(run.approval, decision, at);
  const heard = answer(decision, ruling);
  if (ruling.ok) run.approval = ruling.approval;
  const text = `${decision.kind} ${decision.digest.slice(0, 8)} by ${decision.by}`;
  if (heard.ok) note(run, at, 'decision', `${text}: ${heard.reply}`);
  else note(run, at, 'refused', `${text}: ${heard.reason}`);
  return heard;
}

function answer(decision: Decision, ruling: Ruling): Heard {
  if (!ruling.ok) return ruling;
  if (ruling.approval.phase === 'drafting') return { ok: true, reply: 'kept until the plan is compiled' };
  return { ok: true, reply: decision.kind === 'approve' ? 'approved' : 'rejected' };
}

function malformed(reason: string): Heard {
  return { ok: false, refusal: 'malformed', reason };
}
