/** The plan as the demo draws it: with a sentence per node before the run, with states and counts during it. */

import { nodeSentence, treeLines, type CompiledPlan, type PlanNode } from '../plan/index.ts';
import { fit, grouped, wrap, type Screen } from '../terminal/index.ts';

export interface NodeState {
  /**
   * `waiting`: it has not begun. `asking`: it asks a person. `lost`: it was in flight on a worker that is gone, and
   * nobody has taken it up yet. `uncertain`: nobody knows yet whether it happened.
   */
  readonly status: 'waiting' | 'running' | 'asking' | 'lost' | 'uncertain' | 'finished' | 'failed';
  /** Records of its result. */
  readonly count?: number;
}

type Look = Pick<Screen, 'width' | 'paint'>;

/** Every node with its sentence, which says exactly what is done. A node with many dependents is explained once. */
export function planLines(plan: CompiledPlan, { width, paint }: Look): readonly string[] {
  return treeLines(plan).flatMap(({ prefix, node, seen }) => {
    const mark = seen ? '  (above)' : '';
    const title = fit(titleOf(node), width - prefix.length - node.id.length - 2 - mark.length).trimEnd();
    const head = `${paint('dim', prefix)}${paint('cyan', node.id)}  ${paint('bold', title)}`;
    if (seen) return [`${head}${paint('dim', mark)}`];
    const under = prefix.replace('├─', '│ ').replace('└─', '  ') + (node.dependsOn.length > 0 ? '│    ' : '     ');
    const sentence = wrap(nodeSentence(node, plan), width - under.length);
    return [head, ...sentence.map((line) => paint('dim', under) + line)];
  });
}

const COUNT_WIDTH = 9;
const STATUS_WIDTH = 10;

export function stateLines(plan: CompiledPlan, states: ReadonlyMap<string, NodeState>, look: Look): readonly string[] {
  return treeLines(plan).map(({ prefix, node, seen }) => {
    const state = states.get(node.id) ?? { status: 'waiting' };
    return stateLine(prefix, node, state, look, seen);
  });
}

/** One node with its state, for a story that is only added to. */
export function stateLine(
  prefix: string,
  node: PlanNode,
  state: NodeState,
  { width, paint }: Look,
  seen = false,
): string {
  const { mark, style } = MARKS[state.status];
  const title = fit(`${node.id}  ${titleOf(node)}`, width - prefix.length - 2 - STATUS_WIDTH - COUNT_WIDTH);
  const status = seen ? '' : state.status;
  const count = seen || state.count === undefined ? '' : grouped(state.count);
  const tail = `${status.padEnd(STATUS_WIDTH)}${count.padStart(COUNT_WIDTH)}`;
  return `${paint('dim', prefix)}${paint(style, mark)} ${seen ? paint('dim', title) : title}${paint(style, tail)}`;
}

const MARKS = {
  waiting: { mark: '·', style: 'dim' },
  running: { mark: '▸', style: 'yellow' },
  asking: { mark: '?', style: 'cyan' },
  lost: { mark: '×', style: 'red' },
  uncertain: { mark: '!', style: 'red' },
  failed: { mark: '×', style: 'red' },
  finished: { mark: '✔', style: 'green' },
} as const;

function titleOf(node: PlanNode): string {
  return node.kind === 'task' ? (node.displayName ?? node.task) : `${node.operator}  ${node.displayName}`;
}
