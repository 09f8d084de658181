/** Compiles a plan document, stores the plan and answers with the part of it that a run needs. */

import type { Capability, CapabilityRegistry } from '../capabilities/index.ts';
import { compilePlan, encodePlan, nodeSummary, renderTree } from '../plan/index.ts';
import type { CompiledPlan, Executor, PlanIssue, PlanNode } from '../plan/index.ts';
import { refOfDigest, type ResultStore } from '../results/index.ts';
import {
  executorLabel,
  MAX_RUN_NODES,
  nodeIndex,
  PLAN_TEXT_BYTES,
  type NodeExecutor,
  type PlanSource,
  type RunOptions,
  type RunSlice,
} from '../run/index.ts';
import { RunFailureError } from './failures.ts';
import { storeResolution } from './revision.ts';

export interface CompileRequest {
  readonly source: PlanSource;
  readonly limits?: RunOptions['limits'];
}

export type CompileReply =
  | { readonly ok: true; readonly slice: RunSlice }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/** Bounds of an attempt where a capability states none (milliseconds). */
const DEFAULTS = { startToCloseMs: 300_000, scheduleToCloseMs: 3_600_000, heartbeatMs: 10_000 };
const DEFAULT_RETRY = { attempts: 3, initialMs: 500, factor: 1.5 };
const OPERATOR: NodeExecutor = { label: 'operator', effect: 'read', ...DEFAULTS, retry: DEFAULT_RETRY };

export async function compileAndStore(
  request: CompileRequest,
  registry: CapabilityRegistry,
  store: ResultStore,
): Promise<CompileReply> {
  const document = 'ref' in request.source ? await store.get(request.source.ref) : request.source.document;
  const compiled = compilePlan(document, {
    catalogue: registry,
    ...(request.limits !== undefined && { limits: request.limits }),
  });
  if (!compiled.ok) return { ok: false, issues: compiled.issues.filter((issue) => issue.severity !== 'note') };
  const { plan, executors = {}, warnings } = compiled;
  const nodes = nodesOf(plan);
  if (nodes.length > MAX_RUN_NODES) return { ok: false, issues: [tooLarge(nodes.length)] };
  const ref = await store.put(encodePlan(plan));
  if (ref !== refOfDigest(plan.digest)) {
    throw new RunFailureError(
      'FATAL',
      `the store keeps plan ${plan.digest} under ${ref}; its references are no digests`,
    );
  }
  const slice = sliceOf(plan, nodes, executors, registry, warnings.length);
  const labels = slice.executors.map(({ label }) => label);
  const revisionRef = await storeResolution(store, { digest: plan.digest, labels, labelOf: slice.executorOf });
  return { ok: true, slice: { ...slice, revisionRef } };
}

function sliceOf(
  plan: CompiledPlan,
  nodes: readonly PlanNode[],
  executors: Readonly<Record<string, Executor>>,
  registry: CapabilityRegistry,
  warnings: number,
): Omit<RunSlice, 'revisionRef'> {
  const distinct: NodeExecutor[] = [];
  const indexOf = new Map<string, number>();
  const executorOf = nodes.map((node) => {
    const executor = executors[node.id];
    const label = executor === undefined ? OPERATOR.label : executorLabel(executor);
    const known = indexOf.get(label);
    if (known !== undefined) return known;
    const capability = executor === undefined ? undefined : registry.capability(executor.name);
    indexOf.set(label, distinct.length);
    return distinct.push(capability === undefined ? OPERATOR : nodeExecutor(label, capability)) - 1;
  });
  const aboveRead = executorOf.filter((index) => distinct[index]?.effect !== 'read').length;
  return {
    goal: plan.goal,
    digest: plan.digest,
    root: nodeIndex(plan.root),
    inputs: nodes.map((node) => (node.kind === 'combine' ? node.inputs : node.dependsOn).map(nodeIndex)),
    executors: distinct,
    executorOf,
    summaries: nodes.map(nodeSummary),
    counts: { tasks: plan.tasks.length, combines: plan.combines.length, aboveRead },
    text: cut(renderTree(plan), PLAN_TEXT_BYTES),
    warnings,
  };
}

function nodeExecutor(label: string, { effect, timeout, retry }: Capability): NodeExecutor {
  const attempts = effect === 'at-most-once' ? 1 : (retry.attempts ?? DEFAULT_RETRY.attempts);
  return { label, effect, ...DEFAULTS, ...timeout, retry: { ...DEFAULT_RETRY, ...retry, attempts } };
}

/** Ids are `node_1..n` in dependency order, so a node's place is its number. */
function nodesOf(plan: CompiledPlan): PlanNode[] {
  const nodes: PlanNode[] = [];
  for (const node of [...plan.tasks, ...plan.combines]) nodes[nodeIndex(node.id)] = node;
  return nodes;
}

function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= bytes) return text;
  const kept = text.slice(0, text.lastIndexOf('\n', encoded.subarray(0, bytes).toString('utf8').length - 1));
  const rest = text.slice(kept.length).split('\n').length - 1;
  return `${kept}\n... and ${rest} more lines; the whole plan is in the result store under its digest`;
}

function tooLarge(nodes: number): PlanIssue {
  return {
    code: 'too-large-to-run',
    severity: 'error',
    path: '$',
    message: `The plan has ${nodes} nodes; one run takes at most ${MAX_RUN_NODES}. Split it into several plans.`,
    expected: `at most ${MAX_RUN_NODES} nodes`,
    got: `${nodes} nodes`,
  };
}
