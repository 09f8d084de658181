/** A part is one activity that executes many reads and set operators. Each node still has its own task. */

import type { Part, Execution, Run } from './in-memory.ts';
import type { NodeSet } from '../approval/state.ts';
import type { PendingTask } from './state.ts';
import { MAX_PART_INPUTS, MAX_PART_NODES, type NodeExecutor, type PlanShape } from '../../protocol/index.ts';
import { mayRun } from '../approval/coverage.ts';
import { createReadyQueue, popReady, pushReady } from './nodes/ready-queue.ts';
import { putBack, setStatus } from './nodes/progress.ts';
import { shouldReplan } from './replan.ts';
import { countsSteps } from './spending/spend.ts';
import { beginTask, cancelPart } from './tasks.ts';

/**
 * In smaller plans each node has an activity, so that Temporal's Web UI shows it by name.
 * @bound nodes of a plan that have an activity each, in lane `auto` @beyond its reads and set operators run in parts
 */
const VISIBLE_NODES = 1000;

/** Whether this plan runs in parts. If the budget limits steps it does not, since each step must be reserved. */
export function hasParts(run: Run, { planShape }: Execution): boolean {
  const { options, loop } = run.state;
  const { lane = 'auto' } = options;
  if (loop !== undefined || lane === 'visible' || countsSteps(run)) return false;
  return lane === 'parts' || planShape.inputs.length > VISIBLE_NODES;
}

interface NodeLookup {
  readonly planShape: Pick<PlanShape, 'inputs' | 'executors' | 'executorOf'>;
  readonly individual: NodeSet;
  readonly backoffs: Readonly<Record<number, unknown>>;
  readonly retries: Readonly<Record<number, number>>;
}

/** Whether a node may run in a part: it is a plain read that was not deferred, repeated, or returned by a part. */
export function isForParts({ planShape, individual, backoffs, retries }: NodeLookup, node: number): boolean {
  const executor = planShape.executors[planShape.executorOf[node] ?? -1];
  if (executor === undefined || !isBatchable(executor)) return false;
  const isFresh = !(node in individual || node in backoffs || node in retries);
  return isFresh && (planShape.inputs[node] ?? []).length <= MAX_PART_INPUTS;
}

export function excludeFromParts({ execution }: Run, labels: readonly string[]): void {
  if (execution === undefined) return;
  const { planShape, progress, individual } = execution;
  planShape.executorOf.forEach((executor, node) => {
    const isOpen = progress.status[node] === 'pending' || progress.status[node] === 'running';
    if (isOpen && labels.includes(planShape.executors[executor]?.label ?? '')) individual[node] = true;
  });
}

function isBatchable({ kind, effect, resource, cost, alone }: NodeExecutor): boolean {
  const isRead = (kind === 'task' || kind === 'combine') && effect === 'read' && resource === undefined;
  // A node with a cost runs outside parts, since its attempts compare the cost with the approved one.
  return isRead && (cost ?? 0) === 0 && alone !== true;
}

/** The number of nodes that run now. Nodes that wait inside a part do not count. */
export function busyIn({ parts, execution }: Run): number {
  let busy = execution?.progress.counts.running ?? 0;
  for (const { slots, open, unused } of parts.values()) busy -= Math.max(0, open - unused - slots);
  return busy;
}

/**
 * Selects the nodes of a part: the ready `seeds`, and nodes that become ready after them. The longest remaining path
 * goes first. Seeds that do not fit become ready again.
 * @param mayStart checks the other conditions for the start of a node
 */
export function collectPart(
  execution: Execution,
  seeds: readonly number[],
  mayStart: (node: number) => boolean,
): readonly number[] {
  const { progress } = execution;
  const { dependents, need, status, inputs, ready } = progress;
  const queue = createReadyQueue(ready.rank);
  for (const seed of seeds) pushReady(queue, seed);
  const part = new Set<number>();
  const outside = new Set<number>();
  const missing = new Map<number, number>();
  for (let node = popReady(queue); node !== undefined; node = popReady(queue)) {
    const more = (inputs[node] ?? []).filter((input) => !part.has(input) && !outside.has(input));
    const isRoom = part.size < MAX_PART_NODES && outside.size + more.length <= MAX_PART_INPUTS;
    if (!isRoom && status[node] === 'running') putBack(progress, node);
    if (!isRoom) continue;
    part.add(node);
    for (const input of more) outside.add(input);
    for (const one of dependents[node] ?? []) {
      const rest = (missing.get(one) ?? need[one] ?? 0) - 1;
      missing.set(one, rest);
      const isFit = rest === 0 && status[one] === 'pending' && isForParts(execution, one);
      if (isFit && mayStart(one)) pushReady(queue, one);
    }
  }
  return [...part].toSorted((a, b) => a - b);
}

export function beginPart(run: Run, execution: Execution, nodes: readonly number[], slots: number, at: string): void {
  const { parts, state } = run;
  const { progress, scheduledAt, endedAt } = execution;
  const first = run.lastTaskId + 1;
  const again = nodes.filter((node) => scheduledAt[node] !== undefined);
  const name = `part_${first}`;
  for (const node of nodes) {
    if (progress.status[node] === 'pending') setStatus(progress, node, 'running');
    scheduledAt[node] = Date.parse(at);
    delete endedAt[node];
    if (!beginTask(run, { kind: 'node', node, part: name })) return;
  }
  parts.set(name, { nodes, again, first, slots, open: nodes.length, unused: 0, approval: state.approval });
}

export function leavePart({ parts }: Run, { kind, part: name = '' }: Extract<PendingTask, { part?: string }>): void {
  const part = parts.get(name);
  if (part === undefined) return;
  part.open -= 1;
  if (kind === 'unused') part.unused -= 1;
  if (part.open === 0) parts.delete(name);
}

/** Stops a part if one of its nodes may no longer start. Nodes that have not begun become ready again. */
export function cancelParts(run: Run): void {
  const { state, parts } = run;
  const { paused, parentPaused, failure, cancelled, approval } = state;
  const isOver = cancelled || failure !== undefined || approval.phase === 'closed';
  const isStill = paused || parentPaused || isOver || shouldReplan(run);
  for (const [name, part] of parts) {
    if (part.isCancelled !== true && (isStill || !mayContinue(run, part))) cancelPart(run, name);
  }
}

function mayContinue({ tasks, execution, state: { approval } }: Run, part: Part): boolean {
  if (part.approval === approval) return true;
  for (let id = part.first; id < part.first + part.nodes.length; id += 1) {
    const task = tasks[id];
    if (task?.kind !== 'node') continue;
    if (execution === undefined || !mayRun({ digest: execution.planShape.digest, node: task.node }, approval).ok)
      return false;
  }
  part.approval = approval;
  return true;
}

export function partsOf({ tasks }: Run): ReadonlyMap<number, string> {
  const parts = new Map<number, string>();
  for (const task of Object.values(tasks))
    if (task.kind === 'node' && task.part !== undefined) parts.set(task.node, task.part);
  return parts;
}
