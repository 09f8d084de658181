/** The results that a run of a conversation leaves there when it ends, for the plans that are made there after it. */

import type { Outcome } from './phases.ts';

/** The list of results, as the run sends it. The plan says which step each is of. */
export interface KeepRequest {
  readonly conversation: string;
  readonly outcome: Outcome;
  readonly goal: string;
  /** Reference of the revision that the steps are of; absent where there are none. */
  readonly revision?: string;
  /** Steps that have a context key and a result, in the order in which they ended. */
  readonly steps: readonly { readonly nodeId: string; readonly ref: string }[];
  /** Steps with a result that are not among them, the earlier ones. */
  readonly left: number;
  /** Reference of the result of the whole, where no step has a key. */
  readonly result?: string;
}

/** The end of a run in its conversation: the outcome, and the results that later plans may name. */
export interface RunEnd {
  readonly workflowId: string;
  readonly outcome: Outcome;
  readonly goal: string;
  readonly results: readonly KeptResult[];
  /** Results that are not among them, the earlier ones. */
  readonly left: number;
}

/** A result that later plans may name (Osprey: context reuse). */
export interface KeptResult {
  /** The context key of its step; absent for the result of a whole that has no keys. */
  readonly key?: string;
  /** The expected output of its step. */
  readonly type?: string;
  /** The purpose that it was made for. */
  readonly objective: string;
  /** Into the result store. */
  readonly ref: string;
}
