/** What a round uses: its decider, and its access to the world. */

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
  /** Every capability of the project, with what it requires and gives. */
  readonly known: readonly Capability[];
  /** Absent in a project without a model. */
  readonly model?: RoundModel;
  readonly conversation?: ConversationSources;
  /** Compiles the plan of a step like any plan. @param results references of earlier steps, by key */
  compile(document: object, results: Readonly<Record<string, string>>): Promise<CompiledDocument>;
  readonly cancellation: AbortSignal;
  /** No further attempt follows, so a retryable failure is final. */
  readonly isLastAttempt: boolean;
  /** Whether an error is the worker's: no stage is to blame, and it is thrown unchanged. */
  passes(error: unknown): boolean;
}

export type RoundModel = Pick<Planner, 'prompts' | 'format'> & {
  /** The model's name in requests. */
  readonly name: string;
  readonly paid: PaidModel;
};

export interface PaidModel {
  /**
   * The usage of all calls so far. A reply that an earlier attempt bought counts too, since that attempt did not report
   * it.
   */
  readonly usage: Usage;
  /** @throws the error by which the run refused a call, even if a stage caught it */
  settle(): void;
  ask(
    request: ModelRequest,
    purpose: string,
    onText?: (delta: string) => void,
    signal?: AbortSignal,
  ): Promise<ModelReply>;
}
