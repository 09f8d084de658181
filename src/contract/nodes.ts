/** What becomes of a node: its states, its result, its failure. */

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
export type NodeStatus = (typeof NODE_STATUSES)[number];

/** What carries a node out: a capability, a capability that asks a person, a set operator, or an agent. */
export const NODE_KINDS = ['task', 'wait', 'combine', 'agent'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export type ResultKind = 'set' | 'value' | 'text';

/** A result as history carries it: by reference, never by content. */
export interface ResultHandle {
  /** 43 characters of base64url. */
  readonly ref: string;
  readonly kind: ResultKind;
  /** Records of a set; 1 for a value; characters of a text. */
  readonly count: number;
  readonly bytes: number;
}

/** Why a node has no result. */
export interface NodeFailure {
  readonly type: string;
  readonly message: string;
}

/** How a node ended that gave no result. */
export interface NodeEnd extends NodeFailure {
  readonly status: Extract<NodeStatus, 'failed' | 'uncertain' | 'cancelled'>;
}
