/**
 * Replans after a failure that another plan may avoid (Osprey: the router): the planner revises the plan and sees its
 * progress. Everything here follows from the run's state, so a person's message that changes the state ends the replan.
 */

import type { Replans } from './state.ts';
import { numbered } from './records.ts';
import {
  type RunSlice,
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

/** Other steps may fail too, and one plan can cure all: the replan waits so long for work under way. */
const QUIET_MS = 30_000;

/** Whether a replan is due or under way. Meanwhile nothing of the open plan starts. */
export function shouldReplan(run: Run): boolean {
  const { state, execution } = run;
  const { options, approval, loop, failure, cancelled } = state;
  if (options.onFailure !== 'replan' || execution === undefined || loop !== undefined) return false;
  if (failure !== undefined || cancelled || approval.phase === 'closed' || approval.rejected) return false;
  const { progress, slice } = execution;
  // A new plan needs certainty: a person first settles what may have happened.
  if (progress.handles[slice.root] !== undefined || progress.counts.uncertain > 0) return false;
  if (curable(progress).next().done === true) return false;
  return state.planning === undefined ? mayOpen(run) : state.planning.anew?.digest === approval.digest;
}

function mayOpen(run: Run): boolean {
  const { replans = openReplans(), plannings, approval, project } = run.state;
  const isBounded = mayReplan(replans) && Math.max(approval.revision, plannings) < approval.bounds.maxRevisions;
  return isBounded && replans.endReason === undefined && project.planner === true && !isBudgetExhausted(run);
}

/** Begins the replan, or ends it if its reason is gone. */
export function replan(run: Run, at: string): void {
  const { state, execution, counts } = run;
  const { planning, paused } = state;
  // A plan of a person, or one that a person asked for, comes first.
  const isWanted = shouldReplan(run) && sum(counts.all, ['compile', 'revise']) === 0;
  if (planning?.anew !== undefined && !isWanted) drop(run, planning, at);
  const { since, ...known } = state.replans ?? openReplans();
  if (!isWanted && since !== undefined) state.replans = known;
  if (!isWanted || planning !== undefined || paused || execution === undefined) return;
  const isPatient = since === undefined || at < later(since, QUIET_MS);
  // The run waits for a dropped planning without a limit.
  const isBusy = sum(counts.all, isPatient ? ['plan', 'node'] : ['plan']) > 0;
  if (isBusy) state.replans = { ...known, since: since ?? at };
  else open(run, execution, known, at);
}

/** When the replan stops waiting for work under way (ISO 8601). */
export function nextReplan({ state: { replans, planning } }: Run, at: string): string | undefined {
  if (replans?.since === undefined || planning !== undefined) return undefined;
  const due = later(replans.since, QUIET_MS);
  return due > at ? due : undefined;
}

function open(run: Run, execution: Execution, replans: Replans, at: string): void {
  const { state } = run;
  const { slice, progress } = execution;
  const failed = [...curable(progress)];
  const why = replanReason(execution, failed);
  const anew = { digest: slice.digest, why, report: planProgressText(execution), lost: lostNodes(execution, failed) };
  const isOfSelection = failed.some((node) => progress.failures[node]?.type === 'RECLASSIFICATION');
  const trouble = { severity: isOfSelection ? 'RECLASSIFICATION' : 'REPLANNING', message: why } as const;
  state.replans = replans;
  state.plannings += 1;
  state.planning = openReplanning(slice.goal, anew, replans, trouble);
  note(run, at, 'planned', `${why}; the plan is made anew`);
}

/** Drops the planning: its result is not used, and does not count as one of the allowed plans. */
function drop(run: Run, { waitsFor = '', asked }: Planning, at: string): void {
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
  note(run, at, 'planned', 'the plan is not made anew: as the run stands now, that is not wanted');
  if (state.backoff !== undefined && state.backoff.cause !== 'fault')
    endBackoff(run, at, 'nobody waits for it any more');
}

/** Opens the new plan, as an edit does. */
export function openReplacement(
  run: Run,
  { anew, plans, classifications, asked, notes }: Planning,
  made: SameNodes & { readonly slice: RunSlice; readonly isFallback: boolean },
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
  const known = { plans, classifications, asked, ...(notes !== undefined && { notes }) };
  state.replans = { ...known, made: times, revision, why };
  const what = isFallback ? 'the fallback plan takes its place' : 'the plan was made anew';
  note(run, at, 'compiled', `${what}, since ${why}: ${opened}`);
  applyReused(run, at);
  run.recheckNodes = true;
}

/** The replan gave no plan: the run ends as it would have without it. */
export function endReplanning(run: Run, { plans, classifications, asked }: Planning, over: string, at: string): void {
  const { state } = run;
  delete state.planning;
  state.replans = { ...openReplans(), ...state.replans, plans, classifications, asked, endReason: over };
  note(run, at, 'planned', `no other plan came of it: ${over}`);
}

/** @example '; it was planned anew twice' */
export function replannedText({ replans }: Run['state']): string {
  const { made = 0, endReason } = replans ?? {};
  const times = made === 0 ? '' : `; it was planned anew ${made === 1 ? 'once' : 'twice'}`;
  return endReason === undefined ? times : `${times}; then no other plan came of it: ${endReason}`;
}

/** Failures that another plan may avoid, including an effect at most once that certainly did not happen. */
const CURABLE: readonly string[] = ['REPLANNING', 'RECLASSIFICATION', 'NotApplied'];
/** Nodes named of each state, and nodes that the new plan may not contain unchanged. */
const NAMED = 100;
/** Characters of the failure of one node. */
const FAILURE = 400;
/** Characters of the failure that is the reason of a replan, as people see it. */
const REASON = 240;
/** Characters of the whole text for the planner. */
const MAX_PROGRESS_TEXT = 12_000;

/** The nodes whose failure another plan may avoid, in the order of the plan's failures. */
export function* curable({ status, failures, unsettled }: Progress): Generator<number> {
  for (const [node, { type }] of numbered(failures)) {
    if (status[node] === 'failed' && CURABLE.includes(type) && unsettled[node] === undefined) yield node;
  }
}

/** @example 'node_2 (Read the list) failed as REPLANNING: there is no file "a.bed"; and 1 more node' */
export function replanReason({ slice, progress }: Execution, failed: readonly number[]): string {
  const [first = 0, ...others] = failed;
  const { type = '', message = '' } = progress.failures[first] ?? {};
  const more = others.length === 0 ? '' : `; and ${others.length} more node${others.length === 1 ? '' : 's'}`;
  const title = oneLine(slice.summaries[first] ?? '');
  return `${nodeId(first)} (${title}) failed as ${type}: ${cutCharacters(oneLine(message), REASON)}${more}`;
}

/**
 * The ids of nodes that would fail again unchanged: another plan may avoid their failure, or their end is final. A read
 * that failed otherwise runs again.
 */
export function lostNodes({ slice, progress: { status } }: Execution, failed: readonly number[]): readonly string[] {
  const cured = new Set(failed);
  const lost: string[] = [];
  for (const [node, now] of status.entries()) {
    const isLost = cured.has(node) || now === 'cancelled' || (now === 'failed' && effectOf(slice, node) !== 'read');
    if (isLost && lost.push(nodeId(node)) === NAMED) break;
  }
  return lost;
}

/** The states in the order of the text, each with its meaning for the next plan. */
const STATUS_GROUPS: readonly (readonly [standing: readonly NodeStatus[], means: string])[] = [
  [['failed', 'uncertain'], 'failed'],
  [['cancelled'], 'cancelled by a person, and stays so'],
  [['succeeded', 'reused'], 'done; the result is kept where the node stays exactly as it is'],
  [['running'], 'under way, and goes on where the node stays exactly as it is'],
  [['waiting'], 'asks a person, and goes on asking where the node stays exactly as it is'],
  [['skipped'], 'skipped, since what it needs has no result or a person said so'],
  [['pending'], 'not begun'],
];

/** Every node by its id in the plan that the planner reads. */
export function planProgressText({ slice, progress }: Execution): string {
  const lines: string[] = [];
  for (const [standings, means] of STATUS_GROUPS) {
    const nodes = progress.status.flatMap((now, node) => (standings.includes(now) ? [node] : []));
    if (nodes.length === 0) continue;
    lines.push(`${means}:`);
    for (const node of nodes.slice(0, NAMED)) {
      const failure = progress.failures[node];
      const handle = progress.handles[node];
      const told =
        failure !== undefined
          ? `, ${failure.type}: ${cutCharacters(oneLine(failure.message), FAILURE)}`
          : handle === undefined
            ? ''
            : `, ${amountOf(handle)}`;
      lines.push(`- ${slice.contextKeys?.[node] ?? nodeId(node)}${told}`);
    }
    if (nodes.length > NAMED) lines.push(`- and ${nodes.length - NAMED} more`);
  }
  return cutCharacters(lines.join('\n'), MAX_PROGRESS_TEXT);
}
