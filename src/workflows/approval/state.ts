/** The approval of a run: types only, of plain JSON. */

import type {
  ApprovalRule,
  Decision,
  Killed,
  Outcome,
  Phase,
  RecordedDecision,
  PlanShape,
} from '../../protocol/index.ts';

export type NodeSet = Readonly<Record<number, true>>;

export interface Wait {
  /** Both times are ISO 8601. */
  readonly since: string;
  readonly deadline: string;
}

/** A decision, with the facts about its signature. */
export type Signed = Decision & {
  readonly verified: boolean;
  readonly grant?: NonNullable<RecordedDecision['grant']>;
  readonly personKey?: true;
  readonly token?: string;
};

export interface Approval {
  readonly phase: Phase;
  /** The number of the open plan in this run, from 1; 0 if there is no plan. */
  readonly revision: number;
  readonly digest: string;
  /** The hash of the costs and states that people see; absent if the plan has none. */
  readonly shown?: string;
  /** Set if the run showed other costs or states before, so an approval must name the current ones. */
  readonly namesShown?: true;
  readonly subject: ApprovalSubject | undefined;
  readonly consents: readonly Consent[];
  readonly ungranted?: readonly string[];
  readonly uncovered: readonly number[];
  /** The latest 100 decisions. The trace has all. */
  readonly decisions: readonly RecordedDecision[];
  readonly rejections: number;
  readonly rejected: boolean;
  /** When the wait for a decision began and ends. While every node is approved: the milliseconds that were left. */
  readonly wait: Wait | { readonly leftMs: number };
  /** The smallest number of unapproved nodes so far. Only a new minimum restarts the wait. */
  readonly minUncovered: number;
  readonly closed?: Closed;
  readonly bounds: {
    /** The rejection with this number ends the run. After an earlier rejection the run waits for an edit. */
    readonly maxRejections: number;
    readonly maxRevisions: number;
  };
}

export interface Closed {
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly killed?: Killed;
}

/** The parts of a plan that approval rules look at. */
export interface ApprovalSubject {
  readonly plan: Pick<PlanShape, 'inputs' | 'after' | 'executors' | 'executorOf' | 'previews' | 'untrusted'>;
  /** All rules must be satisfied. A node that no rule matches needs no approval. */
  readonly rules: readonly ApprovalRule[];
  readonly deadlineMs: number;
  /** The people who started the run and edited its plan; absent if no signature proves who started it. */
  readonly authors?: readonly string[];
}

/** The approval of one person in one role. */
export interface Consent {
  readonly by: string;
  readonly person: string;
  readonly role?: string;
  readonly personKey?: true;
  /** When the person's latest decision arrived (ISO 8601). */
  readonly at: string;
  readonly nodes: 'all' | NodeSet;
  /** The signed message, which names the costs and states that its sender saw. */
  readonly token?: string;
  readonly figures?: string;
  /** The approval is by a grant, which covers only the first plan of a run. */
  readonly isGrant?: true;
  /** The person approved a whole plan of this run, so new reads of an edited plan need no further approval. */
  readonly reads?: true;
}
