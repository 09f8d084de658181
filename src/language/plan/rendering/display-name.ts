/** The display name that a node was given, as against the one that a combine has by default. */

import { factsOf } from '../operators/index.ts';
import type { PlanNode } from '../compiled-plan.ts';

/**
 * The display name that the document gave to a node; undefined when it gave none.
 *
 * @example ownDisplayName(plan.nodesById['node_3']); // undefined, where it is `Union of node_1 and node_2`
 */
export function ownDisplayName(node: PlanNode): string | undefined {
  if (node.kind === 'task') return node.displayName;
  const byDefault = factsOf(node.operator).defaultName(...node.inputs, node.colocate);
  return node.displayName === byDefault ? undefined : node.displayName;
}
