import { effectOf, MAX_PART_NODES, type NodeKind, type PlanShape } from '../../protocol/index.ts';
import { mayRun } from '../approval/coverage.ts';
import { freeNodes, stopsEverything } from './backoff.ts';
import { beginPart, busyIn, collectPart, hasParts, isForParts } from './parts.ts';
import { isEmpty } from './records.ts';
import { shouldReplan } from './replan.ts';
import { resourceOrder } from './resources.ts';
import { endNode } from './run.ts';
import type { Run } from './in-memory.ts';
import { isRefused, mayAfford, refusedBy, endOrAsk } from './spending/spend.ts';
import { beginTask } from './tasks.ts';
import type { PendingTask } from './state.ts';
import { releaseBlocked, startNext } from './nodes/progress.ts';

/** Starts ready nodes. @returns whether nodes ended instead, because the budget is spent */
export function startNodes(run: Run, at: string): boolean {
  const { state, execution } = run;
  if (execution === undefined || state.paused || state.parentPaused) return false;
  if (state.failure !== undefined || shouldReplan(run)) return false;
  const { planShape, progress, scheduledAt, endedAt } = execution;
  if (!isEmpty(execution.backoffs)) freeNodes(run, execution, at);
  if (run.recheckNodes) {
    run.recheckNodes = false;
    releaseBlocked(progress);
  }
  const isOvertaken = isEffectUnderWay(run);
  let agents = Object.keys(state.children).length;
  const isRoom = (node: number) => agents < MAX_AGENTS || kindOf(planShape, node) !== 'agent';
  const mayStart = (node: number) =>
    isRoom(node) &&
    at >= (execution.backoffs[node]?.until ?? '') &&
    mayRun({ digest: planShape.digest, node }, state.approval).ok &&
    !(isOvertaken && effectOf(planShape, node) !== 'read');
  const isItsTurn = execution.lanes.size === 0 ? () => true : resourceOrder(run, execution, mayStart);
  let isShort = false;
  let hasEnded = false;
  const isPaidFor = (node: number) => {
    const isEnough = mayAfford(run, node);
    isShort ||= !isEnough;
    return isEnough;
  };
  const isFree = (node: number) => mayStart(node) && isItsTurn(node) && isPaidFor(node);
  const seeds: number[] = [];
  // Nodes that start together as a part need only one free slot.
  const next = () => startNext(progress, isFree, busyIn(run) - Math.max(0, seeds.length - 1));
  const goesByParts = hasParts(run, execution);
  const startOne = (node: number) => {
    if (isRefused(run, node)) {
      endNode(run, node, refusedBy(run), at);
      hasEnded = true;
      return;
    }
    scheduledAt[node] = Date.parse(at);
    delete endedAt[node];
    if (kindOf(planShape, node) === 'agent') agents += 1;
    beginTask(run, { kind: 'node', node });
  };
  if (state.backoff === undefined || !stopsEverything(state.backoff)) {
    for (let node = next(); node !== undefined; node = seeds.length < MAX_PART_NODES ? next() : undefined) {
      if (goesByParts && isForParts(execution, node)) seeds.push(node);
      else startOne(node);
    }
    startTogether();
    if (isShort) endOrAsk(run, at);
    return hasEnded;
  }
  const probe = next() ?? (releaseBlocked(progress), next());
  if (probe !== undefined) startOne(probe);
  return hasEnded;

  function startTogether(): void {
    if (execution === undefined || seeds.length === 0) return;
    const others = busyIn(run) - seeds.length;
    const nodes = collectPart(execution, seeds, isFree);
    const [first] = nodes;
    if (nodes.length === 1 && first !== undefined) {
      startOne(first);
      return;
    }
    const slots = Math.min(progress.window - others, nodes.length);
    beginPart(run, execution, nodes, slots, at);
  }
}

/** @bound agents that run at once @beyond they wait */
const MAX_AGENTS = 6;

function kindOf({ executors, executorOf }: PlanShape, node: number): NodeKind | undefined {
  return executors[executorOf[node] ?? -1]?.kind;
}

/** Whether an effect of the plan before an edit is running. It must end before an effect of the new plan begins. */
function isEffectUnderWay({ tasks, counts }: Run): boolean {
  const isEffect = (task: PendingTask) => task.kind === 'unused' && task.effect !== 'read';
  return counts.all.unused > 0 && Object.values(tasks).some(isEffect);
}
