/** The only place that starts nodes, with a starter for each kind. A node starts only if `mayRun` allows it. */

import {
  ActivityCancellationType,
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  uuid4,
  WorkflowIdReusePolicy,
  type ActivityFunctionWithOptions,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  AGENT_WORKFLOW,
  activityIdOf,
  agentsIdOf,
  given,
  isDeferral,
  nodeId,
  RESOURCE_WAIT_MS,
  type Activities,
  type AgentInput,
  type ApprovalPolicy,
  type NodeExecutor,
  type NodeKind,
  type NodeRequest,
  rangesOf,
  type PartRequest,
  type RunSlice,
} from '../protocol/index.ts';
import { allowanceOfWork, inputRefs, isForParts, mayRun, agentBudget, type ReadonlyRun } from './run/index.ts';
import { isCancelledByServer } from './failures.ts';
import { now, type Mailbox } from './mailbox.ts';
import { MAX_ATTEMPTS, activities, TO_ANY_WORKER } from './call-activity.ts';

import { counted, cutBytes } from '../plan/text/index.ts';

type Starter = (start: NodeStart) => Promise<unknown>;

interface NodeStart {
  readonly run: ReadonlyRun;
  readonly work: number;
  readonly request: NodeRequest;
  readonly executor: NodeExecutor;
  /** The attempts before it was scheduled again. */
  readonly before: number;
  readonly isAgain: boolean;
  readonly activityId: string;
  readonly summary: string;
  /** Receives what the run learns meanwhile. */
  readonly mailbox: Mailbox;
}

/** A cancelled run waits for an effect under way, so that its outcome is known. */
const WAITED_FOR = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

/**
 * A part ends by itself after a minute unless its worker is stuck. The next attempt joins it, or returns the nodes that
 * have not ended.
 */
const { runPart } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '3 seconds',
  ...WAITED_FOR,
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 1.5,
    maximumInterval: '10 seconds',
    maximumAttempts: MAX_ATTEMPTS,
  },
});

/** Each executor has its own timeout; the SDK requires one here too. */
const { runTask, makeQuestion, combine } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  ...WAITED_FOR,
});

const STARTERS = {
  task: (start) => startActivity(runTask, start),
  // The activity ends with the question; only its node waits for the answer.
  wait: (start) => startActivity(makeQuestion, { ...start, summary: `Make the question: ${start.summary}` }),
  combine: (start) => startActivity(combine, start),
  agent: startAgent,
} as const satisfies Record<NodeKind, Starter>;

/**
 * Resolves with the return value of the node's activity, unchecked.
 * @param work the id of the work: the worker names it when it asks the run whether an effect may begin or a model may
 * be called
 */
export function startNode(run: ReadonlyRun, node: number, work: number, mailbox: Mailbox): Promise<unknown> {
  const { execution } = run;
  const { approval, chain } = run.state;
  const executor = execution?.slice.executors[execution.slice.executorOf[node] ?? -1];
  if (execution === undefined || executor === undefined) return refuse(`there is no node ${nodeId(node)} to start`);
  const { slice, progress, retries } = execution;
  const permission = mayRun({ digest: slice.digest, node }, approval);
  if (!permission.ok) return refuse(permission.reason);
  const retry = retries[node] ?? 0;
  const request: NodeRequest = {
    chain,
    revision: slice.revisionRef,
    nodeId: nodeId(node),
    inputs: inputRefs(progress, node),
    ...(retry > 0 && { retry }),
    ...given({ cost: executor.cost, state: slice.previews?.[node]?.state, report: execution.reports[node] }),
    ...((execution.individual[node] ?? execution.mayHaveBegun[node]) !== undefined && { again: true }),
    work,
    ...allowanceOfWork(run, work),
  };
  const activityId = activityIdOf(approval.revision, request.nodeId);
  const summary = slice.summaries[node] ?? '';
  const before = execution.attempts[node] ?? 0;
  const isAgain = (execution.backoffs[node] ?? run.state.backoff) !== undefined;
  return STARTERS[executor.kind]({ run, work, request, executor, before, isAgain, activityId, summary, mailbox });
}

/** Resolves with the reply of a part's activity, unchecked. */
export function startPart(run: ReadonlyRun, name: string, mailbox: Mailbox): Promise<unknown> {
  const { execution, parts, state } = run;
  const part = parts.get(name);
  if (execution === undefined || part === undefined) return refuse(`there is no part ${name} to start`);
  const { slice } = execution;
  for (const node of part.nodes) {
    const permission = mayRun({ digest: slice.digest, node }, state.approval);
    if (!permission.ok) return refuse(permission.reason);
    if (!isForParts(execution, node)) return refuse(`${nodeId(node)} is carried out in no part`);
  }
  const key = uuid4();
  mailbox.add({ is: 'part-begun', part: name, key, at: now() });
  const activityId = activityIdOf(state.approval.revision, name);
  const request = { chain: state.chain, ...partRequest(execution, part, key) };
  return runPart.executeWithOptions({ activityId, summary: summaryOf(part.nodes, slice) }, [request]);
}

function startActivity(
  activity: ActivityFunctionWithOptions<Activities['runTask']>,
  start: NodeStart,
): Promise<unknown> {
  const { request, executor, before, isAgain, activityId, summary } = start;
  const options = { activityId, summary, ...boundsOf(executor, before), ...(isAgain && TO_ANY_WORKER) };
  const ended = activity.executeWithOptions(options, [request]);
  if (executor.effect !== 'at-most-once') return ended;
  return ended.catch(async (error: unknown) => {
    // The next attempt, in the next history, finds out.
    if (!isCancelledByServer(error) || start.run.tasks[start.work]?.isDrained === true) throw error;
    // The server cancelled it between two attempts or before the first. Only the store knows whether one has begun.
    const came = await CancellationScope.nonCancellable(() =>
      activity.executeWithOptions(options, [{ ...request, isOver: true }]),
    );
    // If nobody could find out, the run records that.
    if (isDeferral(came) && came.mayHaveBegun !== true) throw error;
    return came;
  });
}

/** Starts a child run, which may outlive this one: an effect under way there is never cut off. */
async function startAgent({ run, work, request, executor, activityId, summary, mailbox }: NodeStart): Promise<unknown> {
  const { revision, nodeId: node, inputs, retry = 0 } = request;
  const { options, start, editors, editTokens, chain } = run.state;
  const agents = agentsIdOf({ workflowId: run.workflowId, chain });
  const workflowId = `${agents}.${activityId}${retry > 0 ? `.${retry}` : ''}`;
  const key = uuid4();
  const rounds = executor.rounds ?? options.maxRounds;
  const { budget: _, ...withoutBudget } = options;
  const input: AgentInput = {
    chain,
    task: { agent: executor.label, revision, nodeId: node, inputs },
    goal: run.execution?.slice.goal ?? '',
    options: {
      ...withoutBudget,
      mode: 'reactive',
      maxRounds: rounds,
      approval: withinAgent(options.approval),
      ...given({ budget: agentBudget(run, work, executor.budget) }),
    },
    attempts: executor.retry.attempts,
    key,
    editors,
    editTokens,
    ...given({ start: start?.signed }),
  };
  mailbox.add({ is: 'child', workflowId, work, key, at: now() });
  const child = await startChild(AGENT_WORKFLOW, {
    workflowId,
    args: [input],
    staticSummary: summary,
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
  }).catch((error: unknown) => {
    // It was started before a reset of this run.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  });
  if (child === undefined) {
    const look = `Look at the agent's run ${workflowId}`;
    const {
      agents: [found],
    } = await activities.lookAtAgents({ chain, agents: [{ workflowId }] }, look);
    const { key: known = '', first = '' } = found ?? {};
    mailbox.add({ is: 'child', workflowId, work, key: known, at: now() });
    mailbox.add({ is: 'child-there', workflowId, first, isHere: false, at: now() });
    return NO_END;
  }
  mailbox.add({ is: 'child-there', workflowId, first: child.firstExecutionRunId, isHere: true, at: now() });
  return child.result();
}

/** The end of this work arrives in another way. */
export const NO_END = Symbol('no end');

/** The approval of the node covers thinking and reading; every step above read asks, also by the run's own rules. */
function withinAgent(approval: ApprovalPolicy): ApprovalPolicy {
  if (typeof approval === 'string') return 'effects';
  const { rules } = approval;
  const hasIt = rules.some((rule) => rule.effect === 'idempotent' && Object.keys(rule).length === 1);
  return hasIt ? approval : { rules: [...rules, { effect: 'idempotent' }] };
}

/** @param before the attempts before it was scheduled again */
function boundsOf(executor: NodeExecutor, before: number) {
  const { attempts, initialMs, factor } = executor.retry;
  return {
    startToCloseTimeout: executor.startToCloseMs + (executor.resource === undefined ? 0 : RESOURCE_WAIT_MS),
    heartbeatTimeout: executor.heartbeatMs,
    retry: {
      initialInterval: initialMs,
      backoffCoefficient: factor,
      maximumAttempts: Math.max(1, attempts - before),
    },
  };
}

/** Only a bug orders the start of a node that may not start, so this fails the workflow task. */
function refuse(reason: string): Promise<never> {
  return Promise.reject(new Error(reason));
}

type Execution = NonNullable<ReadonlyRun['execution']>;
type Part = ReadonlyRun['parts'] extends ReadonlyMap<string, infer One> ? One : never;

export function partRequest(execution: Execution, part: Part, key: string): Omit<PartRequest, 'chain'> {
  const { slice, progress } = execution;
  const { nodes, again, first, slots } = part;
  const inside = new Set(nodes);
  const outside = [...new Set(nodes.flatMap((node) => slice.inputs[node] ?? []))]
    .filter((input) => !inside.has(input))
    .toSorted((a, b) => a - b);
  // A node that may run in parts can wait: its part begins when there is room.
  const isAwaited = (node: number) =>
    progress.dependents[node]?.some((one) => !inside.has(one) && !isForParts(execution, one)) === true;
  return {
    revision: slice.revisionRef,
    nodes: rangesOf(nodes),
    from: rangesOf(outside),
    refs: outside.map((input) => refOf(progress, input)).join(''),
    ...(again.length > 0 && { again: rangesOf(again) }),
    slots,
    work: first,
    key,
    awaited: rangesOf(nodes.filter(isAwaited)),
  };
}

function refOf({ handles }: Execution['progress'], input: number): string {
  const handle = handles[input];
  if (handle === undefined) throw new RangeError(`a part takes the result of ${nodeId(input)}, which has none`);
  return handle.ref;
}

const SUMMARY_BYTES = 80;

/** @example '1,023 nodes: 512 searchGenes, 511 set operators' */
export function summaryOf(nodes: readonly number[], { executors, executorOf }: RunSlice): string {
  const byName = new Map<string, number>();
  for (const node of nodes) {
    const name = executors[executorOf[node] ?? -1]?.name ?? 'set operators';
    byName.set(name, (byName.get(name) ?? 0) + 1);
  }
  const named = [...byName].toSorted(([, a], [, b]) => b - a).map(([name, times]) => `${times} ${name}`);
  return cutBytes(`${counted(nodes.length, 'node')}: ${named.join(', ')}`, SUMMARY_BYTES);
}
