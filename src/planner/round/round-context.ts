/** The context of a round: its decider, and its ways into the world. */

import type { Capability } from '../../capabilities/index.ts';
import type { CompiledDocument, ProjectPolicy, Usage } from '../../protocol/index.ts';
import type { ResultStore } from '../../store/index.ts';
import type { Planner } from '../planner.ts';
import type { ModelReply, ModelRequest } from '../../models/index.ts';
import type { ConversationSources } from '../notes.ts';
import type { Decider } from './tools.ts';

export interface RoundContext {
  readonly decider: Decider;
  readonly store: ResultStore;
  readonly project: ProjectPolicy;
  /** Every capability of the project: what each requires and gives. */
  readonly known: readonly Capability[];
  /** Absent in a project without a model. */
  readonly model?: RoundModel;
  /** Read before the first round. */
  readonly conversation?: ConversationSources;
  /** Compiles the plan of a step as any plan is. @param results references of the steps before, by their keys */
  compile(document: object, results: Readonly<Record<string, string>>): Promise<CompiledDocument>;
  /** Ends the round. */
  readonly cancellation: AbortSignal;
  /** No further attempt follows, so that a failure that a retry may cure is final. */
  readonly isLastAttempt: boolean;
  /** Whether an error is of the worker: no stage is to blame, and it comes out as it is. */
  passes(error: unknown): boolean;
}

export type RoundModel = Pick<Planner, 'prompts' | 'format'> & {
  /** The model, as its server is asked for it. */
  readonly name: string;
  readonly paid: PaidModel;
};

/** A model that is paid for. */
export interface PaidModel {
  /**
   * The usage of all calls so far. A reply that was bought by an attempt before counts, since that attempt told nobody.
   */
  readonly usage: Usage;
  /** @throws the error with which the run has let no call be bought, whatever was made of that error */
  settle(): void;
  /** @throws ModelError */
  ask(
    request: ModelRequest,
    purpose: string,
    onText?: (delta: string) => void,
    signal?: AbortSignal,
  ): Promise<ModelReply>;
}
