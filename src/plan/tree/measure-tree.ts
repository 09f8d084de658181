/** The size of a tree, counted before anything walks it. */

import { below } from '../issues/index.ts';
import { FOREIGN_KEYS } from '../foreign-keys.ts';
import { addName } from '../plan-reading.ts';
import type { Place } from '../issues/index.ts';
import type { Reading } from '../plan-reading.ts';

type Measured = Pick<Reading, 'limits' | 'issues' | 'names'>;

/** Counts the levels and the nodes of a tree as written, before anything else walks it; false when it is too large. */
export function measureTree(root: unknown, place: Place, { limits, issues, names }: Measured): boolean {
  const waiting: Waiting[] = [{ node: root, place, level: 1 }];
  let nodes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.level > limits.depth) {
      issues.add('error', 'too-deep', next.place, () => ({
        message: `The plan has more than ${limits.depth} levels of nodes. Make it flatter, or write a list of steps.`,
        expected: `at most ${limits.depth} levels`,
      }));
      return false;
    }
    if (++nodes > limits.nodes) {
      issues.add('error', 'too-many-nodes', next.place, () => ({
        message: `The plan has more than ${limits.nodes} nodes, equal ones counted each time. Divide it, or raise the limit.`,
        expected: `at most ${limits.nodes} nodes`,
      }));
      return false;
    }
    if (typeof next.node !== 'object' || next.node === null) continue;
    addName((next.node as { id?: unknown }).id, { names });
    pushChildren(waiting, next.node, next, limits.nodes);
  }
  return true;
}

interface Waiting {
  readonly node: unknown;
  readonly place: Place;
  readonly level: number;
}

/** Lists whose entries are read as nodes, the last one first. */
const LISTS: readonly string[] = [...FOREIGN_KEYS.operands, 'inputs'];

/** Everything that stands where a node can stand counts, even if it is no node. */
function pushChildren(waiting: Waiting[], node: object, { place, level }: Waiting, most: number): void {
  const written = node as { readonly [key: string]: unknown };
  const { input, left, right } = written;
  for (const key of LISTS) {
    const inputs = written[key];
    if (!Array.isArray(inputs)) continue;
    const list = below(place, key);
    for (let index = Math.min(inputs.length - 1, most); index >= 0; index--) {
      waiting.push({ node: inputs[index], place: below(list, index), level: level + 1 });
    }
  }
  if (right != null) waiting.push({ node: right, place: below(place, 'right'), level: level + 1 });
  if (left != null) waiting.push({ node: left, place: below(place, 'left'), level: level + 1 });
  if (input != null) waiting.push({ node: input, place: below(place, 'input'), level: level + 1 });
}
