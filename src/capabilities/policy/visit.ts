/** The trace of one stage in one round. */

import type { StageVisit, ToldOrigin } from '../../protocol/index.ts';
import type { AnyDecision } from './stage.ts';

/** The stored visit of a round, with the decisions in the policy's own type. */
export interface Visit<Decision extends AnyDecision = AnyDecision> extends Omit<StageVisit, 'before' | 'after'> {
  readonly before?: Decision;
  readonly after?: Decision;
}

/** The end of a round of a policy: its state, its decision and its visits. */
export interface Round<State, Decision extends AnyDecision> {
  readonly state: State;
  readonly decision: Decision;
  /** `decide` for a `decide` stage that asked no model; correctors of `model` accept it too. */
  readonly origin: ToldOrigin;
  /** The stage that made the decision, before correctors. */
  readonly decider: string;
  readonly visits: readonly Visit<Decision>[];
}
