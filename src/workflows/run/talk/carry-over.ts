/** Moves nodes to a new revision. An unchanged node keeps its result, its question and its running task. */

import type { Approval } from '../../approval/state.ts';
import { numbered } from '../records.ts';
import { effectOf, given, nodeId, type NodeStatus, type PlanShape, type SameNodes } from '../../../protocol/index.ts';
import { openRevision } from '../../approval/approval.ts';
import { rememberEffects, repetitionIn, claimOf, reclaimRemoved, whereOf } from '../started-effects.ts';
import { endLostEffects, openExecution, note, askingNodes, rememberUntrusted, subjectOf } from '../run.ts';
import type { Execution, Progress, Run } from '../in-memory.ts';
import type { Nodes } from '../state.ts';
import { fail, setStatus, succeed } from '../nodes/progress.ts';
import { skip } from '../nodes/skip-and-reset.ts';
import { replaceTask, cancelTask } from '../tasks.ts';
import { dropQuestion } from './questions.ts';

export function moveNodes(run: Run, planShape: PlanShape, { sameAs, reformed }: Required<SameNodes>, at: string): void {
  const before = run.execution;
  const moved = new Set([...sameAs, ...reformed]);
  endLostEffects(run, at, 'the plan is another one now', (node) => moved.has(node));
  rememberEffects(run, (node) => moved.has(node));
  const next = openExecution(withLooks(planShape, before?.planShape, sameAs), run.state.options.concurrency);
  run.execution = next;
  if (before === undefined) return;
  const newIndexOf = new Map<number, number>();
  sameAs.forEach((old, node) => {
    if (old >= 0) move('repetition', before, old, next, node);
    const from = old >= 0 ? old : (reformed[node] ?? -1);
    if (from < 0) return;
    newIndexOf.set(from, node);
    moveNode(before, from, next, node);
  });
  dropRemovedTasks(run, before, newIndexOf, at);
  for (const node of planShape.inputs.keys()) {
    const removed =
      (sameAs[node] ?? -1) < 0 && (reformed[node] ?? -1) < 0 ? reclaimRemoved(run, planShape, node) : undefined;
    if (removed === undefined) continue;
    move('repetition', removed, 0, next, node);
    moveNode(removed, 0, next, node);
  }
  moveEnds(next.progress);
  moveQuestions(run, newIndexOf, at);
  noteUncertain(run, before.progress, newIndexOf, at);
}

/**
 * What an edit does to each record of an unchanged node. `stays`: copied. `repetition`: copied if the node has the same
 * identity. `with-end`: copied if the node remains ended without a result. `reckoned`: computed again.
 */
const AT_EDIT: Readonly<Record<keyof Nodes, 'stays' | 'repetition' | 'with-end' | 'reckoned'>> = {
  status: 'reckoned',
  handles: 'reckoned',
  failures: 'with-end',
  causes: 'reckoned',
  unsettled: 'with-end',
  individual: 'stays',
  retries: 'repetition',
  repeatedBy: 'repetition',
  backoffs: 'repetition',
  attempts: 'repetition',
  mayHaveBegun: 'repetition',
  reports: 'repetition',
  stopped: 'repetition',
  notes: 'stays',
  scheduledAt: 'stays',
  endedAt: 'stays',
};

function move(what: (typeof AT_EDIT)[keyof Nodes], from: Nodes, old: number, to: Nodes, node: number): void {
  for (const [key, atEdit] of Object.entries(AT_EDIT) as [keyof Nodes, string][])
    if (atEdit === what && old in from[key]) (to[key] as Record<number, unknown>)[node] = from[key][old];
}

function withLooks(planShape: PlanShape, before: PlanShape | undefined, sameAs: readonly number[]): PlanShape {
  const moved = <Value>(values: Readonly<Record<number, Value>> = {}, newer: Readonly<Record<number, Value>> = {}) => {
    const entries = sameAs.flatMap((old, node) => (values[old] === undefined ? [] : [[node, values[old]] as const]));
    const all = { ...Object.fromEntries(entries), ...newer };
    return Object.keys(all).length > 0 ? all : undefined;
  };
  const warnings = moved(before?.warnings, planShape.warnings);
  return { ...planShape, ...given({ warnings, previews: moved(before?.previews, planShape.previews) }) };
}

function moveNode(before: Execution, old: number, next: Execution, node: number): void {
  const { progress } = next;
  move('stays', before, old, next, node);
  const status = before.status[old] as NodeStatus;
  const handle = before.handles[old];
  if (handle !== undefined) succeed(progress, node, handle, 'reused');
  else if (status === 'running' || status === 'waiting') setStatus(progress, node, status);
  else if (before.failures[old] !== undefined && keepsEnd(before, old)) {
    move('with-end', before, old, next, node);
    setStatus(progress, node, status);
  }
}

/** Whether an unchanged node without a result remains ended until `retry-node`. Failed reads run again without it. */
function keepsEnd({ planShape, status }: Execution, old: number): boolean {
  if (status[old] === 'failed') return effectOf(planShape, old) !== 'read';
  return status[old] === 'uncertain' || status[old] === 'cancelled' || status[old] === 'skipped';
}

/** Runs last: failures can skip dependents only after every node has its new index. */
function moveEnds(next: Progress): void {
  for (const [node, failure] of [...numbered(next.failures)]) {
    const status = next.status[node];
    if (next.unsettled[node] !== undefined) continue;
    if (status === 'skipped') skip(next, node, failure);
    else if (status === 'uncertain' || status === 'cancelled' || status === 'failed') fail(next, node, status, failure);
  }
}

/** Drops running tasks whose nodes the new plan lacks. Cancels reads; lets effects run to their end. */
function dropRemovedTasks(
  run: Run,
  { planShape }: Execution,
  newIndexOf: ReadonlyMap<number, number>,
  at: string,
): void {
  for (const [id, task] of numbered(run.tasks)) {
    if (task.kind !== 'node') continue;
    const old = task.node;
    const node = newIndexOf.get(old);
    if (node !== undefined) {
      task.node = node;
      continue;
    }
    const effect = effectOf(planShape, old) ?? 'read';
    // The revision before the edit.
    const { revision } = run.state.approval;
    const { stopping, part } = task;
    const unused = { kind: 'unused', id: `${nodeId(old)} of revision ${revision}`, effect } as const;
    const claim = effect === 'at-most-once' ? claimOf(planShape, old) : whereOf(revision, nodeId(old));
    replaceTask(run, id, { ...unused, ...given({ part, stopping, claim: effect === 'read' ? undefined : claim }) });
    const runningPart = run.parts.get(part ?? '');
    if (runningPart !== undefined) runningPart.unused += 1;
    note(run, at, 'node', `${nodeId(old)} of the plan before is under way and not used any more`);
    if (effect === 'read') cancelTask(run, id, 'another plan');
  }
}

function moveQuestions(run: Run, newIndexOf: ReadonlyMap<number, number>, at: string): void {
  const { questions, answered } = run.state;
  for (const question of Object.values(questions)) {
    const node = newIndexOf.get(question.node);
    if (node !== undefined) {
      question.node = node;
      continue;
    }
    dropQuestion(run, question, at);
    note(run, at, 'node', `${question.id} is asked no more: the new plan does not have its node`);
  }
  for (const [id, { node: old, ...rest }] of Object.entries(answered)) {
    const node = old === undefined ? undefined : newIndexOf.get(old);
    answered[id] = { ...rest, ...(node !== undefined && { node }) };
  }
}

/** Adds to the trace which uncertain effects the new plan lacks. People still have to settle them. */
function noteUncertain(run: Run, before: Progress, newIndexOf: ReadonlyMap<number, number>, at: string): void {
  for (const [old] of numbered(before.unsettled)) {
    if (newIndexOf.has(old) || before.status[old] !== 'uncertain') continue;
    note(run, at, 'node', `${nodeId(old)} of the plan before stays uncertain, though the new plan does not have it`);
  }
}

/** Opens an edited plan. @param from the approval of the earlier plan; `isAnew` if the run replanned by itself */
export function openEditedPlan(
  run: Run,
  { planShape, sameAs = [], reformed = [] }: SameNodes & { readonly planShape: PlanShape },
  { approval, isAnew }: { readonly approval: Approval; readonly isAnew?: true },
  at: string,
): string {
  const { state } = run;
  const before = run.execution?.planShape;
  rememberUntrusted(run);
  moveNodes(run, planShape, { sameAs, reformed }, at);
  const subject = subjectOf(state, planShape);
  const asBefore = isAnew === true && before !== undefined ? asApproved(planShape, before, sameAs) : sameAs;
  state.approval = openRevision(approval, { digest: planShape.digest, subject, at, sameAs: asBefore, isAnew });
  const reused = sameAs.filter((old) => old >= 0).length;
  const reformedCount = reformed.filter((old) => old >= 0).length;
  const also = reformedCount === 0 ? '' : `, ${reformedCount} only in form, and keep what they did`;
  const again = repetitionIn(run, askingNodes(run));
  const repeats = again === undefined ? '' : `; ${again}`;
  const digest = planShape.digest.slice(0, 8);
  return `revision ${state.approval.revision} is open, digest ${digest}; ${reused} of its ${sameAs.length} nodes are unchanged${also}${repeats}`;
}

/** An approval covers the order of steps before an effect. If a replan changes the order, approval is needed again. */
function asApproved(planShape: PlanShape, before: PlanShape, sameAs: readonly number[]): readonly number[] {
  const orderOf = (nodes: readonly number[] = []) => [...nodes].toSorted((a, b) => a - b).join(' ');
  return sameAs.map((old, node) => {
    if (old < 0 || effectOf(planShape, node) === 'read') return old;
    const follows = (planShape.after?.[node] ?? []).map((one) => sameAs[one] ?? -1);
    return orderOf(follows) === orderOf(before.after?.[old]) ? old : -1;
  });
}
