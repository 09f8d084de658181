/** Nodes of a run as lines of text: how they stand, what they gave, how long that took, and why one has no result. */

import type { AttemptView, BegunView } from '../../edge/client/index.ts';
import { placeName, rowLines, type OutlineEntry } from '../../language/outline/index.ts';
import { clockText, durationText, oneLine } from '../../language/text/index.ts';
import { amountOf, type NodeView } from '../../wire/contract/index.ts';
import type { Output } from '../terminal/index.ts';

/** The knowledge of the server beside the run, and the time. */
export interface Moment {
  /** Those of nodes that are under way. */
  readonly attempts?: readonly AttemptView[];
  /** Milliseconds since 1970. Default: the time of the call. */
  readonly now?: number;
  /** More words about a node, behind its complaints. */
  readonly words?: (node: NodeView) => string;
  /** The file that a node has written, in words. */
  readonly written?: (node: NodeView) => string | undefined;
  /** The worker that carried a node out. */
  readonly by?: (node: NodeView) => string | undefined;
}

type Look = Pick<Output, 'columns'> & Partial<Pick<Output, 'paint'>>;

/** A line for each node, and below it why it has no result. */
export function nodeLines(nodes: readonly NodeView[], { columns, paint }: Look, moment: Moment = {}): string[] {
  const look = { width: columns, named: true, ...(paint && { paint }) };
  return nodes.flatMap((node) => {
    const words = [tellingOf(node), moment.words?.(node) ?? ''].filter((part) => part !== '').join('; ');
    const by = moment.by?.(node);
    const entry = { ...entryOfNode(node, moment), words, ...(by !== undefined && { by }) };
    return rowLines({ kind: 'node', depth: 0, prefix: '', entry }, look);
  });
}

/** A node as it is drawn. One that no worker has taken yet is `queued`; time runs for one that is under way. */
export function entryOfNode(node: NodeView, { attempts = [], now = Date.now(), written }: Moment = {}): OutlineEntry {
  const { id, key, summary, effect, cost, inputs = [], scheduledAt, endedAt } = node;
  const gave = gaveOf(node, now, written?.(node));
  const isQueued = attempts.some((one) => one.id === id && one.state === 'waits for a worker');
  const from = scheduledAt === undefined ? undefined : Date.parse(scheduledAt);
  const to = endedAt === undefined ? (node.status === 'running' ? now : undefined) : Date.parse(endedAt);
  return {
    id,
    ...(key !== undefined && { key }),
    title: summary,
    ...(effect !== undefined && { effect }),
    ...(cost !== undefined && { cost }),
    standing: node.status === 'running' && isQueued ? 'queued' : node.status,
    ...(gave !== undefined && { gave }),
    ...(from !== undefined && to !== undefined && { ms: to - from }),
    takes: inputs,
  };
}

/** `1,204 records, reused from plan-1, 3 min ago` */
export function gaveOf({ result, reusedFrom }: NodeView, now = Date.now(), written?: string): string | undefined {
  const what = result && (written ?? amountOf(result));
  if (what === undefined || reusedFrom === undefined) return what;
  const age = durationText(Math.max(0, now - Date.parse(reusedFrom.at)));
  return `${what}, reused from ${oneLine(reusedFrom.run)}, ${age} ago`;
}

/** Why a node stands as it does; `''` where nothing is to be said. */
export function tellingOf({ failure, cause, waits }: NodeView): string {
  if (failure !== undefined) return `${failure.type}: ${failure.message.replaceAll(/\s+/g, ' ')}`;
  if (cause !== undefined) return `needs ${cause}`;
  return waits ?? '';
}

/** `attempt 3 is carried out by 4711@host; 1 failed (timed out), 1 ended without a word or through no fault of its own` */
export function attemptText({ attempt, state, worker, failures, others, lastFailure }: AttemptView): string {
  const by = worker === undefined || state === 'waits for a worker' ? '' : ` by ${worker}`;
  const last = lastFailure === undefined ? '' : `; the last ended with: ${lastFailure.replaceAll(/\s+/g, ' ')}`;
  const before = attempt === 1 ? '' : `; before it ${failures} failed, and ${others} ended without its doing`;
  return `attempt ${attempt} ${state}${by}${before}${last}`;
}

interface Timed {
  readonly node: NodeView;
  readonly inputs: readonly NodeView[];
  readonly attempt?: AttemptView;
  readonly begun?: BegunView;
}

/** `node_1 position: 12 records` */
export function inputLine({ id, key, status, result }: NodeView): string {
  const name = placeName({ id, ...(key !== undefined && { key }) });
  return `${name}: ${result === undefined ? status : amountOf(result)}`;
}

/** When its inputs were there, when it was scheduled, begun and ended, and how long each of that took. */
export function timeLines({ node, inputs, begun, attempt }: Timed): string[] {
  const { scheduledAt, endedAt } = node;
  const ends = inputs.flatMap((one) => one.endedAt ?? []).toSorted();
  const ready = ends.length === inputs.length ? ends.at(-1) : undefined;
  const began = begun?.startedAt ?? (attempt?.state === 'is carried out' ? attempt.at : undefined);
  const lines: string[] = [];
  if (ready !== undefined) lines.push(`its inputs were there at ${clockText(ready)}`);
  if (scheduledAt !== undefined)
    lines.push(`scheduled at ${clockText(scheduledAt, ready)}${after(ready, scheduledAt)}`);
  if (began !== undefined && scheduledAt !== undefined) {
    const by = begun === undefined ? '' : ` by ${begun.worker}`;
    const tries = begun === undefined || begun.attempt === 1 ? '' : `, attempt ${begun.attempt}`;
    const why = begun?.before === undefined ? '' : ` (${oneLine(begun.before)})`;
    lines.push(`begun at ${clockText(began, scheduledAt)}${by}${tries}${why}${after(scheduledAt, began)}`);
  }
  if (endedAt !== undefined)
    lines.push(`ended at ${clockText(endedAt, scheduledAt)}${after(began ?? scheduledAt, endedAt)}`);
  return lines;
}

/** `, 4.0 s later` */
function after(before: string | undefined, at: string): string {
  return before === undefined ? '' : `, ${durationText(Date.parse(at) - Date.parse(before))} later`;
}
