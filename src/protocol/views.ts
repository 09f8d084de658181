/** The answers of a run to its queries about its plan, its nodes and what it waits for. */

import type { Effect, JsonValue } from '../plan/index.ts';
import type { ShownValue } from '../plan/outline/index.ts';
import type { ControlAction } from './control.ts';
import type { MissingApproval } from './missing-words.ts';
import type { NodeFailure, NodeStatus, ResultHandle } from './nodes.ts';

/** The open plan of a run as text, with its digest, its revision and its place in the result store. */
export interface PlanView {
  readonly revision: number;
  readonly digest: string;
  /** The plan's reference in the result store. */
  readonly ref: string;
  readonly text: string;
  /** For a run that goes on from a closed one: which work is reused, and which is not and why. */
  readonly reuse?: string;
}

/** A node of a run: its state, its executor, and its result or failure. */
export interface NodeView {
  readonly id: string;
  readonly status: NodeStatus;
  readonly summary: string;
  /** The context key of a step, by which people name it. */
  readonly key?: string;
  readonly executor: string;
  /** The effect on the world when it is carried out. */
  readonly effect?: Effect;
  /** The cost of one execution as its capability says. */
  readonly cost?: number;
  /** Ids of the nodes whose results it takes, in order, at most 20 of them, and how many there are. */
  readonly inputs?: readonly string[];
  readonly inputCount?: number;
  readonly result?: ResultHandle;
  readonly failure?: NodeFailure;
  /**
   * For a node that could start otherwise: the reason why it waits, such as `waits for magnet-12, which node_2 writes`,
   * or a worker with the approved version.
   */
  readonly waits?: string;
  /** While it waits for people: the approvals that are missing, at most 5 kinds, and who has approved it so far, at most 8. */
  readonly missing?: readonly MissingApproval[];
  readonly approvedBy?: readonly string[];
  /** The part in which it is carried out with others; it waits there until its inputs are there. */
  readonly part?: string;
  /** For a skipped node: the node whose failure caused it. */
  readonly cause?: string;
  /** For a node that a closed run had finished: which run, and when it ended there (ISO 8601). */
  readonly reusedFrom?: { readonly run: string; readonly at: string };
  /** Notes on its result, such as how many lines of its file were left out; at most 3. The trace has all. */
  readonly notes?: readonly string[];
  /** When its activity was scheduled last, and when it ended; ISO 8601. */
  readonly scheduledAt?: string;
  readonly endedAt?: string;
}

/** One page of the nodes of a run, in the order of the plan. */
export interface NodesPage {
  readonly nodes: readonly NodeView[];
  /** Give it as `after` to read on; absent on the last page. */
  readonly next?: string;
}

export const OPEN_ITEM_KINDS = ['approval', 'question', 'uncertain', 'failed', 'fault', 'budget'] as const;

/** An effect above read that an approval would let happen, with the values that its node is given. */
export interface AskedEffect {
  readonly node: string;
  readonly key?: string;
  /** What carries it out, which a plan cannot choose, and the plan's words, such as `transfer: Look up the balance`. */
  readonly title: string;
  readonly effect: Effect;
  readonly cost?: number;
  readonly resource?: string;
  readonly values?: readonly ShownValue[];
}

/** One thing that a run waits for a person to say, with the exact message that says it. */
export interface OpenItem {
  /**
   * The id that an answer names; `approval` for the plan; a node's id for one that is to be settled; `fault` for a
   * store that is away.
   */
  readonly id: string;
  readonly kind: (typeof OPEN_ITEM_KINDS)[number];
  /** The workflow to address. */
  readonly workflowId: string;
  readonly digest: string;
  readonly revision: number;
  readonly text: string;
  /** For an approval: tells the versions of what its plan calls; they are no part of the digest. */
  readonly versions?: string;
  /**
   * For an approval: the effect that it would let happen again, and the notes from before the plan was shown; these are
   * the first lines of `text`, too.
   */
  readonly warning?: string;
  /** For an approval: the effects that are asked for, added up, such as `3 reads, 1 at-most-once: pay (cost 10)`. */
  readonly asks?: string;
  /** For an approval: the first 100 of these effects, with their values. For an uncertain node: its effect. */
  readonly effects?: readonly AskedEffect[];
  /** For an approval: how many effects there are. */
  readonly effectCount?: number;
  /**
   * What `effects` lacks, and the command that shows all, which stands in place of the one that approves; absent if it
   * has all effects, each value complete.
   */
  readonly leftOut?: string;
  /**
   * For an approval: what its tasks read from outside the plan, such as `context account: "shop" (6 bytes, K7gN...)`; of
   * each at most 200 bytes, its size and its reference in the result store.
   */
  readonly context?: readonly string[];
  /** For an approval: what it still takes, each kind once, at most 5. */
  readonly missing?: readonly MissingApproval[];
  /** For an approval: who has approved so far, at most 8; absent where nobody has. */
  readonly approvedBy?: readonly string[];
  /** For a fault and the end of a budget: the control actions that end the wait. */
  readonly ways?: readonly ControlAction[];
  /** ISO 8601. */
  readonly since: string;
  readonly deadline: string;
  /** The roles that it waits for; anybody's when absent. */
  readonly roles?: readonly string[];
  /** The nodes it is about, at most 20 of them, and how many there are. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  /** Only signed messages are taken. */
  readonly signed?: true;
  readonly schema?: Readonly<Record<string, JsonValue>>;
  readonly default?: JsonValue;
  readonly suggestions?: readonly JsonValue[];
  /** The message to send, as a signal or an update, with the parts that a person must fill in written in capitals. */
  readonly send: {
    readonly name: 'approve' | 'decide' | 'answer' | 'control';
    readonly input: Readonly<Record<string, JsonValue>>;
  };
}
