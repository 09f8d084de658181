/** Starts nodes; no other code does. Each kind of node has a starter, and nodes start only if `mayRun` allows it. */

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
  nodeIndex,
  UNTRUSTED_RESULT,
  RESOURCE_WAIT_MS,
  type Activities,
  type AgentInput,
  type ApprovalPolicy,
  type NodeExecutor,
  type NodeKind,
  type NodeRequest,
  rangesOf,
  type PartRequest,
  type PlanShape,
} from '../protocol/index.ts';
import { allowanceOfTask, inputRefs, isForParts, mayRun, agentBudget, type ReadonlyRun } from './run/index.ts';
import { isCancelledByServer } from './failures.ts';
import { now, type Mailbox } from './mailbox.ts';
import { MAX_ATTEMPTS, activities, TO_ANY_WORKER } from './call-activity.ts';

import { counted, cutBytes } from '../plan/text/index.ts';

type Starter = (start: NodeStart) => Promise<unknown>;

interface NodeStart {
  readonly run: ReadonlyRun;
  readonly taskId: number;
  readonly request: NodeRequest;
  readonly executor: NodeExecutor;
  readonly before: number;
  readonly isAgain: boolean;
  readonly activityId: string;
  readonly summary: string;
  readonly mailbox: Mailbox;
}

/** If such an activity is cancelled, the run waits for its end to learn the effect's outcome. */
const WAITED_FOR = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

/**
 * A part is one activity that executes many nodes, within a minute unless its worker hangs. The next attempt joins the
 * running part, or returns the unfinished nodes.
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

/** The SDK requires a timeout here. Each executor has its own, which replaces this one. */
const { runTask, makeQuestion, combine } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  ...WAITED_FOR,
});

const STARTERS = {
  task: (start) => startActivity(runTask, start),
  // The activity ends when the question is made. The node then waits for the answer.
  wait: (start) => startActivity(makeQuestion, { ...start, summary: `Make the question: ${start.summary}` }),
  combine: (start) => startActivity(combine, start),
  agent: startAgent,
} as const satisfies Record<NodeKind, Starter>;

/**
 * Starts a node. Resolves with the unchecked return value of its activity.
 * @param taskId the task id, by which a worker asks the run whether an effect or a model call may begin
 */
export function startNode(run: ReadonlyRun, node: number, taskId: number, mailbox: Mailbox): Promise<unknown> {
  const { execution } = run;
  const { approval, firstRunId } = run.state;
  const executor = execution?.planShape.executors[execution.planShape.executorOf[node] ?? -1];
  if (execution === undefined || executor === undefined) return refuse(`there is no node ${nodeId(node)} to start`);
  const { planShape, progress, retries } = execution;
  const permission = mayRun({ digest: planShape.digest, node }, approval);
  if (!permission.ok) return refuse(permission.reason);
  const retry = retries[node] ?? 0;
  const request: NodeRequest = {
    firstRunId,
    revision: planShape.revisionRef,
    nodeId: nodeId(node),
    inputs: inputRefs(progress, node),
    ...(retry > 0 && { retry }),
    ...given({ cost: executor.cost, state: planShape.previews?.[node]?.state, report: execution.reports[node] }),
    ...((execution.individual[node] ?? execution.mayHaveBegun[node]) !== undefined && { again: true }),
    work: taskId,
    ...allowanceOfTask(run, taskId),
  };
  const activityId = activityIdOf(approval.revision, request.nodeId);
  const summary = planShape.summaries[node] ?? '';
  const before = execution.attempts[node] ?? 0;
  const isAgain = (execution.backoffs[node] ?? run.state.backoff) !== undefined;
  return STARTERS[executor.kind]({ run, taskId, request, executor, before, isAgain, activityId, summary, mailbox });
}

export function startPart(run: ReadonlyRun, name: string, mailbox: Mailbox): Promise<unknown> {
  const { execution, parts, state } = run;
  const part = parts.get(name);
  if (execution === undefined || part === undefined) return refuse(`there is no part ${name} to start`);
  const { planShape } = execution;
  for (const node of part.nodes) {
    const permission = mayRun({ digest: planShape.digest, node }, state.approval);
    if (!permission.ok) return refuse(permission.reason);
    if (!isForParts(execution, node)) return refuse(`${nodeId(node)} is carried out in no part`);
  }
  const key = uuid4();
  mailbox.add({ is: 'part-begun', part: name, key, at: now() });
  const activityId = activityIdOf(state.approval.revision, name);
  const request = { firstRunId: state.firstRunId, ...partRequest(execution, part, key) };
  return runPart.executeWithOptions({ activityId, summary: summaryOf(part.nodes, planShape) }, [request]);
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
    // The task was stopped for a new history. Its next attempt finds out whether the effect has begun.
    if (!isCancelledByServer(error) || start.run.tasks[start.taskId]?.isDrained === true) throw error;
    // The server cancelled the activity before any worker reported. Only the store knows whether the effect has begun.
    const came = await CancellationScope.nonCancellable(() =>
      activity.executeWithOptions(options, [{ ...request, isOver: true }]),
    );
    // If the store cannot answer, the deferral says that the effect may have begun, and the run records this.
    if (isDeferral(came) && came.mayHaveBegun !== true) throw error;
    return came;
  });
}

/** Starts a child run for an agent. The child may outlive this run, so that a running effect is never interrupted. */
async function startAgent({
  run,
  taskId,
  request,
  executor,
  activityId,
  summary,
  mailbox,
}: NodeStart): Promise<unknown> {
  const { revision, nodeId: node, inputs, retry = 0 } = request;
  const { options, start, editors, editTokens, firstRunId } = run.state;
  const agents = agentsIdOf({ workflowId: run.workflowId, firstRunId });
  const workflowId = `${agents}.${activityId}${retry > 0 ? `.${retry}` : ''}`;
  const key = uuid4();
  const rounds = executor.rounds ?? options.maxRounds;
  const { budget: _, ...withoutBudget } = options;
  const input: AgentInput = {
    firstRunId,
    task: { agent: executor.label, revision, nodeId: node, inputs },
    goal: run.execution?.planShape.goal ?? '',
    options: {
      ...withoutBudget,
      mode: 'reactive',
      maxRounds: rounds,
      approval: withinAgent(options.approval),
      ...given({ budget: agentBudget(run, taskId, executor.budget) }),
    },
    attempts: executor.retry.attempts,
    key,
    editors,
    editTokens,
    ...given({ start: start?.signed, untrusted: untrustedFor(run, nodeIndex(node)) }),
  };
  mailbox.add({ is: 'child', workflowId, taskId, key, at: now() });
  const child = await startChild(AGENT_WORKFLOW, {
    workflowId,
    args: [input],
    staticSummary: summary,
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
  }).catch((error: unknown) => {
    // The child run exists already: it was started before a reset of this run.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  });
  if (child === undefined) {
    const look = `Look at the agent's run ${workflowId}`;
    const {
      agents: [found],
    } = await activities.lookAtAgents({ firstRunId, agents: [{ workflowId }] }, look);
    const { key: foundKey = '', first = '' } = found ?? {};
    mailbox.add({ is: 'child', workflowId, taskId, key: foundKey, at: now() });
    mailbox.add({ is: 'child-there', workflowId, first, isHere: false, at: now() });
    return NO_END;
  }
  mailbox.add({ is: 'child-there', workflowId, first: child.firstExecutionRunId, isHere: true, at: now() });
  return child.result();
}

/** Returned by a starter if the task's end is reported in another way, for example by a signal of a child run. */
export const NO_END = Symbol('no end');

/** The untrusted sources that an agent reads. Its steps are then written by a model that has read them. */
function untrustedFor({ execution }: ReadonlyRun, node: number): string | undefined {
  const { untrusted = {}, written } = execution?.planShape ?? {};
  return untrusted[node] === undefined ? undefined : (written ?? `the task of ${nodeId(node)} (${UNTRUSTED_RESULT})`);
}

/** An approval of an agent's node covers no effects. Each effect in the agent's run needs its own approval. */
function withinAgent(approval: ApprovalPolicy): ApprovalPolicy {
  if (typeof approval === 'string') return 'effects';
  const { rules } = approval;
  const hasIt = rules.some((rule) => rule.effect === 'idempotent' && Object.keys(rule).length === 1);
  return hasIt ? approval : { rules: [...rules, { effect: 'idempotent' }] };
}

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

/** Fails the workflow task, since only a bug can start a node that may not start. */
function refuse(reason: string): Promise<never> {
  return Promise.reject(new Error(reason));
}

type Execution = NonNullable<ReadonlyRun['execution']>;
type Part = ReadonlyRun['parts'] extends ReadonlyMap<string, infer One> ? One : never;

export function partRequest(execution: Execution, part: Part, key: string): Omit<PartRequest, 'firstRunId'> {
  const { planShape, progress } = execution;
  const { nodes, again, first, slots } = part;
  const inside = new Set(nodes);
  const outside = [...new Set(nodes.flatMap((node) => planShape.inputs[node] ?? []))]
    .filter((input) => !inside.has(input))
    .toSorted((a, b) => a - b);
  // Whether a node outside all parts waits for this node. Nodes inside wait for the end of their part anyway.
  const isAwaited = (node: number) =>
    progress.dependents[node]?.some((one) => !inside.has(one) && !isForParts(execution, one)) === true;
  return {
    revision: planShape.revisionRef,
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

/** Text that summarises a part. @example '1,023 nodes: 512 searchGenes, 511 set operators' */
export function summaryOf(nodes: readonly number[], { executors, executorOf }: PlanShape): string {
  const byName = new Map<string, number>();
  for (const node of nodes) {
    const name = executors[executorOf[node] ?? -1]?.name ?? 'set operators';
    byName.set(name, (byName.get(name) ?? 0) + 1);
  }
  const named = [...byName].toSorted(([, a], [, b]) => b - a).map(([name, times]) => `${times} ${name}`);
  return cutBytes(`${counted(nodes.length, 'node')}: ${named.join(', ')}`, SUMMARY_BYTES);
}
