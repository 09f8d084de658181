/** The size of a tree, counted before anything walks it. */

import { below } from '../issues/index.ts';
import type { IssueList, Place } from '../issues/index.ts';
import type { Limits } from '../limits.ts';

/** Counts the levels and the nodes of a tree as written, before anything else walks it; false when it is too large. */
export function measureTree(root: unknown, place: Place, limits: Limits, issues: IssueList): boolean {
  const waiting: Waiting[] = [{ node: root, place, level: 1 }];
  let nodes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.level > limits.depth) {
      issues.add('error', 'too-deep', next.place, () => ({
        message: `The plan has more than ${limits.depth} levels of nodes. Make it flatter, or raise the limit.`,
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
    if (typeof next.node === 'object' && next.node !== null) pushChildren(waiting, next.node, next, limits.nodes);
  }
  return true;
}

interface Waiting {
  readonly node: unknown;
  readonly place: Place;
  readonly level: number;
}

/** Everything that stands where a node can stand counts, even if it is no node. */
function pushChildren(waiting: Waiting[], node: object, { place, level }: Waiting, most: number): void {
  const { input, left, right, inputs } = node as { readonly [key: string]: unknown };
  if (Array.isArray(inputs)) {
    const list = below(place, 'inputs');
    for (let index = Math.min(inputs.length - 1, most); index >= 0; index--) {
      waiting.push({ node: inputs[index], place: below(list, index), level: level + 1 });
    }
  }
  if (right != null) waiting.push({ node: right, place: below(place, 'right'), level: level + 1 });
  if (left != null) waiting.push({ node: left, place: below(place, 'left'), level: level + 1 });
  if (input != null) waiting.push({ node: input, place: below(place, 'input'), level: level + 1 });
}
