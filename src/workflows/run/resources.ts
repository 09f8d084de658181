/** Lets one node at a time write to a resource. The next is the node with the smallest id that may start. */

import type { Lanes, Execution, Run } from './in-memory.ts';
import { nodeId, resourceOf, type PlanShape } from '../../protocol/index.ts';

export function lanesOf(planShape: PlanShape): Lanes {
  const lanes = new Map<string, number[]>();
  if (planShape.executors.every(({ resource }) => resource === undefined)) return lanes;
  planShape.executorOf.forEach((_, node) => {
    const resource = resourceOf(planShape, node);
    if (resource === undefined) return;
    const lane = lanes.get(resource);
    if (lane === undefined) lanes.set(resource, [node]);
    else lane.push(node);
  });
  return lanes;
}

/** Whether a node may use its resource now. Stays valid while nodes start in one turn, since none ends then. */
export function resourceOrder(
  run: Run,
  { planShape, progress, lanes }: Execution,
  mayStart: (node: number) => boolean,
): (node: number) => boolean {
  /** The next node for each resource; -1 if the resource is in use. */
  const next = new Map<string, number>();
  const nextAt = (resource: string): number => {
    if (writerOf(run, resource) !== undefined) return -1;
    const isNext = (node: number) =>
      progress.status[node] === 'pending' && (progress.need[node] as number) <= 0 && mayStart(node);
    return lanes.get(resource)?.find(isNext) ?? -1;
  };
  return (node) => {
    const resource = resourceOf(planShape, node);
    if (resource === undefined) return true;
    const nextNode = next.get(resource) ?? nextAt(resource);
    next.set(resource, nextNode);
    return nextNode === node;
  };
}

export function waitsAt(run: Run, node: number): string | undefined {
  const { planShape, progress } = run.execution ?? {};
  if (progress?.status[node] !== 'pending' || (progress.need[node] as number) > 0) return undefined;
  const resource = resourceOf(planShape, node);
  const writer = resource === undefined ? undefined : writerOf(run, resource);
  return writer === undefined ? undefined : `waits for ${resource}, which ${nodeId(writer)} writes`;
}

function writerOf({ execution }: Run, resource: string): number | undefined {
  return execution?.lanes.get(resource)?.find((node) => execution.progress.status[node] === 'running');
}
