/** Nodes as text: state, result, duration, and why there is no result. */

import { nodeLabel, type OutlineEntry, type Standing } from '../../plan/outline/index.ts';
import { clockText, durationText, oneLine } from '../../plan/text/index.ts';
import { amountOf, given, missingWords, type AttemptView, type NodeView, type SeenNode } from '../../protocol/index.ts';
import type { Reasons } from '../why.ts';
import { missingText, workerText } from './attempts.ts';

/**
 * A node of an outline. Without a worker it is `queued`; the clock runs while it works.
 * @param now milliseconds since 1970
 */
export function entryOfNode(node: SeenNode, now = Date.now()): OutlineEntry {
  const { id, key, summary, effect, cost, inputs = [], scheduledAt, endedAt, status } = node;
  const gave = gaveOf(node, now);
  const isUnderWay = status === 'running';
  // The attempt that asks ends with its question; the wait begins then.
  const [start, ended] = status === 'waiting' ? [endedAt ?? scheduledAt, undefined] : [scheduledAt, endedAt];
  const from = start === undefined ? undefined : Date.parse(start);
  const to = ended === undefined ? (isUnderWay || status === 'waiting' ? now : undefined) : Date.parse(ended);
  // Scheduled, but not taken by a worker.
  const isQueued = node.attempt !== undefined && node.worker === undefined && node.startedAt === undefined;
  const standing: Standing = isUnderWay && isQueued ? 'queued' : status;
  const ms = from === undefined || to === undefined ? undefined : to - from;
  return given({ id, key, title: summary, effect, cost, standing, gave, ms, takes: inputs });
}

/** `1,204 records, reused from plan-1, 3 min ago`; a short value itself; nothing if unknown */
export function gaveOf(node: SeenNode, now = Date.now()): string | undefined {
  const { result, reusedFrom, written, value } = node;
  const amount = result === undefined || result.kind === 'value' ? undefined : amountOf(result);
  const what = written ?? (value === undefined ? amount : oneLine(JSON.stringify(value)));
  if (result === undefined || reusedFrom === undefined) return what;
  const age = durationText(Math.max(0, now - Date.parse(reusedFrom.at)));
  return `${what === undefined ? '' : `${what}, `}reused from ${oneLine(reusedFrom.run)}, ${age} ago`;
}

/** Why a node is in its state, or notes on its result; may be `''`. */
export function nodeRemark({ failure, cause, waits, notes = [] }: NodeView): string {
  if (failure !== undefined) return `${failure.type}: ${failure.message.replaceAll(/\s+/g, ' ')}`;
  if (cause !== undefined) return `needs ${cause}`;
  return waits ?? notes.join('; ');
}

/** `attempt 3 of 5 is carried out by 4711@host; the one before it ended with: worker lost` */
export function attemptText({ attempt, of, state, worker, lastFailure }: AttemptView): string {
  const by = worker === undefined || state === 'waits for a worker' ? '' : ` by ${worker}`;
  const last =
    lastFailure === undefined ? '' : `; the one before it ended with: ${lastFailure.replaceAll(/\s+/g, ' ')}`;
  return `attempt ${attempt}${of === undefined ? '' : ` of ${of}`} ${state}${by}${last}`;
}

/** `node_1 position: 12 records` */
export function inputLine({ id, key, status, result }: NodeView): string {
  return `${nodeLabel(given({ id, key }))}: ${result === undefined ? status : amountOf(result)}`;
}

/** Who runs a node, who approved it, its times and attempts. */
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

/** When its inputs were ready (if known), when it was scheduled, started and ended, and the time between. */
export function timeLines(node: SeenNode, ready?: string): readonly string[] {
  const { scheduledAt, startedAt, endedAt, attempt = 1, worker, before, waitsForRun } = node;
  const by = worker === undefined ? '' : ` by ${workerText(worker)}`;
  const tries = attempt === 1 ? '' : `, attempt ${attempt}${before === undefined ? '' : ` (${oneLine(before)})`}`;
  const lines = [
    ready !== undefined && `its inputs were there at ${clockText(ready)}`,
    scheduledAt !== undefined && `scheduled at ${clockText(scheduledAt, ready)}${after(ready, scheduledAt)}`,
    startedAt !== undefined &&
      `begun at ${clockText(startedAt, scheduledAt)}${by}${tries}${after(scheduledAt, startedAt)}`,
    endedAt !== undefined && `ended at ${clockText(endedAt, scheduledAt)}${after(startedAt ?? scheduledAt, endedAt)}`,
    waitsForRun !== undefined && `waits for run ${waitsForRun}`,
  ];
  return lines.filter((line) => line !== false);
}

/** `, 4.0 s later` */
function after(before: string | undefined, at: string): string {
  return before === undefined ? '' : `, ${durationText(Date.parse(at) - Date.parse(before))} later`;
}

/** Its approvers; while approvals are missing, those so far and what is missing. */
function approvalLines({ node, approvedBy }: Reasons): readonly string[] {
  const { missing = [], approvedBy: soFar = [] } = node;
  const names = (people: readonly string[]) => people.map((by) => oneLine(by)).join(', ');
  if (missing.length === 0) return approvedBy.length === 0 ? [] : [`the plan was approved by ${names(approvedBy)}`];
  return [
    ...(soFar.length === 0 ? [] : [`approved so far by ${names(soFar)}`]),
    ...missing.map((one) => `waits for ${missingWords(one)}`),
  ];
}
