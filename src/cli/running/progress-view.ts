/** A run while it goes on: a line for each thing that happens, and on a terminal its plan and what it is at, drawn again in place. */

import { outlineLines } from '../../plan/lines/index.ts';
import { outlineOf, type CompiledPlan } from '../../plan/index.ts';
import type { NodeStatus, RunStatus, RunView } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { changeText, createChanges, createLive, hasPictureRoom, type Change, type Picture } from '../view/index.ts';
import { entryOfNode } from '../../operations/words/index.ts';

/** Shows a run on stderr. */
export interface ProgressView {
  /** Tells what is new since the view before. */
  see(view: RunView): void;
  /** A line that stays. */
  note(line: string): void;
  /** While a person is asked nothing is shown; it is when the question is over. */
  hold(on: boolean): void;
  close(): void;
}

/** Such a node is told when it has ended. */
const UNENDED: readonly NodeStatus[] = ['pending', 'running', 'waiting'];

/** Without a plan, as while a goal becomes one, there is no tree to draw. */
export function progressView(plan: CompiledPlan | undefined, output: Output): ProgressView {
  const hasTree = output.canRedraw && plan !== undefined && hasPictureRoom();
  const live = createLive(output, hasTree ? treeOf(plan, output) : undefined);
  const note = (line: string) => live.above(() => output.note(line));
  const newIn = createChanges();
  let [revision, ended] = [1, 0];
  return {
    see(view) {
      const { status } = view;
      if (status !== undefined && status.revision > revision) [revision, ended] = [status.revision, 0];
      for (const change of newIn(view)) {
        if (!isTold(change, status)) continue;
        const prefix = change.change === 'node' ? `[${(ended += 1)}/${status?.counts.total ?? ended}] ` : '';
        note(changeText(change, { ...output, status, prefix }));
      }
      live.show(view);
    },
    note,
    hold: live.hold,
    close: live.close,
  };

  /** The tree of the first plan shows its progress and its end; another plan is told in lines. */
  function isTold(change: Change, status: RunStatus | undefined): boolean {
    const isDrawn = hasTree && revision === 1;
    if (change.change === 'node') return !isDrawn && !UNENDED.includes(change.status);
    if (change.change !== 'phase') return change.change !== 'attempt';
    const { phase } = change;
    return status?.planning === undefined && !(isDrawn && (phase === 'running' || phase === 'closed'));
  }
}

/** The first plan, a large one folded, once something of it has begun. */
function treeOf(plan: CompiledPlan, { paint }: Output): Picture {
  return ({ status, nodes }, { width, most }) => {
    if (status === undefined || status.revision > 1 || status.counts.pending === status.counts.total) return [];
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const more = (id: string) => {
      const node = byId.get(id);
      if (node === undefined) return { standing: 'pending' } as const;
      const { title: _, takes: __, ms, ...entry } = entryOfNode(node);
      // Time that goes on stands in the lines about now.
      return { ...entry, ...(node.endedAt !== undefined && ms !== undefined && { ms }) };
    };
    return outlineLines(outlineOf(plan, { words: 'none', more }), { width, paint, single: true, most });
  };
}
