/** A person's decision on a plan, as a message to the run: its kinds, and the keys of each kind. */

/** What a kind of decision does, and its keys besides those of every decision. */
interface DecisionFacts {
  readonly does: string;
  readonly fields: readonly (keyof Decision)[];
}

export const DECISIONS = {
  approve: { does: 'let all of the open plan run', fields: [] },
  'approve-part': { does: 'let some nodes run, and what they depend on', fields: ['nodes'] },
  reject: { does: 'refuse the open plan', fields: [] },
  revise: { does: 'ask the planner for another plan', fields: ['feedback'] },
  edit: { does: 'put another plan in the place of the open one', fields: ['plan', 'ref'] },
  withdraw: { does: 'take back what one approved', fields: [] },
} as const satisfies Record<string, DecisionFacts>;

/** The kind of a decision. `revise` asks the planner for another plan; `withdraw` takes back an approval. */
export type DecisionKind = keyof typeof DECISIONS;
export const DECISION_KINDS = Object.keys(DECISIONS) as readonly DecisionKind[];

/** A person's decision on the open plan of a run. */
export interface Decision {
  readonly kind: DecisionKind;
  /** The digest of the plan that the person decides about, or its first 8 or more hex digits. */
  readonly digest: string;
  readonly revision?: number;
  /** The hash of the costs and states that people saw with the plan, or its first 8 or more hex digits. */
  readonly shown?: string;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
  /** For `approve-part`: ids of nodes. The nodes on which they depend are approved too. */
  readonly nodes?: readonly string[];
  /** For `revise`: what the person wants changed in the next plan. */
  readonly feedback?: string;
  /** For `edit`: the new plan, in any form that the input of a run may have. */
  readonly plan?: unknown;
  /** For `edit`, instead of `plan`: the reference of a document in the result store. */
  readonly ref?: string;
}

/** An accepted decision with the time of its acceptance (ISO 8601), without the plan of an edit. */
export interface RecordedDecision extends Omit<Decision, 'plan'> {
  readonly at: string;
  readonly revision: number;
  readonly verified: boolean;
  readonly personKey?: true;
  /** Set for an approval by a grant, signed before the run: the grant's id, and the number of its use. */
  readonly grant?: { readonly id: string; readonly use: number };
}
