/** Work under way has landed: what an activity brought, or how it failed, takes its effect. */

import {
  isAsked,
  isHeld,
  isRecord,
  MAX_NODE_NOTES,
  nodeId,
  refuse,
  resourceOf,
  type AnswerReply,
  type KeysReply,
  type NodeEnd,
  type Noted,
  type ProjectPolicy,
  type Reply,
  type ResultHandle,
  type RunFailure,
  type RunSlice,
} from '../contract/index.ts';
import type { PlanIssue } from '../plan/index.ts';
import { cutBytes } from '../text/index.ts';
import { landDraft, landPlanning, problemsIn, stepAfter, type Planned } from './draft.ts';
import { isCutOff } from './kill.ts';
import { landDecision } from './loop/index.ts';
import { fail, putBack, succeed } from './nodes/index.ts';
import { endNode, note, type Run } from './run.ts';
import { landReport } from './report.ts';
import {
  answer,
  applyStored,
  ask,
  authenticate,
  giveUp,
  hear,
  knowsKeys,
  takeEdit,
  type Verify,
} from './talk/index.ts';
import type { Need } from './talk/errand.ts';
import type { Message } from './talk/message.ts';
import { begin, type Work } from './work.ts';

/** A compiled plan as it arrives: its slice put together again. */
export type Compiled =
  | {
      readonly ok: true;
      readonly slice: RunSlice;
      readonly sameAs?: readonly number[];
      readonly project: ProjectPolicy;
    }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

export type Landing =
  /** What the activity returned: of a node whatever it is, else what its type says. */
  | { readonly ok: true; readonly value: unknown }
  /** How it ended; of a node that is under way for an effect above read with whether that may have happened. */
  | { readonly ok: false; readonly end: NodeEnd; readonly failure: RunFailure };

/** @param at now, ISO 8601 */
export function land(run: Run, id: number, landing: Landing, at: string, verify: Verify): void {
  const work = run.work.get(id);
  if (work === undefined) return;
  run.work.delete(id);
  switch (work.kind) {
    case 'draft':
      landDraft(run, landing, at);
      break;
    case 'plan':
      landPlanning(run, landing, at);
      break;
    case 'report':
      landReport(run, landing);
      break;
    case 'decide':
      landDecision(run, landing, at);
      break;
    case 'node':
      landNode(run, work, landing, at);
      break;
    case 'unused':
      landUnused(run, work, landing, at);
      break;
    case 'message':
      landMessage(run, work, landing, at, verify);
      break;
    case 'default':
      landDefault(run, work, landing, at);
      break;
  }
}

function landNode(run: Run, { node, stopping }: Extract<Work, { kind: 'node' }>, landing: Landing, at: string): void {
  const { execution } = run;
  if (execution === undefined) return;
  const { progress } = execution;
  execution.endedAt[node] = Date.parse(at);
  // Others may wait to write to what it wrote to.
  if (resourceOf(execution.slice, node) !== undefined) run.isFreed = true;
  // A person was told that what depends on it will be skipped; that holds also for work that ended before it heard of it.
  const isCancelledByHand = stopping !== undefined && !isCutOff(run);
  if (!landing.ok) {
    const { end } = landing;
    const status = end.status === 'failed' && isCancelledByHand ? 'cancelled' : end.status;
    endNode(run, node, { ...end, status }, at);
  } else if (isCancelledByHand && isHeld(landing.value)) {
    endNode(run, node, { status: 'cancelled', type: 'Cancelled', message: `cancelled by ${stopping}` }, at);
  } else if (isCancelledByHand) {
    const message = `cancelled by ${stopping}; its work had ended before it heard of it, and its result is not used`;
    fail(progress, node, 'cancelled', { type: 'Cancelled', message });
    note(run, at, 'node', `${nodeId(node)} ${message}`);
  } else if (isHeld(landing.value)) holdBack(run, node, landing.value.held, at);
  else if (isHandle(landing.value)) {
    const { notes, ...handle } = landing.value;
    succeed(progress, node, handle);
    for (const text of noted(notes)) note(run, at, 'node', `${nodeId(node)} ${text}`);
  } else if (isAsked(landing.value)) ask(run, node, landing.value.asks, at);
  else endNode(run, node, { status: 'failed', type: 'FATAL', message: NO_HANDLE }, at);
}

/**
 * Its effect has not begun, since it might not: it waits as if it had not been started. What is held back again and again
 * though nothing speaks against it (its worker may not ask the run, or gets no answer) fails in the end.
 */
function holdBack(run: Run, node: number, reason: string, at: string): void {
  const { execution } = run;
  if (execution === undefined) return;
  const times = (execution.heldBack.get(node) ?? 0) + 1;
  execution.heldBack.set(node, times);
  execution.endedAt[node] = undefined;
  const text = `was held back before its effect began: ${cutBytes(reason, MAX_REASON_BYTES)}`;
  if (times >= MAX_HELD) {
    endNode(run, node, { status: 'failed', type: 'RETRIABLE', message: `${text}; ${times} times by now` }, at);
    return;
  }
  putBack(execution.progress, node);
  note(run, at, 'node', `${nodeId(node)} ${text}`);
}

/** At a minute each, nobody having answered the worker: more than an hour. */
const MAX_HELD = 100;
const MAX_REASON_BYTES = 500;

const NO_HANDLE = 'its activity was completed with what is no handle';

/** An edited plan may have no use for it any more; what it held back goes on. */
function landUnused(run: Run, { id, effect }: Extract<Work, { kind: 'unused' }>, landing: Landing, at: string): void {
  const how = !landing.ok ? howItEnded(landing.end) : isHeld(landing.value) ? 'has not begun' : 'has succeeded';
  note(run, at, 'node', `${id} ${how}; this plan does not use it`);
  if (effect !== 'read') run.isFreed = true;
}

function howItEnded({ status, message }: NodeEnd): string {
  return status === 'uncertain' ? `may have happened (${message})` : `has ended as ${status} (${message})`;
}

function landMessage(
  run: Run,
  { message, need }: Extract<Work, { kind: 'message' }>,
  landing: Landing,
  at: string,
  verify: Verify,
): void {
  if (need.do === 'keys') {
    run.dialogue.keysReadAt = at;
    if (landing.ok) takeKeys(run, landing.value as KeysReply);
    else if (!knowsKeys(run)) {
      answer(run, message, refuse('failed', `${KEYS_UNREAD}: ${landing.end.message}`));
      return;
    }
    hear(run, message, verify);
    return;
  }
  if (need.do === 'revise') {
    landRevision(run, { message, need }, landing, at, verify);
    return;
  }
  const sender = authenticate(run, message, verify);
  const reply: Reply = !landing.ok
    ? refuse('failed', `it could not be carried out: ${landing.end.message}`)
    : need.do === 'store'
      ? applyStored(run, need.as, landing.value as AnswerReply, at)
      : landEdit(run, need.decision, landing.value as Compiled, message.at, at);
  run.isFreed = true;
  answer(run, message, reply, sender);
}

function takeKeys({ dialogue }: Run, { keys, unsigned }: KeysReply): void {
  if (unsigned !== true) dialogue.project = { ...dialogue.project, keys };
  if (dialogue.knowsProject !== true) dialogue.knowsKeys = true;
}

const KEYS_UNREAD =
  'whether messages to this run must be signed could not be read; say it again, or cancel the run with Temporal';

/** The planner goes on until there is a plan, which becomes the open one as an edit does, or until it has none. */
function landRevision(
  run: Run,
  { message, need }: { readonly message: Message; readonly need: Extract<Need, { do: 'revise' }> },
  landing: Landing,
  at: string,
  verify: Verify,
): void {
  const step = stepAfter(run, need.planning, landing);
  const isOpen = run.dialogue.approval.phase !== 'closed';
  if (isOpen && step.next === 'stage' && step.planning.stage !== 'fallback') {
    note(run, at, 'planned', `the revision is tried again: ${step.planning.trouble?.message ?? ''}`);
    begin(run, { kind: 'message', message, need: { ...need, planning: step.planning } });
    return;
  }
  const sender = authenticate(run, message, verify);
  const outcome = step.next === 'plan' && landing.ok ? (landing.value as Planned).outcome : undefined;
  const reply: Reply =
    outcome?.is === 'compiled'
      ? takeEdit(run, need.decision, { slice: outcome.slice, sameAs: outcome.sameAs ?? [], heardAt: message.at }, at)
      : refuse('invalid-plan', `the planner has made no valid plan: ${step.planning.trouble?.message ?? ''}`);
  run.isFreed = true;
  answer(run, message, reply, sender);
}

function landEdit(
  run: Run,
  decision: Parameters<typeof takeEdit>[1],
  compiled: Compiled,
  heardAt: string,
  at: string,
): Reply {
  if (!compiled.ok) {
    const refused = refuse('invalid-plan', `the edited plan is invalid: ${problemsIn(compiled.issues)}`);
    return { ...refused, issues: compiled.issues as never };
  }
  // The project's policy is that of the run's start: a worker that knows less of it must not loosen it.
  const { slice, sameAs = [] } = compiled;
  return takeEdit(run, decision, { slice, sameAs, heardAt }, at);
}

function landDefault(
  run: Run,
  { need: { as } }: Extract<Work, { kind: 'default' }>,
  landing: Landing,
  at: string,
): void {
  if (as.what !== 'default') return;
  if (landing.ok) applyStored(run, as, landing.value as AnswerReply, at);
  else giveUp(run, as.question, at, `its default could not be stored (${landing.end.message}), and nobody answered`);
}

/** An activity can be completed from outside, with anything. */
/** An activity can be completed from outside, with anything. */
function noted(notes: unknown): readonly string[] {
  return Array.isArray(notes) ? notes.filter((text) => typeof text === 'string').slice(0, MAX_NODE_NOTES) : [];
}

function isHandle(value: unknown): value is ResultHandle & Noted {
  return isRecord(value) && typeof value['ref'] === 'string' && typeof value['kind'] === 'string';
}
