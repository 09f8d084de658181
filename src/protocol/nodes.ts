/** The states, results and failures of nodes. */

import { counted, oneLine } from '../plan/text/index.ts';
import { oneOf, type Of } from './shape.ts';

export const NODE_STATUSES = [
  'pending',
  'running',
  'waiting',
  'succeeded',
  'reused',
  'failed',
  'skipped',
  'cancelled',
  'uncertain',
] as const;

/** The state of a node. `reused`: an earlier result. `uncertain`: its at-most-once effect may have happened. */
export type NodeStatus = (typeof NODE_STATUSES)[number];

const UNENDED: readonly NodeStatus[] = ['pending', 'running', 'waiting'];
/** The states in which a node has ended. Only a retry or an edit can change them. */
export const NODE_ENDS: readonly NodeStatus[] = NODE_STATUSES.filter((status) => !UNENDED.includes(status));

/** The executor of a node: `task` and `wait` are capabilities (`wait` asks a person), `combine` is a set operator. */
export const NODE_KINDS = ['task', 'wait', 'combine', 'agent'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const RESULT_KINDS = ['set', 'value', 'text'] as const;

/** The kind of a result: a `set` of records, a `value` of JSON, or a `text`. */
export type ResultKind = (typeof RESULT_KINDS)[number];

export const HANDLE = {
  ref: 'ref',
  kind: oneOf(RESULT_KINDS),
  /** For a set its number of records, for a text its number of characters, for a value 1. */
  count: 'count',
  bytes: 'count',
  /** True if untrusted values reached the node, or its executor is untrusted. */
  untrusted: 'true?',
} as const;

/** The source of an untrusted result, if nothing is known but its mark. */
export const UNTRUSTED_RESULT = 'an untrusted result';

/** A result in the history of a run: a reference, never the content. */
export interface ResultHandle extends Of<typeof HANDLE> {}

/**
 * The amount of data in a result, as text.
 * @example amountOf({ ref, kind: 'set', count: 1204, bytes }); // '1,204 records'
 */
export function amountOf({ kind, count }: Pick<ResultHandle, 'kind' | 'count'>): string {
  return AMOUNTS[kind](count);
}

const AMOUNTS: Readonly<Record<ResultKind, (count: number) => string>> = {
  set: (count) => counted(count, 'record'),
  text: (count) => counted(count, 'character'),
  value: () => 'a value',
};

export const NODE_FAILURE = { type: 'text', message: 'text' } as const;
export interface NodeFailure extends Of<typeof NODE_FAILURE> {}

export interface NodeEnd extends NodeFailure {
  readonly status: Extract<NodeStatus, 'failed' | 'uncertain' | 'cancelled'>;
}

/** An effect that may have happened, named by its node in an earlier plan of the run. */
export interface UncertainEffect {
  readonly node: string;
  readonly revision: number;
  readonly digest: string;
  readonly summary: string;
}

/**
 * Describes an uncertain effect.
 * @example uncertainText(effect); // 'node_1 of revision 1 (Pay the rent) may have happened, and nobody has settled it'
 */
export function uncertainText({ node, revision, summary }: UncertainEffect): string {
  return `${node} of revision ${revision} (${oneLine(summary)}) may have happened, and nobody has settled it`;
}
