/** What a run answers when it is asked: the results of its queries. */

import { quoteForShell } from '../text/index.ts';
import type { Outcome, Phase } from './approval.ts';
import { openItems } from './open-items.ts';
import { noCounts, type NodeFailure, type NodeStatus, type ResultHandle } from './progress.ts';
import { askingNodes, type Run } from './run.ts';
import { nodeId } from './slice.ts';

export interface RunStatus {
  readonly phase: Phase;
  readonly outcome?: Outcome;
  /** Why it failed. */
  readonly reason?: string;
  readonly revision: number;
  readonly digest: string;
  /** An operator has paused it: what is under way goes on, nothing else starts. */
  readonly paused?: true;
  /** How many things wait for a person; the query `questions` tells them. */
  readonly waitingFor: number;
  /** What the plan's writer expects the run to take, in minutes. */
  readonly estimatedMinutes?: number;
  readonly counts: { readonly total: number } & Readonly<Record<NodeStatus, number>>;
  /** What a person can do now: the exact command. */
  readonly next?: string;
}

export interface PlanView {
  readonly revision: number;
  readonly digest: string;
  /** The plan's reference in the result store. */
  readonly ref: string;
  readonly text: string;
}

export interface NodeView {
  readonly id: string;
  readonly status: NodeStatus;
  readonly summary: string;
  readonly executor: string;
  readonly result?: ResultHandle;
  readonly failure?: NodeFailure;
  /** For a skipped node: the node whose failure caused it. */
  readonly cause?: string;
}

export interface NodesPage {
  readonly nodes: readonly NodeView[];
  /** Give it as `after` to read on; absent on the last page. */
  readonly next?: string;
}

/** The answer to a query is at most 2 MiB; a node is at most about 3 kB. */
const NODES_PER_PAGE = 200;
const MAX_NODES_PER_PAGE = 500;
const MAX_FAILURE_TEXT = 500;

export function statusOf(run: Run): RunStatus {
  const counts = run.progress?.counts ?? noCounts();
  const next = nextCommand(run);
  return {
    phase: phaseOf(run),
    ...(run.approval.outcome !== undefined && { outcome: run.approval.outcome }),
    ...(run.reason !== undefined && { reason: run.reason.slice(0, MAX_FAILURE_TEXT) }),
    revision: run.approval.revision,
    digest: run.approval.digest,
    ...(run.paused && { paused: true }),
    waitingFor: openItems(run).length,
    ...(run.slice?.estimatedMinutes !== undefined && { estimatedMinutes: run.slice.estimatedMinutes }),
    counts: { total: run.slice?.inputs.length ?? 0, ...counts },
    ...(next !== undefined && { next }),
  };
}

export function planOf(run: Run): PlanView {
  const { revision, digest } = run.approval;
  return { revision, digest, ref: digest, text: run.slice?.text ?? '' };
}

/** A page of nodes in dependency order. `after` is a node id; an unknown one starts from the beginning. */
export function nodesOf(run: Run, page: { after?: unknown; limit?: unknown } = {}): NodesPage {
  const total = run.slice?.inputs.length ?? 0;
  const limit = Number.isInteger(page.limit)
    ? Math.min(Math.max(page.limit as number, 1), MAX_NODES_PER_PAGE)
    : NODES_PER_PAGE;
  const from = typeof page.after === 'string' ? Number(/^node_(\d{1,9})$/.exec(page.after)?.[1] ?? 0) : 0;
  const to = Math.min(from + limit, total);
  const nodes: NodeView[] = [];
  for (let node = from; node < to; node++) nodes.push(nodeOf(run, node));
  return { nodes, ...(to < total && { next: nodeId(to - 1) }) };
}

/** What waits for approval may have been skipped or cancelled meanwhile. */
export function phaseOf(run: Run): Phase {
  const { phase } = run.approval;
  return phase === 'awaiting-approval' && askingNodes(run).length === 0 ? 'running' : phase;
}

export function nodeOf(run: Run, node: number): NodeView {
  const { slice, progress } = run;
  if (slice === undefined || progress === undefined) throw new RangeError('a run without a plan has no nodes');
  const result = progress.handles[node];
  const failure = progress.failures.get(node);
  const cause = progress.causes.get(node);
  return {
    id: nodeId(node),
    status: progress.status[node] ?? 'pending',
    summary: slice.summaries[node] ?? '',
    executor: slice.executors[slice.executorOf[node] ?? 0]?.label ?? '',
    ...(result !== undefined && { result }),
    ...(failure !== undefined && { failure: { ...failure, message: failure.message.slice(0, MAX_FAILURE_TEXT) } }),
    ...(cause !== undefined && { cause: nodeId(cause) }),
  };
}

/** What the Temporal CLI alone can do next with this run. */
export function nextCommand(run: Run): string | undefined {
  const [first] = openItems(run);
  if (first === undefined) return undefined;
  const { name, input } = first.send;
  return `temporal workflow signal -w ${quoteForShell(run.workflowId)} --name ${name} --input ${quoteForShell(JSON.stringify(input))}`;
}
