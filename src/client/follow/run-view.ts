/** A run at one moment, as a watcher sees it: plain facts, for a terminal, a page or a tool alike. */

import type { AttemptView } from '../attempts.ts';
import type { RunEnd } from '../run-end.ts';
import type { NodeView, OpenItem, RunStatus, TraceEntry, UnattendedQueue } from '../../protocol/index.ts';

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
  /** The node of the agent; absent where it is the run itself that decides. */
  readonly node?: string;
  readonly entry: TraceEntry;
}

export interface Heard {
  /** Everybody who was heard of, in the order in which they began; the same list as long as nothing has changed. */
  readonly agents: readonly AgentView[];
  /** In order, of each run; the same list as long as nothing has come. */
  readonly steps: readonly ToldStep[];
}

export const NOTHING_HEARD: Heard = { agents: [], steps: [] };

/**
 * A run at one moment, as a watcher sees it: its status, its nodes, the items that wait for a person, and at last its
 * end.
 */
export interface RunView extends Heard {
  /** The status as the run told it last; absent until it has answered once. */
  readonly status?: RunStatus;
  /** Every node in the order of the plan; the same list as long as nothing has changed. */
  readonly nodes: readonly NodeView[];
  /**
   * The attempts that are under way, or wait for a worker, as the server told them last, within about a second; the same list
   * as long as nothing has changed. A heartbeat is a change.
   */
  readonly attempts: readonly AttemptView[];
  /**
   * The items that wait for a person, approvals last, since they hold a screen; the same list as long as nothing has
   * changed.
   */
  readonly open: readonly OpenItem[];
  /**
   * While a goal becomes a plan: the lines that the model has written last; in the first view with the plan, those of its
   * nodes that were not told. The same list as long as nothing has changed.
   */
  readonly feedback: readonly string[];
  /** Why the run cannot answer now. It goes on, and is asked again. */
  readonly trouble?: Trouble;
  /** How the run ended; the last view alone has it. */
  readonly end?: RunEnd;
}

/** Before a run has answered. */
export const NO_VIEW: RunView = { nodes: [], open: [], attempts: [], feedback: [], ...NOTHING_HEARD };

/**
 * The reason why a run cannot answer now: no worker polls its task queue, or no server is there. `message` is for
 * people.
 */
export interface Trouble {
  readonly code: 'no-worker' | 'no-server';
  readonly message: string;
  /** Present where no worker asks for work. */
  readonly unattended?: UnattendedQueue;
}

export interface OpenChanges {
  readonly opened: readonly OpenItem[];
  readonly closed: readonly OpenItem[];
}

/**
 * The items that wait for a person in the second list and not in the first, and the other way round. Another plan, or
 * another role that is waited for, is news; a carried question is not.
 */
export function openChanges(before: readonly OpenItem[], now: readonly OpenItem[]): OpenChanges {
  const [old, fresh] = [before, now].map((items) => new Set(items.map(openKey)));
  return {
    opened: now.filter((item) => old?.has(openKey(item)) !== true),
    closed: before.filter((item) => fresh?.has(openKey(item)) !== true),
  };
}

/** Names an open item, whichever view it is in. */
export function openKey({ workflowId, id, since, send }: OpenItem): string {
  return JSON.stringify([workflowId, id, since, send]);
}
