import type { PendingTask } from './state.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import {
  given,
  isAsked,
  isDeferral,
  isRecord,
  HANDLE,
  problemOf,
  MAX_NODE_NOTES,
  nodeId,
  resourceOf,
  type Deferral,
  type NodeEnd,
  type Noted,
  type Paid,
  type ResultHandle,
  type SeenChange,
  UNSEEN_STATE,
} from '../../protocol/index.ts';
import { endInVain, isInVain, nextBackoff, reasonOf } from './backoff.ts';
import { askAbout, endNode, subjectOf, note, recordLoss, cancelsEverything } from './run.ts';
import { askAgain, dropGrants } from '../approval/approval.ts';
import type { Run } from './in-memory.ts';
import { isReturned, isUnreported, RETURNED_FROM_PARTS, type TaskEnd, addAttempts } from './task-traits.ts';
import { fail, putBack, setAside, setStatus, succeed } from './nodes/progress.ts';
import { completeStarted, openRemoved } from './started-effects.ts';
import { returnNode } from './nodes/skip-and-reset.ts';
import { openQuestion } from './talk/questions.ts';

const NO_HANDLE = 'its activity was completed with what is no handle';

export function applyNode(
  run: Run,
  { node, stopping }: Extract<PendingTask, { kind: 'node' }>,
  ended: TaskEnd,
  at: string,
): void {
  const { execution } = run;
  if (execution === undefined) return;
  const { progress } = execution;
  execution.endedAt[node] = Date.parse(at);
  const isToCome = ended.ok && (isDeferral(ended.value) || isReturned(ended.value));
  if (!isToCome) delete execution.backoffs[node];
  if (!ended.ok || !isReturned(ended.value)) recordLoss(execution, node, couldNotFindOut(ended));
  // Other nodes may be waiting to write to the same resource.
  if (resourceOf(execution.planShape, node) !== undefined) run.recheckNodes = true;
  // The person who cancelled the node was promised that its dependents are skipped, so a late result is dropped.
  const isCancelledByHand = stopping !== undefined && !cancelsEverything(run);
  if (!ended.ok) {
    const { end } = ended;
    addAttempts(execution, node, { attempts: ended.tried?.attempts ?? 0 });
    const status = end.status === 'failed' && isCancelledByHand ? 'cancelled' : end.status;
    endNode(run, node, { ...end, status }, at);
  } else if (isCancelledByHand && isToCome) {
    endNode(run, node, { status: 'cancelled', type: 'Cancelled', message: `cancelled by ${stopping}` }, at);
  } else if (isCancelledByHand) {
    const message = `cancelled by ${stopping}; its work had ended before it heard of it, and its result is not used`;
    fail(progress, node, 'cancelled', { type: 'Cancelled', message });
    noteAll(run, nodeId(node), [message, ...notesIn(ended.value)], at);
  } else if (isReturned(ended.value)) {
    delete execution.endedAt[node];
    if (ended.value === RETURNED_FROM_PARTS) execution.individual[node] = true;
    returnNode(progress, node);
  } else if (isDeferral(ended.value)) backOffNode(run, node, ended.value, at);
  else if (isHandle(ended.value)) {
    addAttempts(execution, node, ended.value);
    succeed(progress, node, handleOf(ended.value));
    noteOnNode(run, node, notesIn(ended.value), at);
  } else if (isAsked(ended.value)) openQuestion(run, node, ended.value.asks, at);
  else endNode(run, node, { status: 'failed', type: 'FATAL', message: NO_HANDLE }, at);
}

const MAX_REASON = 300;

/** Defers a node that has not begun. After too many deferrals the node fails, or a person is asked. */
function backOffNode(run: Run, node: number, deferral: Deferral, at: string): void {
  const { execution } = run;
  if (execution === undefined) return;
  delete execution.endedAt[node];
  addAttempts(execution, node, deferral);
  if (deferral.seen !== undefined && run.state.approval.phase !== 'closed') askAsSeen(run, node, deferral.seen, at);
  if (deferral.ungranted !== undefined) {
    const why = cutCharacters(oneLine(deferral.reason), MAX_REASON);
    run.state.approval = dropGrants(run.state.approval, deferral.ungranted, why, at);
  }
  // Other ready nodes go first. One of them finds out whether the fault is over.
  if (deferral.deferred === 'fault') {
    setAside(execution.progress, node);
    return;
  }
  const waits = deferral.deferred === 'probe' ? 'waits until its effect is certain' : 'was held back before it began';
  const text = `${waits}: ${reasonOf(deferral.reason)}`;
  const backoff = nextBackoff(execution.backoffs[node], deferral, at);
  if (!isInVain('node', backoff, at)) {
    execution.backoffs[node] = backoff;
    if (backoff.until === '') putBack(execution.progress, node);
    else setAside(execution.progress, node);
    note(run, at, 'node', `${nodeId(node)} ${text}`);
    return;
  }
  delete execution.backoffs[node];
  const { end } = endInVain(deferral);
  const isUnbegun = execution.mayHaveBegun[node] === undefined;
  if (isUnbegun && (deferral.deferred === 'version' || deferral.deferred === 'look'))
    askAbout(run, node, { ...end, message: `${text}. ${TO_WAIT[deferral.deferred]}` }, at);
  else endNode(run, node, { ...end, message: `${text}; it was tried often enough` }, at);
}

/** Records that a worker sees another state or cost. Asks for approval again if a rule requires it. */
function askAsSeen(run: Run, node: number, { cost, preview }: SeenChange, at: string): void {
  const { state, execution } = run;
  if (execution === undefined) return;
  const { planShape, progress } = execution;
  const executorIndex = planShape.executorOf[node]!;
  const { cost: before, ...executor } = planShape.executors[executorIndex]!;
  const isChanged = (one: number) =>
    one === node ||
    (preview === undefined && planShape.executorOf[one] === executorIndex && progress.status[one] === 'pending');
  const changed = [...planShape.executorOf.keys()].filter(isChanged);
  const { state: stateBefore = UNSEEN_STATE, rows = [] } = planShape.previews?.[node] ?? {};
  const shown = stateBefore === UNSEEN_STATE ? '' : `; people were shown ${rows.join(', ')}`;
  const text =
    preview === undefined
      ? `its cost is ${cost ?? 'none'} now; it was ${before ?? 'none'} when people were asked`
      : `what it changes now: ${preview.rows.join(', ')}${shown}`;
  const seen =
    preview === undefined
      ? {
          executors: [...planShape.executors, { ...executor, ...given({ cost }) }],
          executorOf: planShape.executorOf.map((one, index) => (isChanged(index) ? planShape.executors.length : one)),
        }
      : { previews: { ...planShape.previews, [node]: preview } };
  const warnings = { ...planShape.warnings, ...Object.fromEntries(changed.map((one) => [one, text])) };
  const { pages: _, ...rest } = execution;
  run.execution = { ...rest, planShape: { ...planShape, ...seen, warnings } };
  state.approval = askAgain(state.approval, changed, at, subjectOf(state, run.execution.planShape));
  // The effect needs no approval, so it may begin without a preview even if the state changes often.
  if (!state.approval.uncovered.includes(node)) run.execution = withoutPreview(run.execution, node);
  note(run, at, 'held', `${nodeId(node)}: ${text}`);
}

function withoutPreview(execution: NonNullable<Run['execution']>, node: number): typeof execution {
  const { [node]: _, ...previews } = execution.planShape.previews ?? {};
  return { ...execution, planShape: { ...execution.planShape, previews } };
}

const WAYS = 'say retry to wait on, skip to go on without, or kill to stop the run';
const TO_WAIT = {
  version: `No worker with the approved version took it within 10 minutes: start one and ${WAYS}`,
  look: `Its capability could not look at its target for 10 minutes: ${WAYS}`,
};

/** Applies the end of a task whose node an edit removed. Asks a person if its effect may have happened. */
export function applyUnused(
  run: Run,
  { id, effect, claim = '', isDrained }: Extract<PendingTask, { kind: 'unused' }>,
  ended: TaskEnd,
  at: string,
): void {
  const removed = run.state.removedEffects?.[claim];
  if (effect !== 'read') run.recheckNodes = true;
  if (removed !== undefined) {
    const execution = openRemoved(removed);
    execution.endedAt[0] = Date.parse(at);
    recordLoss(execution, 0, couldNotFindOut(ended) || (!ended.ok && isDrained === true && isUnreported(ended)));
    if (!ended.ok || execution.mayHaveBegun[0] === true) {
      endNode(run, 0, ended.ok ? NOT_USED : ended.end, at, execution, id);
      return;
    }
    if (isHandle(ended.value)) succeed(execution.progress, 0, handleOf(ended.value));
    else setStatus(execution.progress, 0, 'pending');
  }
  const how = !ended.ok
    ? howItEnded(ended.end)
    : isReturned(ended.value)
      ? 'was stopped with its part'
      : isDeferral(ended.value)
        ? 'has not begun'
        : 'has succeeded';
  if (ended.ok && isHandle(ended.value)) completeStarted(run, claim);
  noteAll(run, id, [`${how}; this plan does not use it`, ...(ended.ok ? notesIn(ended.value) : [])], at);
}

const NOT_USED = { status: 'cancelled', type: 'Cancelled', message: 'the plan is another one now' } as const;

function couldNotFindOut(ended: TaskEnd): boolean {
  return ended.ok && isDeferral(ended.value) && ended.value.mayHaveBegun === true;
}

function howItEnded({ status, message }: NodeEnd): string {
  return status === 'uncertain' ? `may have happened (${message})` : `has ended as ${status} (${message})`;
}

const NOTED = { nodes: 100, each: 3, characters: 300 };

export function noteOnNode(run: Run, node: number, notes: readonly string[], at: string): void {
  noteAll(run, nodeId(node), notes, at);
  const allNotes = run.execution?.notes ?? {};
  delete allNotes[node];
  if (notes.length === 0 || Object.keys(allNotes).length >= NOTED.nodes) return;
  allNotes[node] = notes.slice(0, NOTED.each).map((text) => cutCharacters(text, NOTED.characters));
}

function noteAll(run: Run, id: string, texts: readonly string[], at: string): void {
  for (const text of texts) note(run, at, 'node', `${id} ${text}`);
}

function notesIn(value: unknown): readonly string[] {
  const notes = isRecord(value) ? value['notes'] : undefined;
  return Array.isArray(notes) ? notes.filter((text) => typeof text === 'string').slice(0, MAX_NODE_NOTES) : [];
}

/** The shape of a valid result. The reference is required, since other activities use it to read the result. */
const RESULT = { ...HANDLE, ref: 'name', attempts: 'count?' } as const;

function handleOf({ ref, kind, count, bytes, untrusted }: ResultHandle): ResultHandle {
  return { ref, kind, count, bytes, ...given({ untrusted }) };
}

function isHandle(value: unknown): value is ResultHandle & Noted & Pick<Paid, 'attempts'> {
  return problemOf(RESULT, value) === undefined;
}

/** Applies the results of a reused run without starting tasks. Skips nodes that an edit has already moved. */
export function applyReused(run: Run, at: string): void {
  const { execution } = run;
  const reuse = execution?.planShape.reuse;
  if (execution === undefined || reuse === undefined) return;
  const { progress } = execution;
  const { done, begun, text } = reuse;
  const isOpen = (node: number) => progress.status[node] === 'pending';
  note(run, at, 'compiled', text);
  for (const [key, { notes = [], ...result }] of Object.entries(done)) {
    if (!isOpen(Number(key))) continue;
    succeed(progress, Number(key), handleOf(result), 'reused');
    noteOnNode(run, Number(key), notes, at);
  }
  for (const [key, message] of Object.entries(begun)) {
    if (isOpen(Number(key))) endNode(run, Number(key), { status: 'uncertain', type: 'CRITICAL', message }, at);
  }
}
