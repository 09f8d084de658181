/** The work of a node has landed: its result, what it asks a person, or how it failed. */

import {
  isAsked,
  isHeld,
  isRecord,
  MAX_NODE_NOTES,
  nodeId,
  resourceOf,
  type NodeEnd,
  type Noted,
  type ResultHandle,
} from '../contract/index.ts';
import { cutBytes } from '../text/index.ts';
import { isCutOff } from './kill.ts';
import type { Landing } from './landing.ts';
import { fail, putBack, succeed } from './nodes/index.ts';
import { endNode, note, type Run } from './run.ts';
import { ask } from './talk/index.ts';
import type { Work } from './work.ts';

/** At a minute each, nobody having answered the worker: more than an hour. */
const MAX_HELD = 100;
const MAX_REASON_BYTES = 500;

const NO_HANDLE = 'its activity was completed with what is no handle';

export function landNode(
  run: Run,
  { node, stopping }: Extract<Work, { kind: 'node' }>,
  landing: Landing,
  at: string,
): void {
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

/** An edited plan may have no use for it any more; what it held back goes on. */
export function landUnused(
  run: Run,
  { id, effect }: Extract<Work, { kind: 'unused' }>,
  landing: Landing,
  at: string,
): void {
  const how = !landing.ok ? howItEnded(landing.end) : isHeld(landing.value) ? 'has not begun' : 'has succeeded';
  note(run, at, 'node', `${id} ${how}; this plan does not use it`);
  if (effect !== 'read') run.isFreed = true;
}

function howItEnded({ status, message }: NodeEnd): string {
  return status === 'uncertain' ? `may have happened (${message})` : `has ended as ${status} (${message})`;
}

/** An activity can be completed from outside, with anything. */
function noted(notes: unknown): readonly string[] {
  return Array.isArray(notes) ? notes.filter((text) => typeof text === 'string').slice(0, MAX_NODE_NOTES) : [];
}

function isHandle(value: unknown): value is ResultHandle & Noted {
  return isRecord(value) && typeof value['ref'] === 'string' && typeof value['kind'] === 'string';
}
