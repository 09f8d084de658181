/** The answers to a run's queries. This file computes the parts of a view; `renderView` combines them. */

import type { Replans } from '../run/state.ts';
import type { Loop } from '../loop/loop.ts';
import {
  given,
  nodeId,
  OWN_PARTS,
  type BudgetView,
  type ChildView,
  type LoopView,
  type OpenItem,
  type OwnPart,
  type PageRequest,
  type Phase,
  type PlanningView,
  type PlanView,
  type RecordedDecision,
  type ReplannedView,
  type RunStatus,
  type ViewPage,
  type ViewRequest,
  type WaitingRun,
  type Planning,
  type NodesPage,
  type NodeView,
} from '../../protocol/index.ts';
import { byteLength, quoteForShell, visible, cutCharacters } from '../../plan/text/index.ts';
import { noCounts } from '../run/nodes/progress.ts';
import { waitsFor, countOpen, waitsForVersion } from './openings.ts';
import { endedBy } from '../approval/approval.ts';
import { isAsking, askingNodes } from '../run/run.ts';
import type { Run } from '../run/in-memory.ts';
import { findBudget, sumsOf } from '../run/spending/spend.ts';
import { traceOf } from '../run/trace.ts';
import { firstOpen, limitOf, messageText, questionsOf, missingOf } from './open-items.ts';
import { boundsLine, showAllCommand, reusedFrom } from './run-outline.ts';
import { mayHaveRun } from '../run/started-effects.ts';
import { partsOf } from '../run/parts.ts';
import { waitsAt } from '../run/resources.ts';
import { includes } from '../approval/coverage.ts';

/** Maximum number of agents in a status. Those that wait for a person come first. */
const MAX_CHILDREN = 100;

/** Maximum bytes of a query's answer; the server allows 2 MiB. `rest` names the omitted parts. */
const VIEW_BYTES = 1_900_000;

const PARTS: { readonly [Part in OwnPart]: (run: Run, page?: PageRequest) => ViewPage[Part] } = {
  status: statusOf,
  plan: planOf,
  nodes: nodesOf,
  questions: openOf,
  trace: ({ state }, page) => traceOf(state.trace, page),
};

export function renderView(run: Run, request: ViewRequest = {}): ViewPage {
  const { parts = OWN_PARTS } = request;
  let page: ViewPage = {};
  let bytes = 0;
  for (const [at, part] of parts.entries()) {
    const rendered = { [part]: PARTS[part](run, request[part]) };
    const rest = { ...request, parts: parts.slice(at) };
    bytes += byteLength(JSON.stringify(rendered));
    if (at > 0 && bytes > VIEW_BYTES) return { ...page, rest };
    page = { ...page, ...rendered };
    const after = lastOf(rendered, request);
    if (after !== undefined) return { ...page, rest: { ...rest, [part]: { ...request[part], after } } };
  }
  return page;
}

function lastOf({ nodes, trace, questions = [] }: ViewPage, request: ViewRequest): string | number | undefined {
  const last = questions.at(-1);
  const isFull = last !== undefined && 'id' in last && questions.length === limitOf(request.questions ?? {});
  return nodes?.next ?? trace?.next ?? (isFull ? last.id : undefined);
}

export function statusOf(run: Run): RunStatus {
  const { state, execution } = run;
  const { approval, paused, startedAt, planning, made, usage, loop, parentPaused, firstRunId } = state;
  const { outcome, reason } = approval.closed ?? {};
  const { by, comment } = endedBy(approval);
  const children = childrenOf(run);
  return {
    phase: phaseOf(run),
    ...given({ outcome, reason: reason && cutForView(reason) }),
    ...given({ by: by && visible(by), comment: comment && cutForView(comment) }),
    revision: approval.revision,
    digest: approval.digest,
    firstRunId,
    startedAt,
    ...given({
      planning: planning && planningOf(planning),
      loop: loop && loopOf(loop),
      children: children.length > 0 ? children : undefined,
      fallback: made === 'fallback' || undefined,
      grants: grantsOf(approval.decisions),
      replanned: replannedOf(state.replans),
      usage: usage.calls > 0 ? usage : undefined,
      budget: budgetView(run),
      paused: paused || parentPaused || undefined,
      waits: waitsFor(run),
    }),
    waitingFor: countOpen(run),
    ...given({ mayHaveRun: mayHaveRun(run) }),
    ...given({ estimatedMinutes: execution?.planShape.estimatedMinutes }),
    counts: { total: execution?.planShape.inputs.length ?? 0, ...(execution?.progress.counts ?? noCounts()) },
    ...given({ next: nextCommand(run) }),
  };
}

function grantsOf(decisions: readonly RecordedDecision[]): readonly string[] | undefined {
  const lines = decisions.flatMap(({ grant, comment, by }) => (grant ? [`${comment}, by ${visible(by)}`] : []));
  return lines.length === 0 ? undefined : lines.slice(-APPROVERS_NAMED);
}

function loopOf({ round, maxRounds, step, notes }: Loop): LoopView {
  return { round, maxRounds, ...given({ step: step && cutForView(step.summary), notes }) };
}

/** The answer to the query `questions`: a page of open items, then the agents that wait for a person. */
export function openOf(run: Run, page: PageRequest = {}): readonly (OpenItem | WaitingRun)[] {
  const items = questionsOf(run, page);
  if (items.length === limitOf(page)) return items;
  const agents = childrenOf(run).filter(({ waitingFor }) => waitingFor > 0);
  const itemsOf = (id: string) => run.state.children[id]?.items;
  return [
    ...items,
    ...agents.map(({ workflowId: id, waitingFor }) => ({ run: id, waitingFor, ...given({ items: itemsOf(id) }) })),
  ];
}

function childrenOf({ state: { children }, tasks }: Run): readonly ChildView[] {
  const views: ChildView[] = [];
  for (const [workflowId, { task: id, waitingFor, waits, isStarted }] of Object.entries(children)) {
    const task = tasks[id];
    if (isStarted && task?.kind === 'node')
      views.push({ node: nodeId(task.node), workflowId, waitingFor, ...given({ waits }) });
  }
  const rank = ({ waitingFor, waits }: ChildView) => waitingFor + (waits === undefined ? 0 : 0.5);
  return views.toSorted((a, b) => rank(b) - rank(a)).slice(0, MAX_CHILDREN);
}

function planningOf({ stage, plans, calls, trouble, anew }: Planning): PlanningView {
  const texts = given({ why: anew && cutForView(anew.why), trouble: trouble && cutForView(trouble.message) });
  return { stage, plan: plans, call: calls, ...texts };
}

function replannedOf(replans: Replans | undefined): ReplannedView | undefined {
  if (replans?.revision === undefined) return undefined;
  const { made: times, revision, why = '' } = replans;
  return { times, revision, why: cutForView(why) };
}

export function planOf(run: Run): PlanView {
  const { approval, start, project } = run.state;
  const { revision, digest, shown } = approval;
  const { text = '', reuse } = run.execution?.planShape ?? {};
  const bounds = boundsLine(run);
  const whole = bounds === undefined ? text : `${bounds}\n${text}`;
  return {
    revision,
    digest,
    ref: digest,
    text: whole,
    ...given({ shown, bounds, reuse: reuse?.text, start: project.receipts && start?.signed }),
  };
}

/** A run is in the approval phase only if a node waits, since all may have been skipped or cancelled. */
function phaseOf(run: Run): Phase {
  const { phase } = run.state.approval;
  return phase === 'awaiting-approval' && !isAsking(run) ? 'running' : phase;
}

/** The next message to this run as a command of the Temporal CLI, or the command that shows its many effects. */
function nextCommand(run: Run): string | undefined {
  const [first] = firstOpen(run, 1);
  if (first === undefined) return undefined;
  const { workflowId, send, leftOut } = first;
  if (leftOut !== undefined && send.name === 'approve') return showAllCommand(first);
  // `visible` writes hidden characters as escapes, which mean the same characters in JSON.
  const message = quoteForShell(visible(messageText(first)));
  return `temporal workflow signal -w ${visible(quoteForShell(workflowId))} --name ${send.name} --input ${message}`;
}

/** Default number of nodes on a page. A node has at most about 3 kB; the answer to a query may have 2 MiB. */
const NODES_PER_PAGE = 200;

const MAX_NODES_PER_PAGE = 500;

const MAX_FAILURE_TEXT = 500;

/** Maximum number of inputs that a node lists. `inputCount` counts all. */
const MAX_INPUTS = 20;

/** Maximum number of approvers that a node names. The trace has all of them. */
const APPROVERS_NAMED = 8;

/** A page of nodes in dependency order, after the node id `after`. An unknown id starts from the beginning. */
export function nodesOf(run: Run, page: PageRequest = {}): NodesPage {
  const total = run.execution?.planShape.inputs.length ?? 0;
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

function approvalOf(run: Run, node: number): Pick<NodeView, 'missing' | 'approvedBy'> {
  const missing = missingOf(run, [node]);
  const consents = run.state.approval.consents.filter(({ nodes }) => includes(nodes, node));
  const approvedBy = [...new Set(consents.map(({ by }) => visible(by)))].slice(0, APPROVERS_NAMED);
  return { ...(missing.length > 0 && { missing }), ...(approvedBy.length > 0 && { approvedBy }) };
}

export function nodeOf(run: Run, node: number): NodeView {
  const { execution } = run;
  if (execution === undefined) throw new RangeError('a run without a plan has no nodes');
  const { planShape, progress, scheduledAt, endedAt } = execution;
  const before = execution.attempts[node];
  const result = progress.handles[node];
  const failure = progress.failures[node];
  const cause = progress.causes[node];
  const inputs = planShape.inputs[node] ?? [];
  const { effect, cost, resource } = planShape.executors[planShape.executorOf[node] ?? 0] ?? {};
  return {
    id: nodeId(node),
    status: progress.status[node] ?? 'pending',
    summary: planShape.summaries[node] ?? '',
    ...given({ key: planShape.contextKeys?.[node], effect, cost, resource, untrusted: planShape.untrusted?.[node] }),
    ...(inputs.length > 0 && { inputs: inputs.slice(0, MAX_INPUTS).map(nodeId), inputCount: inputs.length }),
    executor: visible(planShape.executors[planShape.executorOf[node] ?? 0]?.label ?? ''),
    ...given({
      result,
      failure: failure && { ...failure, message: cutForView(failure.message) },
      waits: waitsAt(run, node) ?? waitsForVersion(run, node),
      cause: cause === undefined ? undefined : nodeId(cause),
      reusedFrom: reusedFrom(execution, node),
      notes: execution.notes[node]?.map((text) => visible(text)),
      scheduledAt: timeOf(scheduledAt[node]),
      attempts: before === undefined ? undefined : before + 1,
      endedAt: timeOf(endedAt[node]),
    }),
  };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

export function cutForView(text: string): string {
  return cutCharacters(visible(text, { lines: true }), MAX_FAILURE_TEXT);
}

function budgetView(run: Run): BudgetView | undefined {
  const budget = findBudget(run);
  if (budget === undefined) return undefined;
  const { spent, reserved } = sumsOf(run, budget.account.ledger);
  const isReserved = reserved.tokens > 0 || reserved.money > 0 || reserved.steps > 0;
  return { limit: budget.limit, spent, ...(isReserved && { reserved }) };
}
