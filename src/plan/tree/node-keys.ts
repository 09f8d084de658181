/** The keys that a node of the tree format can have, with all of their aliases. */

import { quote } from '../text/index.ts';
import { COLOCATE_FIELDS } from '../colocate/index.ts';
import { readForeignKeys, type ForeignKeys } from '../foreign-keys.ts';
import { didYouMean } from '../issues/index.ts';
import type { PlanNode } from '../compiled-plan.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

/** The types that a node of each kind can give. */
export const NODE_TYPES = {
  task: ['task', 'step', 'subtask'],
  combine: ['combine', 'op', 'operator'],
} as const satisfies Record<PlanNode['kind'], readonly string[]>;

export const TYPE_KEYS = ['type', 'kind'] as const;
export const TASK_KEYS = ['task', 'text'] as const;
export const HINT_KEYS = ['hint', 'instructions'] as const;
export const CONTEXT_KEYS = ['context', 'parameters', 'params'] as const;
export const OPERATOR_KEYS = ['operator', 'op'] as const;
export const OPERAND_KEYS = ['left', 'right', 'inputs'] as const;
export const DISPLAY_NAME_KEYS = ['display_name', 'displayName'] as const;

type KeyOwner = 'any' | 'task' | 'combine';

/** Every key that a node of the tree format can have, and which kind of node it belongs to. */
export const NODE_KEYS: ReadonlyMap<string, KeyOwner> = new Map([
  ...belongingTo('any', 'id', ...TYPE_KEYS, ...DISPLAY_NAME_KEYS),
  ...belongingTo('task', ...TASK_KEYS, ...HINT_KEYS, ...CONTEXT_KEYS, 'capability', 'arguments', 'agent', 'input'),
  ...belongingTo('combine', ...OPERATOR_KEYS, ...OPERAND_KEYS, 'colocate', ...COLOCATE_FIELDS),
]);

/** The node in keys of ours, and its keys that are not read. A null under the other kind's key loses nothing. */
export function readNodeKeys(
  { node, place }: NodeSource,
  kind: 'task' | 'combine' | undefined,
  reading: Reading,
): ForeignKeys {
  const keys = Object.keys(node).filter((key) => {
    const owner = NODE_KEYS.get(key);
    return owner === undefined || (owner !== 'any' && owner !== kind && node[key] != null);
  });
  // A node of no kind is refused anyway.
  if (kind === undefined || keys.length === 0) return { source: { node, place } };
  return readForeignKeys({ node, place }, kind, keys, reading, {
    ownId: node['id'],
    unread: (key) => {
      const owner = NODE_KEYS.get(key);
      return owner === undefined
        ? `A node has no key ${quote(key)}; it is not read.${didYouMean(key, NODE_KEYS.keys())} If the task needs it, put it into "context".`
        : `"${key}" belongs to a ${owner}, and this node is a ${kind}; it is not read. Remove it, or change the type of the node.`;
    },
  });
}

function belongingTo(owner: KeyOwner, ...keys: string[]): (readonly [string, KeyOwner])[] {
  return keys.map((key) => [key, owner] as const);
}
