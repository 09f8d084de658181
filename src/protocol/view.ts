/** A run at one moment: the answers to its queries, and data from its server and its store. */

import type { CompiledPlan, JsonValue } from '../plan/index.ts';
import type { RoundRecord } from './loop.ts';
import type { FailureDetail, RunResult } from './result.ts';
import type { PlanLine } from './planning.ts';
import type { RunStatus, UnattendedQueue } from './status.ts';
import type { TraceEntry } from './trace.ts';
import type { NodeView, OpenItem, PlanView } from './views.ts';

export interface RunParts {
  readonly status: RunStatus;
  readonly plan: PlanView;
  /** Every node of the open plan, in the order of the plan. */
  readonly nodes: readonly NodeView[];
  /** The items that wait for a person: first of the run, then of its agents. `workflowId` is the run to address. */
  readonly open: readonly OpenItem[];
  readonly trace: {
    /** The entries in order. With the option `after`, only those with a higher number. */
    readonly entries: readonly TraceEntry[];
    readonly dropped: number;
  };
  /** The rounds of a loop, in order: what decided, the stages, the decision. Needs the result store. */
  readonly rounds: readonly RoundRecord[];
  /** The current attempts at nodes, as the server reports them. Needs no worker. */
  readonly attempts: readonly AttemptView[];
  /** The lines of the current plan that the planner's model has written so far. Needs no worker. */
  readonly feedback: readonly PlanLine[];
  /** When the run began and ended, as the server reports. Needs no worker. */
  readonly times: RunTimes;
  /** The run id of the first execution (for an agent, of the topmost run), for signed messages. Needs no worker. */
  readonly firstRunId: string | undefined;
  /** The nodes that a worker has finished or given up, from the run's histories. Needs no worker. */
  readonly begun: ExecutedNodes;
}

export interface ViewOptions {
  /** For `trace`: only entries after this number. Default: all. */
  readonly after?: number | undefined;
  /** For `rounds`: only this many of the newest. Default: all. */
  readonly last?: number | undefined;
  /** For `rounds`: the number of the first round to read. Default 1. */
  readonly from?: number | undefined;
  /** For `rounds`: the reference to start from, as in `status.loop`. With it, the run itself is not queried. */
  readonly notes?: string | undefined;
  /** For `begun`: maximum number of histories to read, newest first. Default 20. */
  readonly histories?: number | undefined;
  /** For `begun`: called after each history; return true to read no more. Default: reads all. */
  readonly until?: ((found: readonly ExecutedNode[]) => boolean) | undefined;
}

/** Times in ISO 8601. `startedAt` is the start of the last history. The run's status has the first start. */
export interface RunTimes {
  readonly startedAt: string;
  readonly endedAt?: string;
}

/** The worker of a node's current or last attempt. Times are ISO 8601. */
export interface NodeWork {
  readonly attempt?: number;
  readonly worker?: string;
  readonly startedAt?: string;
  /** Why the previous attempt ended; `worker lost` if its worker stopped reporting. */
  readonly before?: string;
  /** The workflow id of the child run that the node waits for. */
  readonly waitsForRun?: string;
}

export type SeenNode = NodeView & NodeWork & NodeValue;

/** The result of a node, if it is short. */
export interface NodeValue {
  /** The content of the file with records that the node wrote. */
  readonly written?: string;
  readonly value?: JsonValue;
}

/** The last ended activity of a node that a worker had begun. */
export interface ExecutedNode extends Required<Pick<NodeWork, 'attempt' | 'worker' | 'startedAt'>> {
  /** The node's id in the plan at the start of the activity. */
  readonly id: string;
  readonly revision: number;
  readonly before?: string;
}

export interface ExecutedNodes {
  /** The last activity of each node in each revision, in the order of their starts. */
  readonly nodes: readonly ExecutedNode[];
  /** Why nodes may be missing. `gone`: the server has deleted a history. `unread`: the limit was reached. */
  readonly missing?: 'gone' | 'unread';
}

/** The progress of a part, from its last heartbeat. */
export interface PartView {
  readonly done: number;
  /** The number of nodes in the part; 0 before the first heartbeat. */
  readonly of: number;
  readonly atWork: readonly string[];
}

/** A current attempt at a node or a part, as the server reports it. A worker executes it, or it waits for a worker. */
export interface AttemptView {
  /** The node's id in the plan at the start of the attempt, or the name of the part. */
  readonly id: string;
  readonly part?: PartView;
  readonly attempt: number;
  readonly of?: number;
  readonly state: 'waits for a worker' | 'is carried out' | 'is asked to stop' | 'is paused';
  /** The worker that executes the attempt, or executed the last one. */
  readonly worker?: string;
  /** Why the previous attempt ended; `worker lost` if its worker stopped reporting. */
  readonly lastFailure?: string;
  /** When this attempt began or was queued; ISO 8601. */
  readonly at?: string;
  /** The worker's last heartbeat; ISO 8601. Absent if no worker executes the attempt. */
  readonly heardAt?: string;
  /** When the server gives up the attempt if no heartbeat comes (ISO 8601); absent if no worker executes it. */
  readonly overdueAt?: string;
  /** When the server will queue the next attempt (ISO 8601); absent if that is not in the future. */
  readonly nextAt?: string;
  /** The workflow id of the child run that the attempt waits for, from its last heartbeat. */
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

/** The run of an agent of a node, running or ended. */
export interface AgentView {
  /** The id of the node in the plan that was open when the agent began. */
  readonly node: string;
  readonly workflowId: string;
  readonly status: RunStatus;
}

/** A step of a loop, or its result: an entry from the trace of the run or of an agent. */
export interface LoopStep {
  readonly workflowId: string;
  /** The node of the agent; absent if the run itself decides. */
  readonly node?: string;
  readonly entry: TraceEntry;
}

/** Why a run cannot answer now: no worker polls, or the server does not answer. */
export interface Trouble {
  readonly code: 'no-worker' | 'no-server';
  readonly message: string;
  readonly unattended?: UnattendedQueue;
}

/** A followed run at one moment. A list stays the same object until something in it changes. */
export interface RunView extends Pick<RunParts, 'attempts'> {
  /** The lines that the planner's model has written so far, followed by nodes of the plan without a line. */
  readonly feedback: readonly string[];
  /** The last status of the run; absent until it first answers. */
  readonly status?: RunStatus;
  readonly nodes: readonly SeenNode[];
  /** The open plan, if the client reads contents and the store has the plan. */
  readonly compiled?: CompiledPlan;
  /** The items that wait for a person. Approvals are last, since one can fill a screen. */
  readonly open: readonly OpenItem[];
  readonly agents: readonly AgentView[];
  /** The steps of loops in the run and its agents; those of each run in order. */
  readonly steps: readonly LoopStep[];
  /** Why the run cannot answer now. The run continues, and the client asks again. */
  readonly trouble?: Trouble;
  /** How the run ended, and when (ISO 8601) if the server reports it. Only in the last view. */
  readonly end?: RunEnd;
  readonly endedAt?: string;
}
