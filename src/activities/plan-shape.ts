/** Computes the plan shape of a compiled plan, which its run stores in the history. */

import type { Agent, Capability } from '../capabilities/index.ts';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { outlineLines } from '../plan/lines/index.ts';
import {
  canonicalJson,
  contextRefs,
  effectOrder,
  nodeSummary,
  nodeTitle,
  nodeWords,
  outlineOf,
  shareRoom,
  valuesOf,
  withoutContext,
} from '../plan/index.ts';
import type { CompiledPlan, Executor, JsonValue, NodeId, PlanNode } from '../plan/index.ts';
import {
  executorLabel,
  given,
  nodeIndex,
  OPERATOR_LABEL,
  PLAN_TEXT_BYTES,
  USUAL_BOUNDS,
  type NodeExecutor,
  type NodeKind,
  type PlanShape,
} from '../protocol/index.ts';
import { counted, cutBytes, cutLines, oneLine } from '../plan/text/index.ts';
import { inputsOf } from './revision.ts';

/** Heartbeat timeout of at-most-once effects in ms. It is long, since a busy worker sends no heartbeats. */
const PATIENT_HEARTBEAT_MS = 60_000;
/** Factors for the timeout of attempts, by the complexity of the plan. */
const STRETCH = { low: 0.5, medium: 1, high: 2 };
/** Maximum number of lines of the plan's text. Longer plans are folded, but effects stay visible. */
const PLAN_ROWS = 40;
const PLAN_COLUMNS = 100;
/** Maximum lengths of the text below a node's title, in characters. The first with which the plan fits is used. */
const PLAN_WORDS = [1000, 400, 100];
/** Limits for external values in a question: how many are listed, and the bytes of a name and a value. */
const CONTEXT = { shown: 5, nameBytes: 60, valueBytes: 200 };

export function planShapeOf(
  plan: CompiledPlan,
  executors: Readonly<Record<NodeId, Executor>>,
  registry: CapabilityRegistry,
  context: Readonly<Record<string, unknown>> = {},
): Omit<PlanShape, 'revisionRef'> {
  const nodes = nodesOf(plan);
  const shape = graphOfPlan(plan, executors, registry);
  return {
    goal: plan.goal,
    digest: plan.digest,
    root: nodeIndex(plan.root),
    ...shape,
    ...contextKeysOf(nodes),
    ...(plan.estimatedMinutes !== undefined && { estimatedMinutes: plan.estimatedMinutes }),
    summaries: nodes.map(nodeSummary),
    ...valuesIn(nodes, executors),
    ...contextOf(plan, context, readsOf(shape.executors, registry)),
    text: planText(plan, executors),
  };
}

export function graphOfPlan(
  plan: CompiledPlan,
  executors: Readonly<Record<NodeId, Executor>>,
  registry: CapabilityRegistry,
): Pick<PlanShape, 'inputs' | 'after' | 'executors' | 'executorOf'> {
  const nodes = nodesOf(plan);
  const stretch = STRETCH[plan.complexity ?? 'medium'];
  const distinct: NodeExecutor[] = [];
  const placeOf = new Map<string, number>();
  const executorOf = nodes.map((node) => {
    const executor = executors[node.id];
    const label = executor === undefined ? OPERATOR_LABEL : executorLabel(executor);
    const known = placeOf.get(label);
    if (known !== undefined) return known;
    const capability = executor?.kind === 'capability' ? registry.capability(executor.name) : undefined;
    const agent = executor?.kind === 'agent' ? registry.agent(executor.name) : undefined;
    placeOf.set(label, distinct.length);
    return distinct.push(nodeExecutor(label, stretch, executor, capability, agent)) - 1;
  });
  const inputs = nodes.map((node) => inputsOf(node).map(nodeIndex));
  return { inputs, ...orderOf(plan, executors), executors: distinct, executorOf };
}

/** What the tasks read from outside the plan, as lines for people: value (if known), size, reference. */
function contextOf(
  plan: CompiledPlan,
  context: Readonly<Record<string, unknown>>,
  reads: readonly string[],
): Pick<PlanShape, 'context' | 'digestWithoutContext'> {
  const refs = Object.entries(contextRefs(plan));
  if (refs.length === 0) return reads.length === 0 ? {} : { context: reads };
  const lines = refs.slice(0, CONTEXT.shown).map(([name, ref]) => {
    const named = `context ${oneLine(cutBytes(name, CONTEXT.nameBytes))}`;
    if (!Object.hasOwn(context, name)) return `${named}: an earlier result (${ref})`;
    const text = canonicalJson(context[name] as JsonValue);
    return `${named}: ${cutBytes(oneLine(text), CONTEXT.valueBytes)} (${Buffer.byteLength(text)} bytes, ${ref})`;
  });
  const more = refs.length - lines.length;
  const shown = more === 0 ? lines : [...lines, `and ${counted(more, 'more name')} of context`];
  return { context: [...shown, ...reads], digestWithoutContext: withoutContext(plan).digest };
}

/** External data that effects of the plan read when they run. Approvals do not cover these data. */
function readsOf(executors: readonly NodeExecutor[], registry: CapabilityRegistry): readonly string[] {
  const lines = new Set<string>();
  for (const { name = '', kind, effect } of executors) {
    if (effect === 'read') continue;
    const used = kind === 'agent' ? registry.agent(name)?.capabilities : [registry.capability(name)];
    const reads = [...new Set(used?.flatMap((one) => one?.reads ?? []))];
    const more = reads.length > CONTEXT.shown ? ', and more' : '';
    if (reads.length > 0)
      lines.add(`${name} reads at the time: ${oneLine(reads.slice(0, CONTEXT.shown).join(', '))}${more}`);
  }
  const shown = [...lines].slice(0, CONTEXT.shown);
  const more = lines.size - shown.length;
  return more === 0 ? shown : [...shown, `and ${counted(more, 'more executor')} read at the time`];
}

/** The limits of a task or a set operator, as its plan shape has them. */
export function boundsOf(plan: CompiledPlan, label: string, capability?: Capability): NodeExecutor {
  return nodeExecutor(label, STRETCH[plan.complexity ?? 'medium'], undefined, capability);
}

function nodeExecutor(
  label: string,
  stretch: number,
  executor?: Executor,
  capability?: Capability,
  agent?: Agent,
): NodeExecutor {
  const { name, cost, timeout = {} } = capability ?? {};
  const { effect = 'read', resource, untrusted } = executor ?? {};
  const patient = effect === 'at-most-once' ? { heartbeatMs: PATIENT_HEARTBEAT_MS } : {};
  const { startToCloseMs, heartbeatMs } = { ...USUAL_BOUNDS, ...patient, ...timeout };
  return {
    label,
    kind: kindOf(executor, capability),
    effect,
    ...(name !== undefined && { name }),
    ...(cost !== undefined && { cost }),
    ...given({ resource, untrusted }),
    ...(capability?.kind === undefined && capability?.alone === true && { alone: true as const }),
    startToCloseMs: startToCloseMs * stretch,
    heartbeatMs,
    retry: retryOf(capability),
    ...roundsOf(agent),
  };
}

/** At-most-once effects have the usual number of attempts: the further attempts only find out what happened. */
function retryOf({ retry = {}, effect = 'read' }: Partial<Capability> = {}): NodeExecutor['retry'] {
  const { attempts } = USUAL_BOUNDS.retry;
  return { ...USUAL_BOUNDS.retry, ...retry, ...(effect === 'at-most-once' && { attempts }) };
}

/** The limits of an agent's rounds. `attempts` limits consecutive replies without a step. */
function roundsOf(agent: Agent | undefined): Partial<NodeExecutor> {
  if (agent === undefined) return {};
  const { rounds, attempts } = agent.limits;
  const { name, budget, policy, capabilities } = agent;
  const reads = capabilities.filter(({ effect }) => effect === 'read');
  const stepCost = Math.max(0, ...reads.map((read) => (read.cost ?? 0) * retryOf(read).attempts));
  return {
    ...{ name, rounds, retry: { ...retryOf(), attempts } },
    ...(budget !== undefined && { budget }),
    ...(stepCost > 0 && { stepCost }),
    ...(policy !== undefined && { ownPolicy: true }),
  };
}

function kindOf(executor: Executor | undefined, capability: Capability | undefined): NodeKind {
  if (executor === undefined) return 'combine';
  if (executor.kind === 'agent') return 'agent';
  return capability?.kind === 'wait' ? 'wait' : 'task';
}

function nodesOf(plan: CompiledPlan): PlanNode[] {
  const nodes: PlanNode[] = [];
  for (const node of [...plan.tasks, ...plan.combines]) nodes[nodeIndex(node.id)] = node;
  return nodes;
}

function orderOf(plan: CompiledPlan, executors: Readonly<Record<NodeId, Executor>>): Pick<PlanShape, 'after'> {
  const order = Object.entries(effectOrder(plan, (node) => executors[node.id]?.effect ?? 'read'));
  if (order.length === 0) return {};
  return { after: Object.fromEntries(order.map(([id, before]) => [nodeIndex(id), before.map(nodeIndex)])) };
}

function contextKeysOf(nodes: readonly PlanNode[]): Pick<PlanShape, 'contextKeys'> {
  const keys = nodes.map((node) => (node.kind === 'task' ? node.contextKey : undefined));
  return keys.every((key) => key !== undefined) ? { contextKeys: keys } : {};
}

/** The input values of nodes with an effect, which each question about such a node shows. */
function valuesIn(nodes: readonly PlanNode[], executors: Readonly<Record<NodeId, Executor>>): Partial<PlanShape> {
  const isEffect = ({ id }: PlanNode) => (executors[id]?.effect ?? 'read') !== 'read';
  const shown = shareRoom(nodes.map((node) => (isEffect(node) ? valuesOf(node) : [])));
  const values = Object.fromEntries(shown.flatMap((one, at) => (one.values.length > 0 ? [[at, one.values]] : [])));
  const valuesLeft = Object.fromEntries(shown.flatMap(({ left }, at) => (left > 0 ? [[at, left]] : [])));
  const has = (record: object) => Object.keys(record).length > 0;
  return { ...(has(values) && { values }), ...(has(valuesLeft) && { valuesLeft }) };
}

function planText(plan: CompiledPlan, executors: Readonly<Record<NodeId, Executor>>): string {
  const label = (node: PlanNode) => {
    const executor = executors[node.id];
    return executor === undefined ? [] : [`[${executorLabel(executor)}]`];
  };
  const wordsOf = (id: NodeId) => {
    const node = plan.nodesById[id]!;
    return [...label(node), nodeWords(node, plan, nodeTitle(node))].filter((one) => one !== '').join(' ');
  };
  const options = { width: PLAN_COLUMNS, most: PLAN_ROWS };
  const outline = outlineOf(plan, { executors, words: 'none' });
  for (const words of PLAN_WORDS) {
    const text = outlineLines(outline, { ...options, words, wordsOf }).join('\n');
    if (Buffer.byteLength(text) <= PLAN_TEXT_BYTES) return text;
  }
  const bare = outlineLines(outline, options).join('\n');
  return cutLines(bare, { bytes: PLAN_TEXT_BYTES, lineBytes: PLAN_TEXT_BYTES, rest });
}

function rest(lines: number): string {
  return `... and ${lines} more lines; the whole plan is in the result store under its digest`;
}
