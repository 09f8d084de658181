/** A decision on a plan: the message of a person to a run, and which keys each kind has. */

/** The effect of a kind of decision, and its keys besides those of every decision. */
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

/**
 * The kind of a decision: `approve` the plan, `approve-part` of it, `reject` it, `revise` it through the planner,
 * `edit` it, or `withdraw` an approval.
 */
export type DecisionKind = keyof typeof DECISIONS;
export const DECISION_KINDS = Object.keys(DECISIONS) as readonly DecisionKind[];

/** A person's decision on the open plan of a run. */
export interface Decision {
  readonly kind: DecisionKind;
  /** The digest that is decided, or its first 8 or more hex digits. */
  readonly digest: string;
  readonly revision?: number;
  /** How often the run had asked again when it was shown. Default 0. */
  readonly asked?: number;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
  /** For `approve-part`: ids of nodes; the nodes that they depend on are approved with them. */
  readonly nodes?: readonly string[];
  /** For `revise`: the wishes for another plan. */
  readonly feedback?: string;
  /** For `edit`: the plan that takes the place of the open one, as a run's input has it. */
  readonly plan?: unknown;
  /** For `edit`, in place of `plan`: the reference of a document in the result store. */
  readonly ref?: string;
}

/** An accepted decision, with the time of acceptance (ISO 8601), but without the plan of an edit. */
export interface RecordedDecision extends Omit<Decision, 'plan'> {
  readonly at: string;
  readonly revision: number;
  /** Its sender was proved by a signature. */
  readonly verified: boolean;
  /** With a person's key. */
  readonly personKey?: true;
}
