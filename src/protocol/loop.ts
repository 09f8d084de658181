/**
 * The requests and replies between a run that decides one step after the other and its activities; and an agent's
 * input.
 */

import type { SentSlice } from './activities.ts';
import type { NodeStatus, ResultHandle } from './nodes.ts';
import type { JsonValue } from '../plan/index.ts';
import type { RunOptions, SignedStart } from './options.ts';
import type { PlanningTrouble } from './planning.ts';
import type { ProjectPolicy } from './project.ts';
import type { Spending, Usage } from './spending.ts';

/** The task of a loop: a goal, with all that the project can do, or an agent's task. */
export type LoopTask = { readonly goal: string } | AgentTask;

export interface AgentTask {
  /** `agent name@version effect`, as it was approved; a worker whose agent differs refuses. */
  readonly agent: string;
  /** Reference of the revision whose node it is, and the results that it is given. */
  readonly revision: string;
  readonly nodeId: string;
  readonly inputs: readonly string[];
}

/** The outcome of a step. */
export interface Observation {
  readonly round: number;
  /** `rejected`: a person refused it. */
  readonly status: NodeStatus | 'rejected';
  readonly results: Readonly<Record<string, ResultHandle>>;
  /** Why it has no result, in at most 2000 characters. */
  readonly message?: string;
  /** Why nodes without a result have none, by their keys, where the step has several. */
  readonly failures?: Readonly<Record<string, string>>;
}

export interface DecideReply {
  /** Reference of what is decided and observed by now. */
  readonly notes: string;
  readonly usage: Usage;
  /** For the first round, which tells the run of it. */
  readonly project?: ProjectPolicy;
  readonly decision: StepDecision;
}

export type StepDecision =
  /** A plan of one node, or of several where the step is a plan of its own. */
  (
    | ({
        readonly is: 'step';
        readonly summary: string;
        /** Its result is the result of the loop. */
        readonly ends?: true;
      } & SentSlice)
    /** The task is done. */
    | {
        readonly is: 'finish';
        readonly result: ResultHandle;
        readonly summary: string;
        /** A cap of the policy was reached. */
        readonly outcome?: 'aborted';
      }
    /** The reply is no step: prose without an end, an unknown tool, arguments that do not fit. It is asked again. */
    | { readonly is: 'none'; readonly trouble: PlanningTrouble }
    /** A model or its provider failed for good. */
    | { readonly is: 'failed'; readonly trouble: PlanningTrouble }
  ) & {
    /** The stage that decided where it was not the model: `gate g_region`. */
    readonly by?: string;
  };

/** The source of a decision: a rule before the model, a rule that looks for work, or the `decide` stage. */
export type Origin = 'gate' | 'select' | 'model';

/** The source of a decision as it is told: a `decide` stage that asked no model is no `model`. */
export type ToldOrigin = Origin | 'decide';

/** The kind of a stage: `gate`, `enrich`, `select`, `decide` or `correct`. It says what the stage may do. */
export type StageKind = 'gate' | 'enrich' | 'select' | 'decide' | 'correct';

/**
 * The record of a round, in the store: who decided, by which stages, what, and how the round before ended. The records
 * of a loop are a chain, the last one named by its notes.
 */
export interface RoundRecord {
  readonly round: number;
  /** The step that was dispatched, in a line. */
  readonly line: string;
  /**
   * For a round in which a policy decided: its name, who decided, and the stages in the order in which they were
   * visited.
   */
  readonly policy?: string;
  readonly origin?: ToldOrigin;
  readonly decider?: string;
  readonly decision?: JsonValue;
  readonly visits?: readonly StageVisit[];
  /** How the step before ended. */
  readonly happened?: Observation;
  /** Why the decision before was no step. */
  readonly trouble?: string;
  /** Reference of the record of the round before. */
  readonly before?: string;
}

/** The visit of one stage of a policy in a round. */
export interface StageVisit {
  readonly stage: string;
  readonly kind: 'tick' | 'observe' | StageKind;
  /**
   * `decided`: it made the decision. `rewrote`: a corrector changed it. `wrote`: it changed the state alone. `passed`: it
   * had nothing to do. `spared`: the decision is of an origin that it does not correct.
   */
  readonly did: 'decided' | 'rewrote' | 'wrote' | 'passed' | 'spared';
  /** The fields of the state that it wrote. */
  readonly wrote?: readonly string[];
  /** For a corrector that rewrote: the decision before it. */
  readonly before?: JsonValue;
  /** The decision that it made or rewrote. */
  readonly after?: JsonValue;
}

/** The input of an agent's run. Its parent starts it; its steps above read ask people as those of any other run do. */
export interface AgentInput {
  /** The chain of its root. */
  readonly chain: string;
  readonly task: AgentTask;
  readonly goal: string;
  readonly options: RunOptions;
  /** Replies in a row that may be no step. */
  readonly attempts: number;
  /** The key by which its parent and it know each other's signals. */
  readonly key: string;
  /** What it may spend before it asks its parent for more; absent where no budget binds the parent. */
  readonly granted?: Spending;
  /** The signed start of the run at the root of these runs. */
  readonly start?: SignedStart;
  /** The persons whose words are in the plan of the run that gives the task, and the signed messages that say so. */
  readonly editors?: readonly string[];
  readonly editTokens?: readonly string[];
}
