/** The approval of a run: plain JSON, types alone. */

import type {
  ApprovalRule,
  Decision,
  Killed,
  Outcome,
  Phase,
  RecordedDecision,
  RunSlice,
} from '../../protocol/index.ts';

/** Nodes by their indexes. */
export type NodeSet = Readonly<Record<number, true>>;

export interface Wait {
  /** ISO 8601, both. */
  readonly since: string;
  readonly deadline: string;
}

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
  /** Reckoned from the options, the project and the plan. */
  readonly gate: Gate | undefined;
  readonly consents: readonly Consent[];
  /** The nodes of the open revision that still need somebody's approval. */
  readonly uncovered: readonly number[];
  /** The latest, at most 100; the trace has all of them. */
  readonly decisions: readonly RecordedDecision[];
  readonly rejections: number;
  /** The open revision was rejected and waits for an edit. */
  readonly rejected: boolean;
  /**
   * Since when somebody's approval is waited for, and until when the open revision may be decided: a decision that the
   * run hears later comes too late. Or the milliseconds that were left when the last node was covered.
   */
  readonly wait: Wait | { readonly leftMs: number };
  /** The fewest nodes of this revision that ever were uncovered: only who brings it down begins the wait anew. */
  readonly fewest: number;
  readonly closed?: Closed;
  readonly bounds: {
    /** The rejection that ends the run; those before leave the gate shut until an edit. */
    readonly maxRejections: number;
    /** Plans that a run may have one after another. */
    readonly maxRevisions: number;
  };
}

/** How a run closed. */
export interface Closed {
  readonly outcome: Outcome;
  /** Why, where it did not end as it should. */
  readonly reason?: string;
  /** A person has ended it at once. */
  readonly killed?: Killed;
}

/** The subject of a decision: the plan as the rules see it. */
export interface Gate {
  readonly plan: Pick<RunSlice, 'inputs' | 'after' | 'executors' | 'executorOf'>;
  /** The rules, all of which hold; a node that none matches needs nobody. */
  readonly rules: readonly ApprovalRule[];
  /** How long the open revision waits for a decision. */
  readonly deadlineMs: number;
  /** The persons who started the run and edited its plan; absent where its start proves nobody. */
  readonly authors?: readonly string[];
}

/** The approval of one person in one role. */
export interface Consent {
  readonly by: string;
  /** `personOf(by)`. */
  readonly person: string;
  readonly role?: string;
  /** It was signed with a person's key. */
  readonly personKey?: true;
  /** ISO 8601; of the latest decision. */
  readonly at: string;
  readonly nodes: 'all' | NodeSet;
  /** The signed message that says so. */
  readonly token?: string;
  /** They approved a whole plan of this run, so a read that an edit brings asks them no more. */
  readonly reads?: true;
}
