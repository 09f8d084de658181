/** The state of the approval of a run's plan: plain data. */

import type { Decision, Outcome, Phase, RecordedDecision } from '../../protocol/index.ts';
import type { Consent, Gate } from './coverage.ts';

/** A decision with whether its sender was proved: by a signature, or not at all. */
export type Signed = Decision & {
  readonly verified: boolean;
  /** With a person's key. */
  readonly personKey?: true;
  /** The signed message itself. */
  readonly token?: string;
};

export interface Approval {
  readonly phase: Phase;
  /** Counts the plans of this run from 1; 0 while there is none. */
  readonly revision: number;
  /** '' while drafting. */
  readonly digest: string;
  readonly gate: Gate | undefined;
  readonly consents: readonly Consent[];
  /** The nodes of the open revision that still need somebody's approval. */
  readonly uncovered: readonly number[];
  /** The latest, at most 100; the trace has all of them. */
  readonly decisions: readonly RecordedDecision[];
  readonly rejections: number;
  /** The open revision was rejected and waits for an edit. */
  readonly rejected: boolean;
  /** The time since which somebody's approval is waited for (ISO 8601). */
  readonly openSince?: string;
  /**
   * The time until which the open revision may be decided (ISO 8601); a decision that the run hears later comes too
   * late.
   */
  readonly deadline?: string;
  /** The fewest nodes of this revision that ever were uncovered: only who brings it down begins the wait anew. */
  readonly fewest?: number;
  /** The milliseconds that were left of the wait when the last node was covered. */
  readonly leftMs?: number;
  readonly outcome?: Outcome;
  readonly bounds: ApprovalBounds;
}

export interface ApprovalBounds {
  /** The rejection that ends the run; those before leave the gate shut until an edit. */
  readonly maxRejections: number;
  /** Plans that a run may have one after another. */
  readonly maxRevisions: number;
}

export const DRAFTING: Approval = {
  phase: 'drafting',
  revision: 0,
  digest: '',
  gate: undefined,
  consents: [],
  uncovered: [],
  decisions: [],
  rejections: 0,
  rejected: false,
  bounds: { maxRejections: 1, maxRevisions: 20 },
};
