/** The run as the story sees it: its answers to queries, asked again until they fit. */

import { setTimeout as pause } from 'node:timers/promises';
import type { CompiledPlan } from 'planwright';
import {
  ClientError,
  type NodeStatus,
  type OpenItem,
  type RunHandle,
  type RunStatus,
  type TraceEntry,
} from 'planwright/client';
import { StoryError, type Stage } from '../../stage/index.ts';

/** One moment of a run. */
export interface Moment {
  readonly status: RunStatus;
  readonly open: readonly OpenItem[];
  /** The status of each step, by its context key. */
  readonly nodes: Readonly<Record<string, NodeStatus>>;
}

export interface RunView {
  now(): Promise<Moment>;
  /** Waits until a moment fits, at most 2 minutes, also for a worker that answers; `what` says what is waited for. */
  until(what: string, fits: (moment: Moment) => boolean): Promise<Moment>;
  trace(): Promise<readonly TraceEntry[]>;
}

const POLL_MS = 50;
const WITHIN_MS = 120_000;

/** The keys and the ids of the nodes are the same in every revision of this story. */
export function createRunView({ signal }: Pick<Stage, 'signal'>, run: RunHandle, plan: CompiledPlan): RunView {
  const { tasks } = plan;
  return {
    now,
    async until(what, fits) {
      const deadline = Date.now() + WITHIN_MS;
      for (;;) {
        const moment = await now().catch(noWorkerYet);
        if (moment !== undefined && fits(moment)) return moment;
        if (Date.now() > deadline) {
          throw new StoryError('failed', `the run did not come to this in 2 minutes: ${what}; ${described(moment)}`);
        }
        await pause(POLL_MS, undefined, { signal });
      }
    },
    trace: async () => (await run.view(['trace'])).trace.entries,
  };

  async function now(): Promise<Moment> {
    const { status, open, nodes } = await run.view();
    const byKey = Object.fromEntries(nodes.map((node, at) => [tasks[at]?.contextKey ?? node.id, node.status]));
    return { status, open, nodes: byKey };
  }
}

function noWorkerYet(error: unknown): undefined {
  if (!(error instanceof ClientError) || error.code !== 'no-worker') throw error;
}

function described(moment: Moment | undefined): string {
  if (moment === undefined) return 'no worker answers';
  const { status, nodes } = moment;
  const states = Object.entries(nodes).map(([step, state]) => `${step} ${state}`);
  return `it is ${status.phase}, with ${states.join(', ')}`;
}

export function approvalOf(open: Moment['open']): OpenItem | undefined {
  return open.find(({ kind }) => kind === 'approval');
}

/** What the effects that wait would change: `node_6 QUAD:1:CURRENT 40 A -> 44 A`. */
export function previewsOf(open: Moment['open']): string {
  const { effects = [] } = approvalOf(open) ?? {};
  return effects.flatMap(({ node, shows = [] }) => shows.map((row) => `${node} ${row}`)).join('; ');
}

export function questionOf(open: Moment['open']): OpenItem | undefined {
  return open.find(({ kind }) => kind === 'question');
}
