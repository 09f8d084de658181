import type { NodeId, Operator, PlanNode } from '../compiled-plan.ts';

/** The display name of a combine that was given none, such as `Union of node_1 and node_2`. */
export function defaultDisplayName(operator: Operator, left: NodeId, right: NodeId): string {
  switch (operator) {
    case 'UNION':
      return `Union of ${left} and ${right}`;
    case 'INTERSECT':
      return `Intersection of ${left} and ${right}`;
    case 'MINUS':
      return `${left} without ${right}`;
    case 'RMINUS':
      return `${right} without ${left}`;
    case 'COLOCATE':
      return `Colocation of ${left} and ${right}`;
  }
}

/** The display name that the document gave to a node; undefined when it gave none. */
export function ownDisplayName(node: PlanNode): string | undefined {
  if (node.kind === 'task' || node.displayName !== defaultDisplayName(node.operator, ...node.inputs))
    return node.displayName;
  return undefined;
}
