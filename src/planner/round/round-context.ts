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
  readonly known: readonly Capability[];
  readonly model?: RoundModel;
  readonly conversation?: ConversationSources;
  /** Compiles the plan of a step. @param results the references of earlier steps' results, by key */
  compile(document: object, results: Readonly<Record<string, string>>): Promise<CompiledDocument>;
  readonly cancellation: AbortSignal;
  /** True if no further attempt follows, so that even a failure that a retry could fix is final. */
  readonly isLastAttempt: boolean;
  /** Whether an error is the worker's own. No stage caused it, so it is thrown unchanged. */
  passes(error: unknown): boolean;
}

export type RoundModel = Pick<Planner, 'prompts' | 'format'> & {
  readonly name: string;
  readonly paid: PaidModel;
};

export interface PaidModel {
  /** The usage of all calls, with replies that an earlier attempt paid for but did not report. */
  readonly usage: Usage;
  /** @throws the error with which the run rejected a call, even if a stage caught it */
  settle(): void;
  ask(
    request: ModelRequest,
    purpose: string,
    onText?: (delta: string) => void,
    signal?: AbortSignal,
  ): Promise<ModelReply>;
}
