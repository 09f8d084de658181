/** The nodes of the open plan as people see them. */

import { given, nodeId, type NodesPage, type NodeView, type PageRequest } from '../../protocol/index.ts';
import { cutCharacters, visible } from '../../plan/text/index.ts';
import { partsOf } from '../run/parts.ts';
import { waitsAt } from '../run/resources.ts';
import { waitsForVersion } from './waiting.ts';
import { includes } from '../approval/coverage.ts';
import { askingNodes } from '../run/run.ts';
import type { Run } from '../run/in-memory.ts';
import { missingOf } from './approval-item.ts';
import { reusedFrom } from './run-outline.ts';

/** By default. The answer to a query is at most 2 MiB, a node at most about 3 kB. */
const NODES_PER_PAGE = 200;

/**
 * @bound nodes on a page
 * @beyond the page has that many; `next` continues
 */
const MAX_NODES_PER_PAGE = 500;

/** Characters of a node's failure, and of the reason why a run ended. */
const MAX_FAILURE_TEXT = 500;

/** `inputCount` counts all. */
const MAX_INPUTS = 20;

/** The trace has all. */
const APPROVERS_NAMED = 8;

/** A page of nodes in dependency order. `after` is a node id; an unknown one starts from the beginning. */
export function nodesOf(run: Run, page: PageRequest = {}): NodesPage {
  const total = run.execution?.slice.inputs.length ?? 0;
  const limit = Number.isInteger(page.limit)
    ? Math.min(Math.max(page.limit as number, 1), MAX_NODES_PER_PAGE)
    : NODES_PER_PAGE;
  const from = typeof page.after === 'string' ? Number(/^node_(\d{1,9})$/.exec(page.after)?.[1] ?? 0) : 0;
  const to = Math.min(from + limit, total);
  const nodes: NodeView[] = [];
  const parts = partsOf(run);
  const asking = new Set(askingNodes(run));
  for (let node = from; node < to; node++) {
    const waits = asking.has(node) ? approvalOf(run, node) : {};
    nodes.push({ ...nodeOf(run, node), ...waits, ...given({ part: parts.get(node) }) });
  }
  return { nodes, ...(to < total && { next: nodeId(to - 1) }) };
}

/** The approvals that a node needs, and the people who have approved it. */
function approvalOf(run: Run, node: number): Pick<NodeView, 'missing' | 'approvedBy'> {
  const missing = missingOf(run, [node]);
  const consents = run.dialogue.approval.consents.filter(({ nodes }) => includes(nodes, node));
  const approvedBy = [...new Set(consents.map(({ by }) => visible(by)))].slice(0, APPROVERS_NAMED);
  return { ...(missing.length > 0 && { missing }), ...(approvedBy.length > 0 && { approvedBy }) };
}

export function nodeOf(run: Run, node: number): NodeView {
  const { execution } = run;
  if (execution === undefined) throw new RangeError('a run without a plan has no nodes');
  const { slice, progress, scheduledAt, endedAt } = execution;
  const result = progress.handles[node];
  const failure = progress.failures[node];
  const cause = progress.causes[node];
  const inputs = slice.inputs[node] ?? [];
  const { effect, cost, resource } = slice.executors[slice.executorOf[node] ?? 0] ?? {};
  return {
    id: nodeId(node),
    status: progress.status[node] ?? 'pending',
    summary: slice.summaries[node] ?? '',
    ...given({ key: slice.contextKeys?.[node], effect, cost, resource }),
    ...(inputs.length > 0 && { inputs: inputs.slice(0, MAX_INPUTS).map(nodeId), inputCount: inputs.length }),
    executor: visible(slice.executors[slice.executorOf[node] ?? 0]?.label ?? ''),
    ...given({
      result,
      failure: failure && { ...failure, message: shortly(failure.message) },
      waits: waitsAt(run, node) ?? waitsForVersion(run, node),
      cause: cause === undefined ? undefined : nodeId(cause),
      reusedFrom: reusedFrom(execution, node),
      notes: execution.notes[node]?.map((text) => visible(text)),
      scheduledAt: timeOf(scheduledAt[node]),
      endedAt: timeOf(endedAt[node]),
    }),
  };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

export function shortly(text: string): string {
  return cutCharacters(visible(text, { lines: true }), MAX_FAILURE_TEXT);
}
