/** A run seen from outside at one moment: the answers to its queries, with data of its server and its store. */

import type { CompiledPlan, JsonValue } from '../plan/index.ts';
import type { RoundRecord } from './loop.ts';
import type { FailureDetail, RunResult } from './result.ts';
import type { PlanLine } from './planning.ts';
import type { RunStatus, UnattendedQueue } from './status.ts';
import type { TraceEntry } from './trace.ts';
import type { NodeView, OpenItem, PlanView } from './views.ts';

/** What can be read of a run, part by part. */
export interface RunParts {
  readonly status: RunStatus;
  readonly plan: PlanView;
  /** Every node of the open plan, in its order. */
  readonly nodes: readonly NodeView[];
  /**
   * The items that wait for a person, first those of the run, then those of its agents, each once. `workflowId` is the
   * run to address.
   */
  readonly open: readonly OpenItem[];
  readonly trace: {
    /** In order; with the option `after` those after that number. */
    readonly entries: readonly TraceEntry[];
    /** The number of dropped entries. */
    readonly dropped: number;
  };
  /**
   * The rounds of a run that decides step by step, in order: of each who decided, the stages visited, the decision, and
   * how the step before ended. Needs the result store of the run.
   */
  readonly rounds: readonly RoundRecord[];
  /** The attempts at nodes that are under way, as the server knows them; needs no worker. */
  readonly attempts: readonly AttemptView[];
  /** The lines that the planner's model has written so far of the plan under way; needs no worker. */
  readonly feedback: readonly PlanLine[];
  /** When the run began and ended, as the server has it; needs no worker. */
  readonly times: RunTimes;
  /** The run id of its first execution, of an agent's run that of its root: a signed message names it. Needs no worker. */
  readonly chain: string | undefined;
  /** Nodes that workers have finished or given up, from the run's histories; needs no worker. */
  readonly begun: Begun;
}

/** How much is read of the parts of a run that may be long. */
export interface ViewOptions {
  /** Of the trace: entries after the one of this number. Default: all. */
  readonly after?: number | undefined;
  /** Of the rounds: the newest so many. Default: all. */
  readonly last?: number | undefined;
  /** The first of the rounds to read. Default 1. */
  readonly from?: number | undefined;
  /** Of the rounds: the record to read them from, as `status.loop` names it; the run itself is not asked then. */
  readonly notes?: string | undefined;
  /** For `begun`: the most histories to read, newest first. Default 20. */
  readonly histories?: number | undefined;
  /** For `begun`: whether the nodes found so far are enough; called after each history. Default: never. */
  readonly until?: ((found: readonly BegunView[]) => boolean) | undefined;
}

/**
 * ISO 8601. For a run that continued as new `startedAt` is the beginning of the last history; its status has the first.
 */
export interface RunTimes {
  readonly startedAt: string;
  /** Absent while it is open. */
  readonly endedAt?: string;
}

/** The worker that has a node, or had it last. Times are ISO 8601. */
export interface NodeWork {
  /** Counts from 1. */
  readonly attempt?: number;
  readonly worker?: string;
  /** When that attempt began. */
  readonly startedAt?: string;
  /** Why the previous attempt ended; `worker lost` if its worker stopped reporting. */
  readonly before?: string;
  /** The run that it has started and waits for. */
  readonly waitsForRun?: string;
}

/** A node with data of the server and the store. */
export type SeenNode = NodeView & NodeWork & NodeValue;

/** What a node gave, as far as it is short. */
export interface NodeValue {
  /** The file of records that it has written, as text. */
  readonly written?: string;
  readonly value?: JsonValue;
}

/** The last activity of a node that has begun at a worker and has ended. */
export interface BegunView extends Required<Pick<NodeWork, 'attempt' | 'worker' | 'startedAt'>> {
  /** The node's id in the plan that it was started for, and the revision of that plan. */
  readonly id: string;
  readonly revision: number;
  readonly before?: string;
}

/** The executed nodes of a run, read from its histories from the newest back. */
export interface Begun {
  /** The last activity of each node of each revision, in the order of their starts. */
  readonly nodes: readonly BegunView[];
  /**
   * Why something of a long run may be missing. `gone`: the server has deleted an earlier history after the namespace's
   * retention. `unread`: the limit of histories was reached.
   */
  readonly missing?: 'gone' | 'unread';
}

/** How far a part has come, by its last heartbeat. */
export interface PartView {
  readonly done: number;
  /** Its nodes; 0 before its first heartbeat. */
  readonly of: number;
  /** Ids of nodes at work, at most 8. */
  readonly atWork: readonly string[];
}

/** An attempt at a node, or at a part, that is under way or waits for a worker, as the server knows it. */
export interface AttemptView {
  /** The node's id in the plan that it was started for, or the name of the part. */
  readonly id: string;
  /** Present for a part. */
  readonly part?: PartView;
  /** From 1, whatever the earlier ones came to. */
  readonly attempt: number;
  /** The most attempts that the server makes, if limited. */
  readonly of?: number;
  readonly state: 'waits for a worker' | 'is carried out' | 'is asked to stop' | 'is paused';
  /** The worker that has it now, or had it last. */
  readonly worker?: string;
  /** Why the previous attempt ended; `worker lost` if its worker stopped reporting. */
  readonly lastFailure?: string;
  /** When this attempt began or was queued; ISO 8601. */
  readonly at?: string;
  /** The last heartbeat of its worker; ISO 8601. Only while a worker has it. */
  readonly heardAt?: string;
  /**
   * When its worker is given up without a heartbeat; ISO 8601. Only while a worker has it, if the server reports it.
   */
  readonly overdueAt?: string;
  /** When it will be queued, if that is still to come; ISO 8601. */
  readonly nextAt?: string;
  /** The run that it has started and waits for, from its last heartbeat. */
  readonly waitsForRun?: string;
}

/** How a run ended. */
export type RunEnd =
  | { readonly how: 'completed'; readonly result: RunResult }
  | {
      readonly how: 'failed';
      readonly type: string;
      readonly message: string;
      readonly details: readonly FailureDetail[];
    }
  | { readonly how: 'cancelled' | 'terminated' | 'timed-out'; readonly message: string };

/** The run of an agent that works, or has worked, for a node. */
export interface AgentView {
  /** The node, in the plan that was open when it began. */
  readonly node: string;
  readonly workflowId: string;
  /** How it stood when it was asked last. */
  readonly status: RunStatus;
}

/** A decided step, or the result of one: an entry of the trace of the run, or of one of its agents. */
export interface ToldStep {
  readonly workflowId: string;
  /** The node of the agent; absent if the run itself decides. */
  readonly node?: string;
  readonly entry: TraceEntry;
}

/**
 * The reason why a run cannot answer now: no worker polls its task queue, or no server is there. `message` is for
 * people.
 */
export interface Trouble {
  readonly code: 'no-worker' | 'no-server';
  readonly message: string;
  /** Present if no worker polls. */
  readonly unattended?: UnattendedQueue;
}

/** A run that is followed, at one moment. Each list is the same one as long as nothing in it has changed. */
export interface RunView extends Pick<RunParts, 'attempts'> {
  /** The lines that the planner's model has written so far, then the nodes of its plan that no line was about. */
  readonly feedback: readonly string[];
  /** The last status of the run; absent until its first answer. */
  readonly status?: RunStatus;
  readonly nodes: readonly SeenNode[];
  /** The open plan, if the contents of the store are read and the store has it. */
  readonly compiled?: CompiledPlan;
  /** The items that wait for a person. Approvals are last, since they block a screen. */
  readonly open: readonly OpenItem[];
  /** The agents so far, in the order of their starts. */
  readonly agents: readonly AgentView[];
  /** The steps of a run or an agent that decides step by step; in order, of each run. */
  readonly steps: readonly ToldStep[];
  /** Why the run cannot answer now. It continues, and is asked again. */
  readonly trouble?: Trouble;
  /** How the run ended, and when (ISO 8601) if the server reports it; only in the last view. */
  readonly end?: RunEnd;
  readonly endedAt?: string;
}
