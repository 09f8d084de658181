/** What the stages of a policy can use while a step is decided. */

import type { JsonValue } from '../plan/index.ts';
import type { AnyDecision, Policy, Step } from './policy/index.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../models/index.ts';

/** The decision of a model with the project's capabilities as tools. */
export type ToolDecision = {
  [Is in Step['is']]: {
    readonly action: Is;
    /** Further calls of the same reply, which are not carried out. */ readonly ignored?: number;
  } & Extract<Step, { is: Is }>;
}[Step['is']];

/** A policy whose stages reach these surroundings, whatever its state and its decisions are. */
export type LoopPolicy = Policy<object, AnyDecision, RoundSurroundings>;

/** The task from the plan or the person. */
export interface DecidingTask {
  readonly goal: string;
  /** The agent's part of the goal. */
  readonly task?: string;
  readonly action?: string;
  readonly description?: string;
  readonly hint?: string;
  readonly context?: string;
  readonly arguments?: string;
  /** The type of its result, and the criteria for success. */
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  readonly inputs: readonly { readonly name: string; readonly text: string }[];
}

/** What a stage of a policy can use in one round: the task, the results so far, and the model. */
export interface RoundSurroundings {
  /** Counts from 1. */
  readonly round: number;
  readonly task: DecidingTask;
  /** For the model: why the last decision became no step. */
  readonly trouble?: string;
  /** The last rounds as decision, observation, decision, ...; older ones in one message before them. */
  readonly messages: readonly ModelMessage[];
  readonly capabilities: readonly string[];
  /** The types that a capability needs; empty for an unknown capability. */
  requiresOf(capability: string): readonly string[];
  providersOf(type: string): readonly string[];
  /** Keys of the results of a type, oldest first; those from outside the run come first. */
  keysOf(type: string): readonly string[];
  /**
   * Asks the model of this loop. The reply is journaled under the round and `purpose`: one purpose buys once.
   * @throws ModelError; a retryable one ends the attempt, others may be caught
   */
  ask(purpose: string, request: ModelRequest): Promise<ModelReply>;
  /**
   * Asks the model which capabilities the task needs, as before a plan (Osprey: extraction and selection): one question
   * for the task, one per capability, plus those that the selected ones require.
   */
  select(): Promise<readonly string[]>;
  /**
   * Asks the model for one tool call, with capabilities, agents, `submit_plan` and `finish` as tools. A reply without a
   * step is the decision `none`, which the next round sees. Several reads are the decision `reads`, if the policy has
   * an action of that name and its correctors accept it; else the first counts.
   * @param among names of the offered capabilities; default all
   */
  decide(among?: readonly string[]): Promise<ToolDecision>;
  /** The result of an earlier step by its key, if any. */
  read(key: string): Promise<JsonValue | undefined>;
}
