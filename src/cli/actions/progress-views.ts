/** Two ways to show a run while it goes on: a tree that is drawn again in place, and a line for each thing that happens. */

import { nodeSummary, treeLines, type CompiledPlan, type TreeLine } from '../../plan/index.ts';
import type { NodeStatus, NodeView, RunStatus } from '../../run/index.ts';
import type { Output, Style } from '../output.ts';
import type { ProgressView } from './follow-run.ts';
import { amount } from './node-lines.ts';

const MARKS: Readonly<Record<NodeStatus, { readonly mark: string; readonly style: Style }>> = {
  pending: { mark: '·', style: 'dim' },
  running: { mark: '▸', style: 'cyan' },
  succeeded: { mark: '✓', style: 'green' },
  reused: { mark: '✓', style: 'green' },
  failed: { mark: '✗', style: 'red' },
  skipped: { mark: '-', style: 'yellow' },
  cancelled: { mark: '-', style: 'yellow' },
  uncertain: { mark: '?', style: 'red' },
};
/** Room for what else is on the screen. */
const OTHER_ROWS = 6;

export function progressView(plan: CompiledPlan, output: Output): ProgressView {
  const { rows = 24, columns = 80 } = process.stderr;
  if (!output.canRedraw) return lineView(output);
  const lines = treeLines(plan);
  return lines.length <= rows - OTHER_ROWS ? liveTree(lines, columns, output) : lineView(output);
}

/** A line per node that ended and per change of phase: for logs, and for trees that no screen holds. */
export function lineView(output: Output): ProgressView {
  const told = new Set<string>();
  const trouble = troubleOnce(output);
  let phase = '';
  return {
    phase(status) {
      trouble.over();
      if (status.phase !== phase) output.note(phaseLine(status));
      phase = status.phase;
    },
    nodes(nodes, { counts }) {
      for (const node of nodes) {
        if (node.status === 'pending' || node.status === 'running' || told.has(node.id)) continue;
        told.add(node.id);
        output.note(`[${told.size}/${counts.total}] ${statusText(node, output)} ${node.id} ${tellingOf(node)}`);
      }
    },
    trouble: trouble.tell,
    close: () => {},
  };
}

function liveTree(lines: readonly TreeLine[], columns: number, output: Output): ProgressView {
  const trouble = troubleOnce(output, erase);
  let drawn = 0;
  return {
    /** From `running` on the tree says it all. */
    phase(status) {
      trouble.over();
      if (status.phase === 'drafting' || status.phase === 'awaiting-approval') output.note(phaseLine(status));
    },
    nodes(nodes, { phase }) {
      if (phase !== 'running' && phase !== 'closed') return;
      erase();
      const byId = new Map(nodes.map((node) => [node.id, node]));
      for (const line of lines) output.note(row(line, byId.get(line.id), columns, output));
      drawn = lines.length;
    },
    trouble: trouble.tell,
    /** What is drawn stays; what is written next goes below it. */
    close: () => void (drawn = 0),
  };

  function erase(): void {
    if (drawn > 0) process.stderr.write(`\u001B[${drawn}A\u001B[0J`);
    drawn = 0;
  }
}

function row({ prefix, node, seen }: TreeLine, view: NodeView | undefined, columns: number, output: Output): string {
  const { mark, style } = MARKS[view?.status ?? 'pending'];
  const count = seen || view === undefined ? '' : amount(view);
  const room = columns - prefix.length - count.length - 5;
  const label = seen ? `(see ${node.id})` : `${node.id} ${nodeSummary(node)}`;
  const shown = label.length > room ? `${label.slice(0, Math.max(room - 1, 0))}…` : label;
  return `${output.paint('dim', prefix)}${output.paint(style, mark)} ${shown}  ${output.paint('bold', count)}`.trimEnd();
}

function phaseLine({ phase, outcome, counts }: RunStatus): string {
  if (phase === 'closed') return `run closed: ${outcome ?? 'closed'}`;
  if (phase === 'drafting') return 'compiling the plan';
  if (phase === 'awaiting-approval') return 'waiting for a decision on the plan';
  return `running ${counts.total} nodes`;
}

function statusText({ status }: NodeView, output: Output): string {
  return output.paint(MARKS[status].style, status);
}

function tellingOf(node: NodeView): string {
  const count = amount(node);
  const why = node.failure?.message ?? (node.cause === undefined ? undefined : `needs ${node.cause}`);
  return `${node.summary}${count === '' ? '' : `: ${count}`}${why === undefined ? '' : `: ${why}`}`;
}

function troubleOnce(output: Output, before: () => void = () => {}) {
  let last = '';
  return {
    tell(message: string) {
      if (message === last) return;
      last = message;
      before();
      output.note(`${output.paint('yellow', 'note')}: ${message}`);
    },
    over: () => void (last = ''),
  };
}
