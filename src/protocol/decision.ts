import type { JsonValue } from '../plan/index.ts';

/** What a kind of decision does, and which keys it has in addition to those of every decision. */
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

interface ControlFacts {
  /** Whether the action applies to one node or to the whole run. */
  readonly node: 'none' | 'required';
  /** True if the sender needs a role that may approve the node, in case the rules name roles. */
  readonly gated?: true;
  /** Whether the message must have a comment with the reason. By default the comment is optional. */
  readonly comment?: 'required';
  /** The keys of this action, in addition to those of every action. */
  readonly fields?: readonly (keyof Control)[];
  readonly does: string;
}

const TABLE = {
  pause: { node: 'none', does: 'hold back whatever has not begun' },
  resume: { node: 'none', does: 'go on after a pause' },
  'cancel-node': { node: 'required', does: 'stop a node, and skip what depends on it' },
  'retry-node': { node: 'required', gated: true, does: 'run a node again that ended without a result' },
  'skip-node': { node: 'required', gated: true, does: 'go on without a node' },
  resolve: {
    node: 'required',
    gated: true,
    fields: ['outcome', 'value'],
    does: 'say what became of a node that is uncertain, or give the result of one that failed',
  },
  fallback: { node: 'none', does: 'go on to the fallback plan, where planning waits for its model' },
  'go-on': {
    node: 'none',
    does: 'go on in a new history, on the current build of a deployment',
  },
  kill: { node: 'none', comment: 'required', does: 'end the run at once, with who ended it and why' },
} as const satisfies Record<string, ControlFacts>;

/** The action of a control message, about the whole run or about one node. */
export type ControlAction = keyof typeof TABLE;

/** One row for each action. Used by the parser of messages, the check of roles, the help and the docs. */
export const CONTROLS: Readonly<Record<ControlAction, ControlFacts>> = TABLE;
export const CONTROL_ACTIONS = Object.keys(CONTROLS) as readonly ControlAction[];

export const RESOLVE_OUTCOMES = ['succeeded', 'failed'] as const;

/** A control action that a person sends to a run or to one of its nodes. */
export interface Control {
  readonly action: ControlAction;
  /** The node's id; absent for an action on the whole run. */
  readonly node?: string;
  readonly outcome?: (typeof RESOLVE_OUTCOMES)[number];
  /** For `resolve` with `succeeded`: the node's result. For a set, the list of its ids. */
  readonly value?: JsonValue;
  /** The digest of the plan that contains the node, or its first 8 or more hex digits. */
  readonly digest?: string;
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
}

export interface Killed {
  readonly by: string;
  readonly comment: string;
}
