/** The approval of a run: plain JSON, types only. */

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

/** A decision, and whether a signature proves its sender. */
export type Signed = Decision & {
  readonly verified: boolean;
  /** Signed with a person's key. */
  readonly personKey?: true;
  /** The signed message itself. */
  readonly token?: string;
};

export interface Approval {
  readonly phase: Phase;
  /** The number of the open plan in this run, from 1; 0 without a plan. */
  readonly revision: number;
  /** '' while drafting. */
  readonly digest: string;
  /** How often the run has asked again, since a plan with costs or previews, a cost or a state had changed. */
  readonly asked?: number;
  /** Computed from the options, the project and the plan. */
  readonly subject: ApprovalSubject | undefined;
  readonly consents: readonly Consent[];
  /** The nodes of the open revision that still need an approval. */
  readonly uncovered: readonly number[];
  /** The latest 100; the trace has all. */
  readonly decisions: readonly RecordedDecision[];
  readonly rejections: number;
  /** The open revision was rejected and waits for an edit. */
  readonly rejected: boolean;
  /**
   * Since when and until when the open revision can be decided; a later decision is too late. If every node is covered,
   * the milliseconds that were left then.
   */
  readonly wait: Wait | { readonly leftMs: number };
  /** The smallest number of uncovered nodes so far: only a new minimum restarts the wait. */
  readonly minUncovered: number;
  readonly closed?: Closed;
  readonly bounds: {
    /** The rejection that ends the run; after earlier ones the run waits for an edit. */
    readonly maxRejections: number;
    /** Plans that a run may have one after another. */
    readonly maxRevisions: number;
  };
}

/** How a run closed. */
export interface Closed {
  readonly outcome: Outcome;
  /** Why, if the run did not end normally. */
  readonly reason?: string;
  /** A person killed the run. */
  readonly killed?: Killed;
}

/** What a decision is about: the plan as the rules see it. */
export interface ApprovalSubject {
  readonly plan: Pick<RunSlice, 'inputs' | 'after' | 'executors' | 'executorOf' | 'previews'>;
  /** All rules must hold. A node that no rule matches needs no approval. */
  readonly rules: readonly ApprovalRule[];
  /** How long the open revision waits for a decision. */
  readonly deadlineMs: number;
  /** The people who started the run and edited its plan; absent if the start proves nobody. */
  readonly authors?: readonly string[];
}

/** The approval of one person in one role. */
export interface Consent {
  readonly by: string;
  /** `personOf(by)`. */
  readonly person: string;
  readonly role?: string;
  /** Signed with a person's key. */
  readonly personKey?: true;
  /** When the latest decision came (ISO 8601). */
  readonly at: string;
  readonly nodes: 'all' | NodeSet;
  /** The signed message. */
  readonly token?: string;
  /** The person approved a whole plan of this run, so new reads of an edit need no further approval. */
  readonly reads?: true;
}
