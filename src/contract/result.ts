/** What a run ends with. */

import type { FailureType } from './failure-types.ts';
import type { ResultHandle } from './nodes.ts';
import type { Outcome } from './phases.ts';
import type { NodeView } from './views.ts';

/** What planWorkflow returns when it completes. Contents stay in the result store; handles say where. */
export interface RunResult {
  readonly outcome: Outcome;
  readonly digest: string;
  readonly revision: number;
  /** The result of the plan's root. */
  readonly result?: ResultHandle;
  /** Of a list of steps: every result by its context key. Of a partial tree: what nothing finished has used, by node id. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  /** Of a run that a person killed: who, and why. */
  readonly by?: string;
  readonly comment?: string;
  /** Of a partial run: the nodes without a result, at most 100, and why. */
  readonly missing?: readonly NodeView[];
}

/** What a run fails with: an `ApplicationFailure` of this type. */
export interface RunFailure {
  readonly type: FailureType;
  readonly message: string;
  readonly details: readonly unknown[];
}
