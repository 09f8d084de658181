import { describeValue, quote } from '../text/index.ts';
import { didYouMean, below, type Place } from '../issues/index.ts';
import { governs } from '../governing-words.ts';
import { FOREIGN_KEYS, NAMES, keysOf } from '../names.ts';
import { addName, type NodeSource, type Reading, type WrittenNode } from '../plan-reading.ts';
import { readText } from '../read-field.ts';
import { readNode } from './read-node.ts';

const NODE_KEYS = keysOf('any', 'task', 'combine');
const TOP_LEVEL_KEYS = keysOf('tree');

/** Reads a document `{ goal, plan }`: adds its nodes to `reading.drafts` and returns its goal. */
export function readTree(source: NodeSource, root: WrittenNode, reading: Reading): string {
  const goal = readGoal(source, reading);
  reportTopLevelKeys(source, reading);
  if (root.value == null) {
    reading.issues.add('error', 'missing-plan', root.place, () => ({
      message: 'The document has no plan. Write the root node of the tree under "plan".',
      expected: 'a node',
    }));
  } else if (measured(root, reading)) readNode(root, reading);
  return goal ?? '';
}

const LISTS: readonly string[] = [...NAMES.combine.inputs.keys, ...FOREIGN_KEYS.operands];
const CHILDREN: readonly string[] = ['input', 'left', 'right', ...FOREIGN_KEYS.left, ...FOREIGN_KEYS.right];

/** Counts levels and nodes of a tree before other code visits it. Returns false if the tree is too large. */
function measured(root: WrittenNode, { limits, issues, names, named }: Reading): boolean {
  let nodes = 0;
  return fits(root.value, root.place, 1);

  function fits(value: unknown, place: Place, level: number): boolean {
    const node = typeof value === 'string' ? named?.get(value.trim())?.value : value;
    if (level > limits.depth)
      return refuse('too-deep', `levels of nodes. Make it flatter, or write a list of steps.`, limits.depth, place);
    if (++nodes > limits.nodes) {
      const rest = 'nodes, equal ones counted each time. Divide it, or raise the limit.';
      return refuse('too-many-nodes', rest, limits.nodes, place);
    }
    if (typeof node !== 'object' || node === null) return true;
    const written = node as { readonly [key: string]: unknown };
    addName(written['id'], { names });
    for (const key of CHILDREN)
      if (written[key] != null && !fits(written[key], below(place, key), level + 1)) return false;
    for (const key of LISTS) {
      const list: unknown = written[key];
      for (let at = 0; Array.isArray(list) && at < list.length; at++)
        if (!fits(list[at], below(below(place, key), at), level + 1)) return false;
    }
    return true;
  }

  function refuse(code: 'too-deep' | 'too-many-nodes', rest: string, max: number, place: Place): false {
    const expected = `at most ${max} ${code === 'too-deep' ? 'levels' : 'nodes'}`;
    issues.add('error', code, place, () => ({ message: `The plan has more than ${max} ${rest}`, expected }));
    return false;
  }
}

function readGoal(source: NodeSource, reading: Reading): string | undefined {
  const before = reading.issues.errors;
  const goal = readText(source, NAMES.tree.goal.keys, reading);
  if (goal === undefined && reading.issues.errors === before) {
    const written = source.node['goal'];
    reading.issues.add('error', 'missing-goal', below(source.place, 'goal'), () => ({
      message: `The document has ${typeof written === 'string' ? 'a blank goal' : 'no goal'}. Say in "goal" what the plan is for.`,
      expected: 'a text',
      got: describeValue(written),
    }));
  }
  return goal;
}

function reportTopLevelKeys({ node, place }: NodeSource, { issues }: Reading): void {
  for (const key of Object.keys(node)) {
    if (TOP_LEVEL_KEYS.includes(key)) continue;
    issues.add('error', 'unknown-top-level-key', below(place, key), () => ({
      message: NODE_KEYS.includes(key)
        ? `"${key}" belongs to a node, and stands beside "goal". The plan must be one tree under "plan": move it there.`
        : governs(key, node[key], 'task') ||
          `A plan document has the keys "goal" and "plan" only, and this one has ${quote(key)}.${didYouMean(key, TOP_LEVEL_KEYS)} Options of a run are not part of a plan.`,
      expected: TOP_LEVEL_KEYS,
      got: key,
    }));
  }
}
