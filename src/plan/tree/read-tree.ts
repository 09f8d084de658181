/** Reading a document in the tree format. */

import { describeValue, quote } from '../text/index.ts';
import { didYouMean, ROOT, below } from '../issues/index.ts';
import { readText } from '../read-field.ts';
import { measureTree } from './measure-tree.ts';
import { NODE_KEYS } from './node-keys.ts';
import { readNode } from './read-node.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

const TOP_LEVEL_KEYS: readonly string[] = ['goal', 'plan'];

/** Reads a document `{ goal, plan }` into the drafts of the reading, and returns its goal. */
export function readTree(document: NodeSource['node'], reading: Reading): string | undefined {
  const source = { node: document, place: ROOT };
  const goal = readGoal(source, reading);
  reportTopLevelKeys(source, reading);
  const value = document['plan'] ?? undefined;
  const place = below(ROOT, 'plan');
  if (value === undefined) {
    reading.issues.add('error', 'missing-plan', place, () => ({
      message: 'The document has no plan. Write the root node of the tree under "plan".',
      expected: 'a node',
    }));
  } else if (measureTree(value, place, reading)) {
    reading.waiting.push({ value, place });
    readNodes(reading);
  }
  return goal;
}

function readNodes(reading: Reading): void {
  // Once the budget is spent, every further text would only repeat that.
  // The count matters only for an object that answered otherwise when it was measured.
  for (let count = 0; count < reading.limits.nodes && reading.budget.left >= 0; count++) {
    const next = reading.waiting.pop();
    if (next === undefined) return;
    readNode(next, reading);
  }
}

function readGoal(source: NodeSource, reading: Reading): string | undefined {
  const before = reading.issues.errors;
  const goal = readText(source, ['goal'], reading);
  if (goal === undefined && reading.issues.errors === before) {
    const written = source.node['goal'];
    reading.issues.add('error', 'missing-goal', below(ROOT, 'goal'), () => ({
      message: `The document has ${typeof written === 'string' ? 'a blank goal' : 'no goal'}. Say in "goal" what the plan is for.`,
      expected: 'a text',
      got: describeValue(written),
    }));
  }
  return goal;
}

function reportTopLevelKeys({ node }: NodeSource, reading: Reading): void {
  for (const key of Object.keys(node)) {
    if (TOP_LEVEL_KEYS.includes(key)) continue;
    reading.issues.add('error', 'unknown-top-level-key', below(ROOT, key), () => ({
      message: NODE_KEYS.has(key)
        ? `"${key}" belongs to a node, and stands beside "goal". The plan must be one tree under "plan": move it there.`
        : `A plan document has the keys "goal" and "plan" only, and this one has ${quote(key)}.${didYouMean(key, TOP_LEVEL_KEYS)} Options of a run are not part of a plan.`,
      expected: TOP_LEVEL_KEYS,
      got: key,
    }));
  }
}
