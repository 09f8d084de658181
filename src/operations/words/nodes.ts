import { nodeLabel, type OutlineEntry, type Standing } from '../../plan/outline/index.ts';
import { clockText, durationText, oneLine, tickText, briefJson, visible } from '../../plan/text/index.ts';
import {
  amountOf,
  given,
  missingApprovalText,
  type AttemptView,
  type NodeView,
  type SeenNode,
  type ExecutedNodes,
  type NodeWork,
  type ResultHandle,
  type RoundRecord,
  type StageVisit,
} from '../../protocol/index.ts';
import type { Reasons } from '../why.ts';

const MAX_DECISION = 300;

export interface RoundView extends RoundRecord {
  readonly results?: Readonly<Record<string, ResultHandle>>;
}

export function roundLines(rounds: readonly RoundView[]): string {
  return rounds.flatMap(linesOf).join('\n');
}

function linesOf({ round, line, origin, decider, happened, visits = [], results = {} }: RoundView): readonly string[] {
  const by = origin === undefined ? '' : `, ${origin}${decider === undefined ? '' : ` ${visible(decider)}`}`;
  const why = happened?.message === undefined ? '' : `, ${oneLine(happened.message)}`;
  const before = happened === undefined ? [] : [`  step_${happened.round} ended: ${happened.status}${why}`];
  const lines = visits.map((visit) => ({ stage: visit.stage, line: visitLine(visit) }));
  const quiet = lines.flatMap(({ stage, line: one }) => (one === undefined ? [visible(stage)] : []));
  return [
    `round ${round}${by}: ${oneLine(line)}`,
    ...before,
    ...lines.flatMap(({ line: one }) => (one === undefined ? [] : [`  ${one}`])),
    ...(quiet.length === 0 ? [] : [`  nothing to do: ${quiet.join(', ')}`]),
    ...Object.entries(results).map(([key, handle]) => `  ${visible(key)} gave ${amountOf(handle)}`),
  ];
}

function visitLine({ stage, did, wrote = [], before, after }: StageVisit): string | undefined {
  const fields = wrote.map((field) => visible(field)).join(', ');
  const beside = fields === '' ? '' : `; wrote ${fields}`;
  switch (did) {
    case 'passed':
    case 'spared':
      return undefined;
    case 'wrote':
      return `${visible(stage)} wrote ${fields === '' ? 'nothing' : fields}`;
    case 'rewrote':
      return `${visible(stage)} rewrote ${decisionText(before)} to ${decisionText(after)}${beside}`;
    case 'decided':
      return `${visible(stage)} decided ${decisionText(after)}${beside}`;
  }
  // For a kind of event that only another version knows.
  return `${visible(stage)} ${visible(did satisfies never)}`;
}

function decisionText(decision: unknown): string {
  return briefJson(decision, MAX_DECISION);
}

/**
 * Text such as `attempt 2, heartbeat overdue in 3 s`, `attempt 3 in 4 s (no route)` or `waits for a worker`, and the
 * worker. Compares this machine's clock with times of the server.
 */
export function attemptNow(one: AttemptView, now: number): { readonly says: string; readonly by?: string } {
  const { attempt, state, worker, lastFailure, waitsForRun } = one;
  if (state === 'waits for a worker') {
    return { says: `${waitOf(one, now)}${lastFailure === undefined ? '' : ` (${oneLine(lastFailure)})`}` };
  }
  const tells = [
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(state === 'is carried out' ? [] : [state]),
    ...(waitsForRun === undefined ? [] : [`waits for run ${waitsForRun}`]),
    ...(state === 'is paused' ? [] : pulseText(one, now)),
  ];
  return { says: tells.join(', '), ...(worker !== undefined && { by: `by ${workerText(worker)}` }) };
}

/** Whether the attempt's worker may be lost, or the previous attempt ended without a result. */
export function isInTrouble(one: AttemptView, now: number): boolean {
  return one.state === 'waits for a worker' ? one.attempt > 1 : isSilent(one, now);
}

/** The process and the host of a worker, such as `4711@host`, without the fingerprint of its capabilities. */
function workerText(identity: string): string {
  return oneLine(identity).split(' planwright/')[0] ?? '';
}

function waitOf({ attempt, nextAt }: AttemptView, now: number): string {
  const left = nextAt === undefined ? 0 : Date.parse(nextAt) - now;
  if (left > 0) return `attempt ${attempt} in ${tickText(left + ALMOST_MS)}`;
  return attempt > 1 ? `attempt ${attempt} waits for a worker` : 'waits for a worker';
}

/** Milliseconds to add to a countdown, which rounds it up to whole seconds. */
const ALMOST_MS = 999;

function pulseText(one: AttemptView, now: number): readonly string[] {
  const { heardAt, overdueAt } = one;
  if (heardAt === undefined) return [];
  if (overdueAt === undefined || !isSilent(one, now)) return [`heartbeat ${tickText(now - Date.parse(heardAt))} ago`];
  const left = Date.parse(overdueAt) - now;
  if (left > 0) return [`heartbeat overdue in ${tickText(left + ALMOST_MS)}`];
  return [`heartbeat overdue since ${tickText(-left)}: goes to another worker`];
}

/** Whether half of the heartbeat timeout has passed since the last heartbeat. */
function isSilent({ heardAt, overdueAt }: AttemptView, now: number): boolean {
  if (heardAt === undefined || overdueAt === undefined) return false;
  const [heard, overdue] = [Date.parse(heardAt), Date.parse(overdueAt)];
  return now - heard > (overdue - heard) / 2;
}

/** Text such as `4711@host in attempt 2`; undefined without a worker. */
export function byText({ attempt = 1, worker }: NodeWork): string | undefined {
  if (worker === undefined) return undefined;
  return `${workerText(worker)}${attempt > 1 ? ` in attempt ${attempt}` : ''}`;
}

/** Text such as `node_1 position was begun by 4711@host in attempt 2 (worker lost) and succeeded after 4.0 s`. */
export function attemptHistoryText(node: SeenNode): string {
  const { attempt = 1, worker = '', startedAt, before, status, endedAt } = node;
  const tries = attempt === 1 ? '' : ` in attempt ${attempt}${before === undefined ? '' : ` (${oneLine(before)})`}`;
  const ended =
    endedAt && ` and ${status} after ${durationText(Date.parse(endedAt) - Date.parse(startedAt ?? endedAt))}`;
  return `${nodeLabel(node)} was begun by ${workerText(worker)}${tries}${ended ?? ''}`;
}

export function missingText(missing: NonNullable<ExecutedNodes['missing']>): string {
  return missing === 'gone'
    ? 'an earlier history of this run is gone from the server, which keeps what has ended for the retention of its namespace: who carried out what is in it is not known'
    : 'this run has more histories than were read: who carried out what is in the older ones is not told';
}

/** A node as a row of an outline. The node is `queued` until a worker has it. @param now milliseconds since 1970 */
export function entryOfNode(node: SeenNode, now = Date.now()): OutlineEntry {
  const { id, key, summary, effect, cost, inputs = [], scheduledAt, endedAt, status } = node;
  const gave = gaveOf(node, now);
  const isUnderWay = status === 'running';
  // While the node waits for an answer, its time counts from the end of the attempt that asked.
  const [start, ended] = status === 'waiting' ? [endedAt ?? scheduledAt, undefined] : [scheduledAt, endedAt];
  const from = start === undefined ? undefined : Date.parse(start);
  const to = ended === undefined ? (isUnderWay || status === 'waiting' ? now : undefined) : Date.parse(ended);
  const isQueued = node.attempt !== undefined && node.worker === undefined && node.startedAt === undefined;
  const state: Standing = isUnderWay && isQueued ? 'queued' : status;
  const ms = from === undefined || to === undefined ? undefined : to - from;
  return given({ id, key, title: summary, effect, cost, standing: state, gave, ms, takes: inputs });
}

/** A node's result in a few words, such as `1,204 records, reused from plan-1, 3 min ago`; undefined if unknown. */
export function gaveOf(node: SeenNode, now = Date.now()): string | undefined {
  const { result, reusedFrom, written, value } = node;
  const amount = result === undefined || result.kind === 'value' ? undefined : amountOf(result);
  const what = written ?? (value === undefined ? amount : oneLine(JSON.stringify(value)));
  if (result === undefined || reusedFrom === undefined) return what;
  const age = durationText(Math.max(0, now - Date.parse(reusedFrom.at)));
  return `${what === undefined ? '' : `${what}, `}reused from ${oneLine(reusedFrom.run)}, ${age} ago`;
}

/** Why a node is in its state, or else the notes on its result; may be empty. */
export function nodeRemark({ failure, cause, waits, notes = [] }: NodeView): string {
  if (failure !== undefined) return `${failure.type}: ${failure.message.replaceAll(/\s+/g, ' ')}`;
  if (cause !== undefined) return `needs ${cause}`;
  return waits ?? notes.join('; ');
}

/** Text such as `attempt 3 of 5 is carried out by 4711@host; the one before it ended with: worker lost`. */
export function attemptText({ attempt, of, state, worker, lastFailure }: AttemptView): string {
  const by = worker === undefined || state === 'waits for a worker' ? '' : ` by ${worker}`;
  const last =
    lastFailure === undefined ? '' : `; the one before it ended with: ${lastFailure.replaceAll(/\s+/g, ' ')}`;
  return `attempt ${attempt}${of === undefined ? '' : ` of ${of}`} ${state}${by}${last}`;
}

export function inputLine({ id, key, status, result }: NodeView): string {
  return `${nodeLabel(given({ id, key }))}: ${result === undefined ? status : amountOf(result)}`;
}

export function reasonLines(reasons: Reasons): readonly string[] {
  const { node, inputs, begun, missing, attempt } = reasons;
  const ends = inputs.flatMap((one) => one.endedAt ?? []).toSorted();
  const ready = ends.length === inputs.length ? ends.at(-1) : undefined;
  const startedAt = attempt?.state === 'is carried out' ? attempt.at : undefined;
  return [
    `carried out by ${node.executor}`,
    ...approvalLines(reasons),
    ...timeLines({ ...node, ...given({ startedAt }), ...begun }, ready),
    ...(missing === undefined ? [] : [missingText(missing)]),
    ...(attempt === undefined ? [] : [attemptText(attempt)]),
  ];
}

/** The times when a node was ready (if known), scheduled, started and ended, and the durations between them. */
export function timeLines(node: SeenNode, ready?: string): readonly string[] {
  const { scheduledAt, startedAt, endedAt, attempt = 1, worker, before, waitsForRun } = node;
  const by = worker === undefined ? '' : ` by ${workerText(worker)}`;
  const tries = attempt === 1 ? '' : `, attempt ${attempt}${before === undefined ? '' : ` (${oneLine(before)})`}`;
  const lines = [
    ready !== undefined && `its inputs were there at ${clockText(ready)}`,
    scheduledAt !== undefined && `scheduled at ${clockText(scheduledAt, ready)}${elapsedText(ready, scheduledAt)}`,
    startedAt !== undefined &&
      `begun at ${clockText(startedAt, scheduledAt)}${by}${tries}${elapsedText(scheduledAt, startedAt)}`,
    endedAt !== undefined &&
      `ended at ${clockText(endedAt, scheduledAt)}${elapsedText(startedAt ?? scheduledAt, endedAt)}`,
    waitsForRun !== undefined && `waits for run ${waitsForRun}`,
  ];
  return lines.filter((line) => line !== false);
}

function elapsedText(before: string | undefined, at: string): string {
  return before === undefined ? '' : `, ${durationText(Date.parse(at) - Date.parse(before))} later`;
}

/** The people who approved the plan. If approvals are missing: who has approved, and what is missing. */
function approvalLines({ node, approvedBy }: Reasons): readonly string[] {
  const { missing = [], approvedBy: soFar = [] } = node;
  const names = (people: readonly string[]) => people.map((by) => oneLine(by)).join(', ');
  if (missing.length === 0) return approvedBy.length === 0 ? [] : [`the plan was approved by ${names(approvedBy)}`];
  return [
    ...(soFar.length === 0 ? [] : [`approved so far by ${names(soFar)}`]),
    ...missing.map((one) => `waits for ${missingApprovalText(one)}`),
  ];
}
