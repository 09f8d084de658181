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
  /** The hash of the costs and states that people see; absent if the plan has no costs or states. */
  readonly shown?: string;
  /** True if the run showed other costs or states before. An approval must then name the current ones. */
  readonly namesShown?: true;
  readonly subject: ApprovalSubject | undefined;
  readonly consents: readonly Consent[];
  readonly ungranted?: readonly string[];
  readonly uncovered: readonly number[];
  /** The latest 100 decisions. The trace has all of them. */
  readonly decisions: readonly RecordedDecision[];
  readonly rejections: number;
  readonly rejected: boolean;
  /** When the wait for a decision began and ends, or, while every node is approved, the ms that were left. */
  readonly wait: Wait | { readonly leftMs: number };
  /** The smallest number of unapproved nodes so far. The wait restarts only if there are fewer. */
  readonly minUncovered: number;
  readonly closed?: Closed;
  readonly bounds: {
    /** The number of rejections that ends the run. After each earlier one the run waits for an edit. */
    readonly maxRejections: number;
    readonly maxRevisions: number;
  };
}

export interface Closed {
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly killed?: Killed;
}

export interface ApprovalSubject {
  readonly plan: Pick<PlanShape, 'inputs' | 'after' | 'executors' | 'executorOf' | 'previews' | 'untrusted'>;
  /** All rules must be satisfied. A node that matches no rule needs no approval. */
  readonly rules: readonly ApprovalRule[];
  readonly deadlineMs: number;
  /** The people who started the run or edited its plan; absent if no signature proves who started it. */
  readonly authors?: readonly string[];
}

export interface Consent {
  readonly by: string;
  readonly person: string;
  readonly role?: string;
  readonly personKey?: true;
  readonly at: string;
  readonly nodes: 'all' | NodeSet;
  /** The signed message, which names the costs and states that its sender saw. */
  readonly token?: string;
  readonly figures?: string;
  /** True if a grant approves. Grants cover only the first plan of a run. */
  readonly isGrant?: true;
  /** True if the person approved a whole plan of this run. New reads of an edited plan then need no approval. */
  readonly reads?: true;
}
