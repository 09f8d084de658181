/** The ids of the nodes of a plan. Workflows load this file too, so it imports no package. */

import type { NodeId } from './compiled-plan.ts';

export function nodeId(index: number): NodeId {
  return `node_${index + 1}`;
}

export function nodeIndex(id: NodeId): number {
  return Number(id.slice('node_'.length)) - 1;
}

export function isNodeId(value: unknown): value is NodeId {
  return typeof value === 'string' && /^node_[1-9]\d{0,8}$/.test(value);
}
