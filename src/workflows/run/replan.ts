/**
 * Replans after a failure that another plan may avoid (the router in Osprey). The decision is computed from the run's
 * state, so a message that changes the state can end a replan.
 */

import type { Replans } from './state.ts';
import { numbered } from './records.ts';
import {
  type PlanShape,
  type SameNodes,
  mayReplan,
  openReplanning,
  type Planning,
  amountOf,
  effectOf,
  nodeId,
  type NodeStatus,
} from '../../protocol/index.ts';
import { later, openReplans, note } from './run.ts';
import type { Execution, Run, Progress } from './in-memory.ts';
import { dropDeferred, endBackoff } from './backoff.ts';
import { applyReused } from './apply-node.ts';
import { isBudgetExhausted } from './spending/spend.ts';
import { dropQuestion } from './talk/questions.ts';
import { openEditedPlan } from './talk/carry-over.ts';
import { cancelTask } from './tasks.ts';
import { sum } from './task-traits.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';

/** Maximum ms that a replan waits for running tasks, since one new plan can avoid their failures too. */
const MAX_WAIT_MS = 30_000;

/** Whether a replan is due or running. Until it ends, no node of the open plan starts. */
export function shouldReplan(run: Run): boolean {
  const { state, execution } = run;
  const { options, approval, loop, failure, cancelled } = state;
  if (options.onFailure !== 'replan' || execution === undefined || loop !== undefined) return false;
  if (failure !== undefined || cancelled || approval.phase === 'closed' || approval.rejected) return false;
  const { progress, planShape } = execution;
  // A person must settle uncertain effects first, since a new plan depends on what happened.
  if (progress.handles[planShape.root] !== undefined || progress.counts.uncertain > 0) return false;
  if (avoidableFailures(progress).next().done === true) return false;
  return state.planning === undefined ? mayOpen(run) : state.planning.anew?.digest === approval.digest;
}

function mayOpen(run: Run): boolean {
  const { replans = openReplans(), plannings, approval, project } = run.state;
  const isBounded = mayReplan(replans) && Math.max(approval.revision, plannings) < approval.bounds.maxRevisions;
  return isBounded && replans.endReason === undefined && project.planner === true && !isBudgetExhausted(run);
}

export function replan(run: Run, at: string): void {
  const { state, execution, counts } = run;
  const { planning, paused } = state;
  // A person's edit, or a revision that a person requested, goes first.
  const isWanted = shouldReplan(run) && sum(counts.all, ['compile', 'revise']) === 0;
  if (planning?.anew !== undefined && !isWanted) dropPlanning(run, planning, at);
  const { since, ...replans } = state.replans ?? openReplans();
  if (!isWanted && since !== undefined) state.replans = replans;
  if (!isWanted || planning !== undefined || paused || execution === undefined) return;
  const isPatient = since === undefined || at < later(since, MAX_WAIT_MS);
  // After planning was dropped, the run waits without a limit until it has ended.
  const isBusy = sum(counts.all, isPatient ? ['plan', 'node'] : ['plan']) > 0;
  if (isBusy) state.replans = { ...replans, since: since ?? at };
  else beginReplan(run, execution, replans, at);
}

export function nextReplan({ state: { replans, planning } }: Run, at: string): string | undefined {
  if (replans?.since === undefined || planning !== undefined) return undefined;
  const due = later(replans.since, MAX_WAIT_MS);
  return due > at ? due : undefined;
}

function beginReplan(run: Run, execution: Execution, replans: Replans, at: string): void {
  const { state } = run;
  const { planShape, progress } = execution;
  const failed = [...avoidableFailures(progress)];
  const why = replanReason(execution, failed);
  const replanned = {
    digest: planShape.digest,
    why,
    report: planProgressText(execution),
    lost: lostNodes(execution, failed),
  };
  const isOfSelection = failed.some((node) => progress.failures[node]?.type === 'RECLASSIFICATION');
  const trouble = { severity: isOfSelection ? 'RECLASSIFICATION' : 'REPLANNING', message: why } as const;
  state.replans = replans;
  state.plannings += 1;
  state.planning = openReplanning(planShape.goal, replanned, replans, trouble);
  note(run, at, 'planned', `${why}; replanning`);
}

/** Drops a planning. Its result is not used, and it does not count towards the limit of plans. */
function dropPlanning(run: Run, { waitsFor = '', asked }: Planning, at: string): void {
  const { state, tasks } = run;
  delete state.planning;
  state.replans = { ...openReplans(), ...state.replans, asked };
  const question = state.questions[waitsFor];
  if (question !== undefined) dropQuestion(run, question, at);
  for (const [id, { kind, isDeferred }] of numbered(tasks)) {
    if (kind !== 'plan') continue;
    if (isDeferred === true) dropDeferred(run, id);
    else cancelTask(run, id, 'the run, which has no use for it');
  }
  note(run, at, 'planned', 'the run does not replan: its state has changed meanwhile');
  if (state.backoff !== undefined && state.backoff.cause !== 'fault')
    endBackoff(run, at, 'nobody waits for it any more');
}

export function openReplacement(
  run: Run,
  { anew, plans, classifications, asked, notes }: Planning,
  made: SameNodes & { readonly planShape: PlanShape; readonly isFallback: boolean },
  at: string,
): void {
  const { state } = run;
  const { isFallback, ...compiled } = made;
  delete state.planning;
  state.made = isFallback ? 'fallback' : 'plan';
  const opened = openEditedPlan(run, compiled, { approval: state.approval, isAnew: true }, at);
  const { revision } = state.approval;
  const times = (state.replans?.made ?? 0) + 1;
  const why = anew?.why ?? '';
  const carried = { plans, classifications, asked, ...(notes !== undefined && { notes }) };
  state.replans = { ...carried, made: times, revision, why };
  const what = isFallback ? 'the fallback plan takes its place' : 'the plan was replaced';
  note(run, at, 'compiled', `${what}, since ${why}: ${opened}`);
  applyReused(run, at);
  run.recheckNodes = true;
}

export function endReplanning(run: Run, { plans, classifications, asked }: Planning, reason: string, at: string): void {
  const { state } = run;
  delete state.planning;
  state.replans = { ...openReplans(), ...state.replans, plans, classifications, asked, endReason: reason };
  note(run, at, 'planned', `no other plan came of it: ${reason}`);
}

/** @example '; it was replanned twice' */
export function replannedText({ replans }: Run['state']): string {
  const { made = 0, endReason } = replans ?? {};
  const times = made === 0 ? '' : `; it was replanned ${made === 1 ? 'once' : 'twice'}`;
  return endReason === undefined ? times : `${times}; then no other plan came of it: ${endReason}`;
}

/** Types of failures that another plan may avoid. `NotApplied` means that an effect certainly did not happen. */
const AVOIDABLE: readonly string[] = ['REPLANNING', 'RECLASSIFICATION', 'NotApplied'];
/** Maximum number of nodes per status in the text for the planner. */
const MAX_NAMED = 100;
const MAX_FAILURE = 400;
const MAX_REASON = 240;
const MAX_PROGRESS_TEXT = 12_000;

export function* avoidableFailures({ status, failures, unsettled }: Progress): Generator<number> {
  for (const [node, { type }] of numbered(failures)) {
    if (status[node] === 'failed' && AVOIDABLE.includes(type) && unsettled[node] === undefined) yield node;
  }
}

/** @example 'node_2 (Read the list) failed as REPLANNING: there is no file "a.bed"; and 1 more node' */
export function replanReason({ planShape, progress }: Execution, failed: readonly number[]): string {
  const [first = 0, ...others] = failed;
  const { type = '', message = '' } = progress.failures[first] ?? {};
  const more = others.length === 0 ? '' : `; and ${others.length} more node${others.length === 1 ? '' : 's'}`;
  const title = oneLine(planShape.summaries[first] ?? '');
  return `${nodeId(first)} (${title}) failed as ${type}: ${cutCharacters(oneLine(message), MAX_REASON)}${more}`;
}

/** The ids of nodes that would fail again if the new plan has them unchanged. Other failed reads run again. */
export function lostNodes(
  { planShape, progress: { status } }: Execution,
  failed: readonly number[],
): readonly string[] {
  const cured = new Set(failed);
  const lost: string[] = [];
  for (const [node, now] of status.entries()) {
    const isLost = cured.has(node) || now === 'cancelled' || (now === 'failed' && effectOf(planShape, node) !== 'read');
    if (isLost && lost.push(nodeId(node)) === MAX_NAMED) break;
  }
  return lost;
}

/** The statuses in the order of the text for the planner, and what each means for the next plan. */
const STATUS_GROUPS: readonly (readonly [standing: readonly NodeStatus[], means: string])[] = [
  [['failed', 'uncertain'], 'failed'],
  [['cancelled'], 'cancelled by a person, and stays so'],
  [['succeeded', 'reused'], 'done; the result is kept where the node stays exactly as it is'],
  [['running'], 'under way, and goes on where the node stays exactly as it is'],
  [['waiting'], 'asks a person, and goes on asking where the node stays exactly as it is'],
  [['skipped'], 'skipped, since what it needs has no result or a person said so'],
  [['pending'], 'not begun'],
];

export function planProgressText({ planShape, progress }: Execution): string {
  const lines: string[] = [];
  for (const [statuses, means] of STATUS_GROUPS) {
    const nodes = progress.status.flatMap((now, node) => (statuses.includes(now) ? [node] : []));
    if (nodes.length === 0) continue;
    lines.push(`${means}:`);
    for (const node of nodes.slice(0, MAX_NAMED)) {
      const failure = progress.failures[node];
      const handle = progress.handles[node];
      const detail =
        failure !== undefined
          ? `, ${failure.type}: ${cutCharacters(oneLine(failure.message), MAX_FAILURE)}`
          : handle === undefined
            ? ''
            : `, ${amountOf(handle)}`;
      lines.push(`- ${planShape.contextKeys?.[node] ?? nodeId(node)}${detail}`);
    }
    if (nodes.length > MAX_NAMED) lines.push(`- and ${nodes.length - MAX_NAMED} more`);
  }
  return cutCharacters(lines.join('\n'), MAX_PROGRESS_TEXT);
}
