/** The life of a node: its states, its result, its failure. */

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

/**
 * The state of a node: `pending`, `running`, `waiting` for a person, `succeeded`, `reused` with the result of an
 * earlier plan or run, `failed`, `skipped`, `cancelled`, or `uncertain`: an at-most-once effect may have happened.
 */
export type NodeStatus = (typeof NODE_STATUSES)[number];

const UNENDED: readonly NodeStatus[] = ['pending', 'running', 'waiting'];
/** The states that a node ends in; a retry or an edit may take it out of one. */
export const NODE_ENDS: readonly NodeStatus[] = NODE_STATUSES.filter((status) => !UNENDED.includes(status));

/** The executor of a node: a capability, a capability that asks a person, a set operator, or an agent. */
export const NODE_KINDS = ['task', 'wait', 'combine', 'agent'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const RESULT_KINDS = ['set', 'value', 'text'] as const;

/** The kind of a result: a `set` of records, a `value` of JSON, or a `text`. */
export type ResultKind = (typeof RESULT_KINDS)[number];

export const HANDLE = {
  /** 43 characters of base64url. */
  ref: 'ref',
  kind: oneOf(RESULT_KINDS),
  /** Records of a set; 1 for a value; characters of a text. */
  count: 'count',
  bytes: 'count',
} as const;

/** A result as history carries it: by reference, never by content. */
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
/** Why a node has no result. */
export interface NodeFailure extends Of<typeof NODE_FAILURE> {}

/** How a node ended that gave no result. */
export interface NodeEnd extends NodeFailure {
  readonly status: Extract<NodeStatus, 'failed' | 'uncertain' | 'cancelled'>;
}

/** An effect by its node in an earlier plan of its run. */
export interface UncertainEffect {
  readonly node: string;
  readonly revision: number;
  readonly digest: string;
  readonly summary: string;
}

/** @example uncertainText(effect); // 'node_1 of revision 1 (Pay the rent) may have happened, and nobody has settled it' */
export function uncertainText({ node, revision, summary }: UncertainEffect): string {
  return `${node} of revision ${revision} (${oneLine(summary)}) may have happened, and nobody has settled it`;
}
